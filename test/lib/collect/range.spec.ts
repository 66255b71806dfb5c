import assert from 'node:assert/strict'
import { collectRange, type RangeWish } from '../../../src/lib/collect/range'
import { EnvlogError } from '../../../src/lib/errors'
import { asking, graph, patient, relayGraph } from '../answers'
import { type Behaviour, type ModelRecord, modelAccount, modelService, select } from './model-service'

const standalone = { serial: '5212A1B2', base: '5212A1B2' }
const remote = { serial: '5212A1B2', base: '5839F001' }
const strict: Behaviour = { inclusive: false, order: 'ascending' }
const instants = (from: number, to: number): RangeWish => ({
  period: { from: { instant: from }, to: { instant: to } },
  number: null,
  time: 'utc',
  form: 'read',
})
const steady = (count: number): ModelRecord[] =>
  Array.from({ length: count }, (_, index) => ({ unixtime: 1000 + index, id: index + 1, value: index % 50 }))

describe('fetching a period', () => {
  it('asks from a second before to the end, a page at most, of the endpoint for the device', async () => {
    const { account, asked } = modelAccount(({ endpoint }) => (endpoint === 'data' ? graph() : relayGraph()))
    await collectRange(account, standalone, instants(5_000_000, 6_000_000), patient)
    await collectRange(account, remote, { ...instants(5_000_000, 6_000_000), number: 7 }, patient)
    const query = { 'remote-serial': '5212A1B2', 'unixtime-from': 4999, 'unixtime-to': 6000 }
    assert.deepEqual(asked, [
      { endpoint: 'data', params: { ...query, number: 16_000 } },
      { endpoint: 'data-relay', params: { ...query, number: 7, 'base-serial': '5839F001' } },
    ])
  })

  for (const inclusive of [true, false]) {
    it(`brings 40,000 records by pages, bounds ${inclusive ? 'inclusive' : 'strict'}`, async () => {
      const { account, asked } = modelService(steady(40_000), { inclusive, order: 'descending' })
      const told: number[] = []
      const { content, range } = await collectRange(account, standalone, instants(0, 1e9), patient, (pages) =>
        told.push(pages),
      )
      assert.ok(content.kind === 'series')
      const { series } = content
      assert.deepEqual([series.records.length, series.gaps], [40_000, []])
      assert.equal(series.records[0]?.timestamp, 1_000_000)
      assert.deepEqual([asked.length, told], [3, [1, 2]])
      assert.deepEqual(range, { from: '1970-01-01T00:00:00.000Z', to: '1970-01-12T13:46:40.000Z' })
    })
  }

  it('tells of the last answer', async () => {
    const { account } = modelService(steady(10), strict)
    const { answer } = await collectRange(account, standalone, instants(0, 1e9), patient)
    assert.deepEqual([answer.endpoint, answer.receivedAt], ['data', 1_795_161_605_000])
  })

  it("takes clock times for the device's own where times are local, else for UTC", async () => {
    const noon = { wallClock: 43_200_000 }
    const period = { from: noon, to: { wallClock: 46_800_000 } }
    const wish = { period, number: null, form: 'read' } as const
    const { account, asked } = modelService([], strict, 540)
    const local = await collectRange(account, standalone, { ...wish, time: 'local' }, patient)
    const utc = await collectRange(account, standalone, { ...wish, time: 'utc' }, patient)
    assert.equal(local.range.from, '1970-01-01T03:00:00.000Z')
    assert.equal(utc.range.from, '1970-01-01T12:00:00.000Z')
    assert.equal(asked[1]?.params['unixtime-from'], 43_199)
  })

  it('does not ask the directory where no end is a clock time', async () => {
    const { account } = modelService([], strict)
    account.directory.utcOffset = () => assert.fail('it was asked')
    await collectRange(account, standalone, { ...instants(0, 1000), time: 'local' }, patient)
  })

  it('that ends before it begins is ENVLOG_INPUT, without a request', async () => {
    const { account, asked } = modelService([], strict)
    await assert.rejects(collectRange(account, standalone, instants(1000, 1000), patient), {
      code: 'ENVLOG_INPUT',
    })
    assert.equal(asked.length, 0)
  })

  it('asks for the next page before it reads one', async () => {
    const { account, asked } = modelService(steady(40_000), strict)
    const asks: number[] = []
    await collectRange(account, standalone, instants(0, 1e9), patient, () => asks.push(asked.length))
    assert.deepEqual(asks, [2, 3])
  })

  it('ends between pages where its caller gives up, with the one that is on its way', async () => {
    const abort = new AbortController()
    const { account, signals } = modelService(steady(40_000), strict)
    const run = collectRange(account, standalone, instants(0, 1e9), asking(abort.signal), () => abort.abort())
    await assert.rejects(run, (error) => error instanceof EnvlogError && error.code === 'ENVLOG_CLOSED')
    assert.deepEqual(
      signals.map(({ aborted }) => aborted),
      [true, true],
    )
  })

  it('gives up the page that is on its way where the one before it cannot be read', async () => {
    const records = steady(40_000)
    const { account, signals } = modelAccount(({ params }) => {
      const data = select(records, params as never, strict)
      return graph({ data: [...data.slice(0, -1), { ...data.at(-1), unixtime: 'yesterday' }] })
    })
    await assert.rejects(collectRange(account, standalone, instants(0, 1e9), patient), {
      code: 'ENVLOG_REPLY',
      params: { part: 'data.15999.unixtime' },
    })
    assert.deepEqual(
      signals.map(({ aborted }) => aborted),
      [true, true],
    )
  })
})
