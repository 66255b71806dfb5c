import assert from 'node:assert/strict'
import { collectRange, type RangeQuery } from '../../../../src/lib/collect/range'
import type { TimeStyle } from '../../../../src/lib/decode/time'
import { TimeZone } from '../../../../src/shared/local-clock'
import { context, graph, relayGraph } from '../responses'
import {
  type Behaviour,
  type ModelRecord,
  modelAccount,
  modelService,
  type Query,
  select,
} from './model-service'

const standalone = { serial: '5212A1B2', base: '5212A1B2' }
const remote = { serial: '5212A1B2', base: '5839F001' }
const strict: Behaviour = { inclusive: false, order: 'ascending' }
const instants = (from: number, to: number): RangeQuery => ({
  period: { from: { instant: from }, to: { instant: to } },
  number: null,
  time: 'utc',
  format: 'read',
})
const steady = (count: number): ModelRecord[] =>
  Array.from({ length: count }, (_, index) => ({ unixtime: 1000 + index, id: index + 1, value: index % 50 }))

describe('fetching a period', () => {
  it('requests from a second before to the end, at most a page, from the endpoint of the device', async () => {
    const { account, requests } = modelAccount(({ endpoint }) =>
      endpoint === 'data' ? graph() : relayGraph(),
    )
    await collectRange(account, standalone, instants(5_000_000, 6_000_000), context)
    await collectRange(account, remote, { ...instants(5_000_000, 6_000_000), number: 7 }, context)
    const query = { 'remote-serial': '5212A1B2', 'unixtime-from': 4999, 'unixtime-to': 6000 }
    assert.deepEqual(requests, [
      { endpoint: 'data', params: { ...query, number: 16_000 } },
      { endpoint: 'data-relay', params: { ...query, number: 7, 'base-serial': '5839F001' } },
    ])
  })

  it('of raw output takes one request, from a second before to the end', async () => {
    const { account, requests } = modelAccount(() => graph())
    Object.assign(account.client, {
      async readRaw(endpoint: 'data', params: object) {
        requests.push({ endpoint, params: { ...params } })
        return { endpoint, body: '', receivedAt: 0, quota: {} }
      },
    })
    for (const number of [null, 7, 70_000])
      await collectRange(
        account,
        standalone,
        { ...instants(5_000_000, 6_000_000), number, format: 'csv' },
        context,
      )
    const query = { 'remote-serial': '5212A1B2', 'unixtime-from': 4999, 'unixtime-to': 6000, type: 'csv' }
    assert.deepEqual(
      requests.map(({ params }) => params),
      [65_535, 7, 65_535].map((number) => ({ ...query, number })),
    )
  })

  it('has lost its first records, unless no more were wanted than there are', async () => {
    const records = Array.from({ length: 1500 }, (_, index) => ({
      unixtime: (index + 1) * 60,
      id: index + 1,
      value: 5,
    }))
    const { account } = modelAccount(({ params }) =>
      relayGraph({ data: select(records, params as never, strict) }),
    )
    const overflowOf = async (number: number | null) => {
      const query = { ...instants(-86_400_000, 91_000_000), number }
      return (await collectRange(account, remote, query, context)).overflow
    }
    assert.deepEqual([await overflowOf(null), await overflowOf(1500)], [true, undefined])
  })

  it("interprets wall clock times in the device's time if times are local, otherwise in UTC", async () => {
    const noon = { wallClock: 43_200_000 }
    const period = { from: noon, to: { wallClock: 46_800_000 } }
    const query = { period, number: null, format: 'read' } as const
    const { account, requests } = modelService([], strict, 540)
    const local = await collectRange(account, standalone, { ...query, time: 'local' }, context)
    const utc = await collectRange(account, standalone, { ...query, time: 'utc' }, context)
    assert.equal(local.range.from, '1970-01-01T03:00:00.000Z')
    assert.equal(utc.range.from, '1970-01-01T12:00:00.000Z')
    assert.equal(requests[1]?.params['unixtime-from'], 43_199)
  })

  it("of the calendar uses the device's clock if times are local, otherwise UTC", async () => {
    // Four in the morning in Tokyo.
    const period = { calendar: 'yesterday', now: Date.UTC(2026, 10, 20, 19) } as const
    const { account } = modelService([], strict, 540)
    const fromOf = async (time: TimeStyle) => {
      const query = { period, number: null, format: 'read', time } as const
      return (await collectRange(account, standalone, query, context)).range.from
    }
    assert.equal(await fromOf('local'), '2026-11-19T15:00:00.000Z')
    assert.equal(await fromOf('utc'), '2026-11-19T00:00:00.000Z')
    assert.equal(await fromOf(new TimeZone('America/New_York')), '2026-11-19T05:00:00.000Z')
  })

  it('does not use the list of devices if neither bound is a wall clock time', async () => {
    const { account } = modelService([], strict)
    account.devices.utcOffset = () => assert.fail('it was requested')
    await collectRange(account, standalone, { ...instants(0, 1000), time: 'local' }, context)
  })

  it('that ends before its start fails with ENVLOG_INPUT, without a request', async () => {
    const { account, requests } = modelService([], strict)
    await assert.rejects(collectRange(account, standalone, instants(1000, 1000), context), {
      code: 'ENVLOG_INPUT',
    })
    assert.equal(requests.length, 0)
  })

  it('leaves out an unreadable record, and reports it with the others', async () => {
    const data = steady(5).map((one) => ({ ...one, ch1: one.value }))
    const { account } = modelAccount(() => graph({ data: [...data, { unixtime: 'yesterday' }, null, 7] }))
    const { content, failed } = await collectRange(account, standalone, instants(0, 1e9), context)
    assert.equal(content.kind === 'series' && content.series.records.length, 5)
    const reported = failed?.map(({ error: { reason, params, cause } }) => [reason, params.part, cause])
    const cause = { endpoint: 'data', ...standalone }
    assert.deepEqual(reported, [['response-left-out', 'data.5, data.6', cause]])
  })

  it('continues after a short page if neither the beginning was reached nor records were left', async () => {
    const given = steady(100)
    const answers: (number | null)[] = []
    /** Returns at most 30 records, regardless of the request. */
    function truncating(remaining: number | null) {
      return modelAccount(
        ({ params }) => {
          const data = select(given, { ...(params as never as Query), number: 30 }, strict)
          answers.push(data.length)
          return graph({ data })
        },
        0,
        remaining,
      )
    }
    for (const remaining of [null, 0]) {
      const { content } = await collectRange(
        truncating(remaining).account,
        standalone,
        instants(0, 1e9),
        context,
      )
      assert.equal(content.kind === 'series' && content.series.records.length, 100)
    }
    const reported = truncating(1)
    await collectRange(reported.account, standalone, instants(0, 1e9), context)
    assert.equal(reported.requests.length, 1, 'more records were available, but not sent')
  })

  it('of few records takes a single request, and two more if the headers do not say how many records are left', async () => {
    for (const [remaining, expected] of [
      [159_990, 1],
      [null, 3],
    ] as const) {
      const given = (params: object) => graph({ data: select(steady(10), params as Query, strict) })
      const { account, requests } = modelAccount(({ params }) => given(params), 0, remaining)
      await collectRange(account, standalone, instants(0, 1e9), context)
      assert.equal(requests.length, expected)
    }
  })

  it('fails with ENVLOG_REPLY if the service responds with another period, after no unnecessary requests', async () => {
    const { account, requests } = modelAccount(() => graph({ data: steady(20_000).slice(-16_000) }))
    await assert.rejects(collectRange(account, standalone, instants(0, 1e9), context), {
      reason: 'response-other-period',
    })
    assert.equal(requests.length, 2)
    const early = modelAccount(() => graph({ data: steady(300) }))
    const run = collectRange(early.account, standalone, instants(5e8, 6e8), context)
    await assert.rejects(run, { reason: 'response-other-period' })
    assert.equal(early.requests.length, 1)
  })

  it('requests a page up to three times if it lacks a record of the previous one, and then reports that records may be missing', async () => {
    const given = steady(20_000)
    for (const [bad, overflow] of [
      [2, undefined],
      [3, true],
    ] as const) {
      const { account, requests } = modelAccount(({ params }, index) =>
        graph({
          data: index > 0 && index <= bad ? given.slice(0, 10) : select(given, params as never, strict),
        }),
      )
      const collected = await collectRange(account, standalone, instants(1e6, 1e9), context)
      assert.deepEqual([requests.length, collected.overflow], [4, overflow])
      const { content } = collected
      assert.equal(content.kind === 'series' && content.series.records.length, bad === 2 ? 20_000 : 16_010)
    }
  })

  it('has times with one offset, even if daylight saving time started between two pages', async () => {
    const given = steady(20_000)
    const { account } = modelAccount(({ params }, index) => ({
      ...graph({ data: select(given, params as never as Query, strict) }),
      'dst-flg': index === 0 ? 1 : 0,
      'dst-bias': 60,
    }))
    const query = { ...instants(0, 1e9), time: 'local' } as const
    const { content } = await collectRange(account, standalone, query, context)
    assert.ok(content.kind === 'series')
    const offsets = new Set(content.series.records.map(({ time }) => time?.slice(-6)))
    assert.equal(offsets.size, 1)
  })
})
