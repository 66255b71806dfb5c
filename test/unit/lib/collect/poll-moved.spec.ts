import assert from 'node:assert/strict'
import type { AccountAccess, PolledData } from '../../../../src/lib/collect/fetch'
import { NodeState } from '../../../../src/lib/collect/node-state'
import { pollRecords } from '../../../../src/lib/collect/poll'
import { readEnvelope } from '../../../../src/lib/decode/envelopes'
import type { EndpointName } from '../../../../src/lib/endpoints'
import { createVirtualClock } from '../../../support/clock'
import { type Json, patient, relayGraph } from '../answers'

const NOON = 1_795_161_600_000
const record = (index: number, fields: Json = {}) => ({
  unixtime: NOON / 1000 + index * 60,
  'data-id': String(index),
  ch1: index,
  ...fields,
})
const moved = { serial: '5212A1B2', base: '5839F002' }
const target = { serial: '5212A1B2', base: '5839F001' }

/** Polls a device of a service that responds with `held`. */
function simulate() {
  const clock = createVirtualClock(0, NOON + 3_000_000)
  const nodeState = new NodeState(clock)
  const held = { answer: relayGraph({ data: [record(1), record(2)] }) as Json }
  const delivered: PolledData[] = []
  const read = async (endpoint: EndpointName) => {
    const body = readEnvelope(endpoint, JSON.stringify(held.answer))
    return { endpoint, receivedAt: clock.now(), quota: {}, body }
  }
  const account = { monotonic: () => clock.monotonic(), client: { read } } as unknown as AccountAccess
  nodeState.open({ load: async () => null, save: async () => {} })
  const poll = async (device: typeof target) => {
    await nodeState.ready()
    const ports = { nodeState, deliver: async (data: PolledData) => void delivered.push(data) }
    const options = { start: 'all', backfill: true, receipts: null, time: 'utc', node: 'node' } as const
    await pollRecords(account, device, options, ports, patient)
  }
  return { clock, nodeState, held, delivered, poll }
}

describe('a device that was polled with nothing new', () => {
  it('is an error after it has moved, if the service still responds with the other base unit', async () => {
    for (const polls of [1, 3]) {
      const { nodeState, poll, delivered } = simulate()
      for (let turn = 0; turn < polls; turn++) await poll(target)
      nodeState.setDevices([moved], ({ base }) => base === target.base)
      await assert.rejects(poll(moved), { reason: 'reply-other-device' }, `after ${polls} polls`)
      assert.equal(delivered.length, 1)
    }
  })

  it('still reports an unreadable part at each poll', async () => {
    const { poll, held, delivered } = simulate()
    await poll(target)
    await poll(target)
    held.answer = relayGraph({ data: [record(1), record(2), 'unreadable'] })
    for (let turn = 0; turn < 3; turn++) await poll(target)
    assert.deepEqual(
      delivered.map(({ failed }) => failed?.length),
      [0, 1, 1, 1],
    )
  })

  it('gets each new record once when earlier responses are repeated', async () => {
    const { poll, held, delivered } = simulate()
    const [few, more] = [held.answer, relayGraph({ data: [record(1), record(2), record(3)] })]
    for (const answer of [few, few, few, more, few, few, more, more, few, more]) {
      held.answer = answer
      await poll(target)
    }
    const channels = delivered.flatMap(({ content }) =>
      content.kind === 'series' ? content.series.records.map(({ dataId }) => dataId) : [],
    )
    assert.deepEqual(channels, [1, 2, 3])
  })
})
