import assert from 'node:assert/strict'
import type { Account } from '../../../../src/lib/account'
import { NodeState } from '../../../../src/lib/collect/node-state'
import { type PolledData, pollRecords } from '../../../../src/lib/collect/poll'
import { readEnvelope } from '../../../../src/lib/decode/envelopes'
import type { EndpointName } from '../../../../src/lib/endpoints'
import { createVirtualClock } from '../../../support/clock'
import { createRecordingStore } from '../../../support/collect/recording-store'
import { graph, patient } from '../answers'

const target = { serial: '5212A1B2', base: '5212A1B2' }
const NEWEST = 10
const YEAR_S = 365 * 86_400
const options = {
  time: 'utc',
  node: 'node',
  backfill: true,
  start: 'all',
  newest: NEWEST,
  receipts: null,
} as const

/** A logger that records every minute, whose clock can be set ahead, and a node that polls it. */
async function begin() {
  const clock = createVirtualClock(0)
  const nodeState = new NodeState(clock)
  nodeState.open(createRecordingStore())
  await nodeState.ready()
  const log: { unixtime: number; 'data-id': number; ch1: number }[] = []
  const endpoints: string[] = []
  const sent: number[] = []
  let ahead = 0
  const read = async (endpoint: EndpointName, params: Record<string, number>) => {
    endpoints.push(endpoint)
    const {
      'unixtime-from': from = 0,
      'unixtime-to': to = Number.POSITIVE_INFINITY,
      number = NEWEST,
    } = params
    const inPeriod = log.filter(({ unixtime }) => unixtime >= from && unixtime <= to)
    const data = inPeriod.toSorted((a, b) => a.unixtime - b.unixtime).slice(-number)
    const body = readEnvelope(endpoint, JSON.stringify(graph({ data })))
    return { endpoint, body, receivedAt: clock.now(), servedAt: clock.now(), quota: {}, number }
  }
  const account = { monotonic: () => clock.monotonic(), client: { read } } as unknown as Account
  const deliver = async ({ content }: PolledData) => {
    if (content.kind === 'series') sent.push(...content.series.records.map(({ ch1 }) => Number(ch1)))
  }
  return {
    endpoints,
    sent,
    setAhead(seconds: number) {
      ahead = seconds
    },
    measure(count: number) {
      for (let index = 0; index < count; index++) {
        clock.advance(60_000)
        const id = log.length + 1
        log.push({ unixtime: Math.floor(clock.now() / 1000) + ahead, 'data-id': id, ch1: id })
      }
    },
    poll: () => pollRecords(account, target, options, { nodeState, deliver }, patient),
    isFarAhead: () => nodeState.device('5212A1B2/5212A1B2').isFarAhead,
    all: () => log.map(({ ch1 }) => ch1),
  }
}

describe('a logger whose clock was ahead for longer than a full response reaches', () => {
  it('is still collected: each record once, the present ones from the range endpoint', async () => {
    const { setAhead, measure, poll, sent, all, isFarAhead, endpoints } = await begin()
    const pollEvery = async (records: number, times: number) => {
      for (let time = 0; time < times; time++) {
        measure(records)
        await poll()
      }
    }
    await pollEvery(2, 10)
    setAhead(4 * YEAR_S)
    await pollEvery(2, 10)
    assert.equal(isFarAhead(), true)
    setAhead(0)
    endpoints.length = 0
    await pollEvery(2, 10)
    assert.deepEqual(new Set(endpoints), new Set(['latest-data', 'data']))
    assert.equal(endpoints.length, 20, 'one request more at each trigger')
    // An outage that is longer than the newest records reach back.
    await pollEvery(3 * NEWEST, 1)
    assert.deepEqual(
      sent.toSorted((a, b) => a - b),
      all(),
    )
    setAhead(5 * YEAR_S)
    await pollEvery(1, 3)
    assert.deepEqual(
      sent.toSorted((a, b) => a - b),
      all(),
    )
  })

  it('is collected as any other where its clock is less than a day ahead', async () => {
    const { setAhead, measure, poll, isFarAhead } = await begin()
    setAhead(86_000)
    measure(2 * NEWEST)
    await poll()
    assert.equal(isFarAhead(), false)
  })
})
