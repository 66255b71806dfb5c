import assert from 'node:assert/strict'
import type { Account } from '../../../../src/lib/account'
import type { PolledData } from '../../../../src/lib/collect/fetch'
import { NodeState } from '../../../../src/lib/collect/node-state'
import { type PollOptions, pollRecords } from '../../../../src/lib/collect/poll'
import { readEnvelope } from '../../../../src/lib/decode/envelopes'
import type { EndpointName } from '../../../../src/lib/endpoints'
import { EnvlogError, type Reason } from '../../../../src/lib/errors'
import { createVirtualClock } from '../../../support/clock'
import { createRecordingStore } from '../../../support/collect/recording-store'
import { graph, type Json, patient } from '../answers'

const target = { serial: '5212A1B2', base: '5212A1B2' }
/** Number of records in a *latest* response. */
const NEWEST = 3
const options: PollOptions = {
  ...({ time: 'utc', node: 'node', backfill: true, start: 'all', receipts: null } as const),
  newest: NEWEST,
}
/** Number of records per page. */
const PAGE = 5
const upTo = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index)

/** A device with a record per minute, whose range endpoint may fail. */
async function begin() {
  const clock = createVirtualClock(0)
  const records: Json[] = []
  const nodeState = new NodeState(clock)
  nodeState.open(createRecordingStore())
  await nodeState.ready()
  let fails: Reason | null = null
  let emptyPages = 0
  const endpoints: string[] = []

  async function read(endpoint: EndpointName, params: { [key: string]: number }) {
    endpoints.push(endpoint)
    const isRange = endpoint === 'data'
    if (isRange && fails) throw new EnvlogError(fails, {}, { endpoint })
    const { 'unixtime-from': from = 0, 'unixtime-to': to = 0 } = params
    const isInside = ({ at }: Json) => Number(at) > from && Number(at) < to
    const isEmpty = isRange && emptyPages-- > 0
    const data = isRange ? records.filter(isInside).slice(-PAGE) : records.slice(-NEWEST)
    if (isEmpty) data.length = 0
    const body = readEnvelope(endpoint, JSON.stringify(graph({ data })))
    return { endpoint, receivedAt: clock.now(), quota: {}, number: PAGE, body }
  }
  const account = { monotonic: () => clock.monotonic(), client: { read } } as unknown as Account

  return {
    /** @param over fields of the first record that make it invalid */
    measure(count: number, over: Json = {}) {
      for (let index = 0; index < count; index++) {
        clock.advance(60_000)
        const at = Math.floor(clock.now() / 1000)
        const id = records.length
        records.push({ at, unixtime: at, 'data-id': id + 1, ch1: id, ...(index === 0 && over) })
      }
    },
    fail(reason: Reason | null) {
      fails = reason
    },
    /** This many pages of the range endpoint are empty. */
    empty(pages: number) {
      emptyPages = pages
    },
    pass: (hours: number) => clock.advance(hours * 3_600_000),
    endpoints: endpoints,
    /** Runs one trigger and returns its result. */
    async poll() {
      endpoints.length = 0
      let news: PolledData | undefined
      let isNothing = false
      const deliver = async (what: PolledData, nothing = false) => {
        news = what
        isNothing = nothing
      }
      const ports = { nodeState, deliver }
      let error: unknown
      await pollRecords(account, target, options, ports, patient).catch((failure) => {
        error = failure
      })
      const { content, failed = [], overflow } = news ?? {}
      const records = content?.kind === 'series' && !isNothing ? content.series.records : []
      return {
        delivered: records.map(({ ch1 }) => ch1),
        overflow,
        gaps: content?.kind === 'series' ? content.series.gaps.map(({ missing }) => missing) : [],
        failed,
        error: error instanceof EnvlogError ? error.reason : error,
      }
    },
  }
}

describe('a backfill whose page lacks a record known from the following response', () => {
  it('requests that page again', async () => {
    const device = await begin()
    device.measure(2)
    await device.poll()
    device.measure(20)
    device.empty(1)
    const { delivered, overflow, gaps } = await device.poll()
    assert.deepEqual([delivered, overflow, gaps], [upTo(2, 22), undefined, []])
  })

  it('sends the existing records, marked as incomplete, if the page lacks it twice', async () => {
    const device = await begin()
    device.measure(2)
    await device.poll()
    device.measure(20)
    device.empty(2)
    const { delivered, overflow, gaps } = await device.poll()
    assert.deepEqual([delivered, overflow, gaps], [upTo(19, 22), true, [17]])
  })
})

describe('a backfill that cannot be completed', () => {
  it('because the service refuses it for over a day: the response is sent, marked as incomplete, with the refusal', async () => {
    const device = await begin()
    device.measure(2)
    await device.poll()
    device.measure(20)
    device.fail('device-refused')
    for (let times = 0; times < 2; times++) {
      const { delivered, error } = await device.poll()
      assert.deepEqual([delivered, error], [[], 'device-refused'], 'nothing is sent before')
      device.pass(12)
    }
    const { delivered: ids, overflow, gaps, failed, error } = await device.poll()
    assert.deepEqual([ids, overflow, gaps, error], [upTo(19, 22), true, [17], undefined])
    assert.deepEqual(
      failed.map(({ device: found, error: { reason, cause } }) => [found, reason, cause]),
      [[target, 'device-refused', { ...target, endpoint: 'data' }]],
    )
    device.measure(1)
    const next = await device.poll()
    assert.deepEqual([next.delivered, next.overflow, next.failed], [[22], undefined, []])
  })
})

describe('an unreadable record of a backfill', () => {
  it('is left out and reported once', async () => {
    const device = await begin()
    device.measure(2)
    await device.poll()
    device.measure(20, { unixtime: 'yesterday' })
    const { delivered: came, overflow, gaps, failed, error } = await device.poll()
    assert.deepEqual([came, overflow, gaps, error], [upTo(3, 22), undefined, [1], undefined])
    assert.deepEqual(
      failed.map(({ error: { reason } }) => reason),
      ['reply-left-out'],
    )
    assert.match(String(failed[0]?.error.params.part), /^data\.\d$/)
    device.measure(1)
    assert.deepEqual((await device.poll()).failed, [], 'once')
  })

  it('does not hide that a whole page is unreadable', async () => {
    const device = await begin()
    device.measure(2)
    await device.poll()
    for (let count = 0; count < 20; count++) device.measure(1, { unixtime: 'yesterday' })
    device.measure(4)
    assert.equal((await device.poll()).error, 'reply-unreadable')
  })
})
