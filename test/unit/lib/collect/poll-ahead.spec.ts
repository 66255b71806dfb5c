import assert from 'node:assert/strict'
import type { Account } from '../../../../src/lib/account'
import type { PolledData } from '../../../../src/lib/collect/fetch'
import { NodeState } from '../../../../src/lib/collect/node-state'
import { pollRecords } from '../../../../src/lib/collect/poll'
import { readEnvelope } from '../../../../src/lib/decode/envelopes'
import type { EndpointName } from '../../../../src/lib/endpoints'
import { createVirtualClock } from '../../../support/clock'
import { createRecordingStore } from '../../../support/collect/recording-store'
import { graph, patient } from '../answers'

const target = { serial: '5212A1B2', base: '5212A1B2' }
const NEWEST = 10
const options = {
  time: 'utc',
  node: 'node',
  backfill: true,
  start: 'all',
  newest: NEWEST,
  receipts: null,
} as const
type Log = { unixtime: number | string; 'data-id': number; ch1: number }[]

/** A node that polls a device with these records. */
async function begin(log: Log) {
  const clock = createVirtualClock(0)
  const nodeState = new NodeState(clock)
  nodeState.open(createRecordingStore())
  await nodeState.ready()
  const sent: number[] = []
  const read = async (endpoint: EndpointName, params: Record<string, number>) => {
    const {
      'unixtime-from': from = 0,
      'unixtime-to': to = Number.POSITIVE_INFINITY,
      number = NEWEST,
    } = params
    const isInPeriod = ({ unixtime }: Log[0]) =>
      endpoint === 'latest-data' || (Number(unixtime) >= from && Number(unixtime) <= to)
    const body = readEnvelope(
      endpoint,
      JSON.stringify(graph({ data: log.filter(isInPeriod).slice(-number) })),
    )
    return { endpoint, body, receivedAt: clock.now(), quota: {}, number }
  }
  const account = { monotonic: () => clock.monotonic(), client: { read } } as unknown as Account
  const deliver = async ({ content }: PolledData) => {
    if (content.kind === 'series') sent.push(...content.series.records.map(({ ch1 }) => Number(ch1)))
  }
  return {
    sent,
    nowSeconds: Math.floor(clock.now() / 1000),
    poll: () => pollRecords(account, target, options, { nodeState, deliver }, patient),
    isFarAhead: () => nodeState.device('5212A1B2/5212A1B2').isFarAhead,
  }
}

describe('a full response whose records are all', () => {
  for (const [hours, isFarAhead] of [
    [23, false],
    [26, true],
  ] as const) {
    it(`${hours} hours ahead ${isFarAhead ? 'hides' : 'does not hide'} the present records`, async () => {
      const log: Log = []
      const node = await begin(log)
      for (let id = 1; id <= NEWEST; id++)
        log.push({ unixtime: node.nowSeconds + hours * 3600 + id, 'data-id': id, ch1: id })
      await node.poll()
      assert.equal(node.isFarAhead(), isFarAhead)
    })
  }
})

describe('a full response with unreadable records', () => {
  it('still counts as full: earlier records are fetched', async () => {
    const log: Log = []
    const { poll, sent, nowSeconds } = await begin(log)
    const measure = (from: number, to: number) => {
      for (let id = from; id <= to; id++) log.push({ unixtime: nowSeconds + id * 60, 'data-id': id, ch1: id })
    }
    measure(1, 4)
    await poll()
    measure(5, 34)
    for (const record of log.slice(-3, -1)) record.unixtime = 'soon'
    await poll()
    assert.deepEqual(sent, [...Array.from({ length: 31 }, (_, index) => index + 1), 34])
  })
})
