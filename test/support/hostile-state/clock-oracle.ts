/** Expected deliveries for a device whose clock is changed, computed only from the records and the responses. */
import assert from 'node:assert/strict'
import type { ClockEvent, ClockedRecord, ClockSimulation } from './clock-simulation'

type ClockResponse = Extract<ClockEvent, { kind: 'answered' }>
export type ClockDelivery = Extract<ClockEvent, { kind: 'delivered' }>

export const responsesOf = ({ events }: ClockSimulation) =>
  events.filter((one): one is ClockResponse => one.kind === 'answered')
export const deliveriesOf = ({ events }: ClockSimulation) =>
  events.filter((one): one is ClockDelivery => one.kind === 'delivered')
export const deliveredBy = (simulation: ClockSimulation) =>
  deliveriesOf(simulation).flatMap(({ seqs }) => seqs)

/** Records that time and number do not distinguish from all others: if in doubt, they are sent twice. */
function alikeIn({ log }: ClockSimulation): Set<number> {
  const keyOf = ({ unixtime, id }: ClockedRecord) => `${unixtime}/${id}`
  const counts = new Map<string, number>()
  for (const one of log) counts.set(keyOf(one), (counts.get(keyOf(one)) ?? 0) + 1)
  return new Set(log.flatMap((one) => (counts.get(keyOf(one)) === 1 ? [] : [one.seq])))
}

/**
 * @param hasNumbers if false, records older than the newest 300 are sent again if in doubt
 * @throws if a record is sent twice, a message is out of order, or a failure is not about records quota
 */
export function assertConsistent(simulation: ClockSimulation, hasNumbers: boolean): void {
  const delivered = deliveredBy(simulation)
  const alike = alikeIn(simulation)
  const seen = new Set<number>()
  const twice = delivered.filter((seq) => !alike.has(seq) && (seen.has(seq) || !seen.add(seq)))
  if (hasNumbers) assert.deepEqual(twice, [], 'sent twice')
  for (const { seqs, times, texts, offset } of deliveriesOf(simulation)) {
    assert.ok(seqs.length > 0, 'no message without new records')
    assert.deepEqual(
      times,
      times.toSorted((a, b) => a - b),
      'oldest first',
    )
    assert.deepEqual(
      times,
      seqs.map((seq) => (simulation.log[seq] as ClockedRecord).unixtime * 1000),
      'as measured',
    )
    for (const [index, text] of texts.entries()) assert.equal(Date.parse(text), times[index])
    const zones = new Set(texts.map((text) => text.slice(-6)))
    const zone = offset === 60 ? '+01:00' : '+00:00'
    if (!texts[0]?.endsWith('Z')) assert.deepEqual([...zones], [zone], 'one offset')
  }
  const codes = simulation.events.flatMap((one) => (one.kind === 'failed' ? [one.code] : []))
  assert.deepEqual(
    [...new Set(codes)].filter((code) => code !== 'ENVLOG_QUOTA'),
    [],
  )
}

/** Records from before the node's start, which it does not deliver. */
function excludedAtStart(simulation: ClockSimulation, start: 'all' | 'now'): Set<number> {
  const [first] = responsesOf(simulation)
  if (!first) return new Set()
  const held = new Set(start === 'all' ? first.records.map(({ seq }) => seq) : [])
  return new Set(first.stored.flatMap(({ seq }) => (held.has(seq) ? [] : [seq])))
}

/** Everything that a node must have delivered, in this order, if the device's clock was never set back. */
export function expectedSequence(simulation: ClockSimulation, start: 'all' | 'now'): number[] {
  const before = excludedAtStart(simulation, start)
  return simulation.log.flatMap(({ seq }) => (before.has(seq) ? [] : [seq]))
}

/** Records that must be delivered with any clocks: all that responses have shown to be distinct. */
export function shownBy(simulation: ClockSimulation, start: 'all' | 'now'): Set<number> {
  const before = excludedAtStart(simulation, start)
  const shown = responsesOf(simulation).flatMap(({ records }) => records.map(({ seq }) => seq))
  const alike = alikeIn(simulation)
  return new Set(shown.filter((seq) => !before.has(seq) && !alike.has(seq)))
}
