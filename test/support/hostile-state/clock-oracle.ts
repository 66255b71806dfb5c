/** Expected deliveries of a device whose clock is changed, computed only from the records and the answers. */
import assert from 'node:assert/strict'
import {
  type ClockEvent,
  type ClockedRecord,
  type ClockProfile,
  type ClockSimulation,
  HOUR_SECONDS,
} from './clock-simulation'

type ClockAnswer = Extract<ClockEvent, { kind: 'answered' }>
export type ClockDelivery = Extract<ClockEvent, { kind: 'delivered' }>

export const answersOf = ({ events }: ClockSimulation) =>
  events.filter((one): one is ClockAnswer => one.kind === 'answered')
export const deliveriesOf = ({ events }: ClockSimulation) =>
  events.filter((one): one is ClockDelivery => one.kind === 'delivered')
export const deliveredBy = (simulation: ClockSimulation) =>
  deliveriesOf(simulation).flatMap(({ seqs }) => seqs)
export const warningsOf = ({ events }: ClockSimulation) => events.filter(({ kind }) => kind === 'warned')

/** @throws if a record is sent twice, a message is not in order, or a failure is not about records quota */
export function assertConsistent(simulation: ClockSimulation): void {
  const delivered = deliveredBy(simulation)
  const twice = delivered.filter((seq, index) => delivered.indexOf(seq) !== index)
  assert.deepEqual(twice, [], 'came twice')
  for (const { seqs, times, texts, offset } of deliveriesOf(simulation)) {
    assert.ok(seqs.length > 0, 'nothing new sends nothing')
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

/** Records from before the start of the node that it does not deliver. */
function excludedAtStart(simulation: ClockSimulation, start: 'held' | 'now'): Set<number> {
  const [first] = answersOf(simulation)
  if (!first) return new Set()
  const held = new Set(start === 'held' ? first.records.map(({ seq }) => seq) : [])
  return new Set(simulation.log.slice(0, first.measured).flatMap(({ seq }) => (held.has(seq) ? [] : [seq])))
}

/** All that a node must have brought where the device's clock was never set back: in this order. */
export function expectedSequence(simulation: ClockSimulation, start: 'held' | 'now'): number[] {
  const before = excludedAtStart(simulation, start)
  return simulation.log.flatMap(({ seq }) => (before.has(seq) ? [] : [seq]))
}

/**
 * Records that must be delivered with any clocks: those later than all that were measured before them, and, with ids,
 * those that an answer shows between earlier ones.
 */
export function requiredOf(
  simulation: ClockSimulation,
  profile: ClockProfile,
  start: 'held' | 'now',
): Set<number> {
  const answers = answersOf(simulation)
  const before = excludedAtStart(simulation, start)
  const required = new Set<number>()
  let highest = Number.NEGATIVE_INFINITY
  let highestAhead = Number.NEGATIVE_INFINITY
  const shadowed = new Set<number>()
  const isWithin = (answer: ClockAnswer, { seq, unixtime }: ClockedRecord) =>
    answer.records.some((one) => !shadowed.has(one.seq) && one.seq < seq && one.unixtime < unixtime)
  /** It was set back further than the answer reaches, or there are no ids: nothing is sent then. */
  const isStopped = (answer: ClockAnswer) => {
    const set = answer.records.filter(({ seq }) => shadowed.has(seq))
    return !set.every((one) => profile.ids === 'counted' && isWithin(answer, one))
  }
  /** It was not set back again before the earlier records have left the answer. */
  const isOnce = (answer: ClockAnswer) => {
    const set = answer.records.flatMap(({ seq }) => (shadowed.has(seq) ? [seq] : []))
    return Math.max(...set) - Math.min(...set) + 1 === set.length
  }
  const isShown = (seq: number) =>
    answers.some((answer) => answer.records.some((one) => one.seq === seq) && !isStopped(answer))
  /** In an answer, or in a gap before one. */
  const isFound = (seq: number, unixtime: number, answer: ClockAnswer) =>
    isShown(seq) ||
    (!isStopped(answer) &&
      unixtime > highestAhead &&
      (profile.newestBy === 'time' ||
        simulation.log.slice(seq + 1, answer.measured).every((one) => one.unixtime > unixtime)))
  const isAheadOf = (unixtime: number, answer: ClockAnswer | undefined) =>
    answer !== undefined && unixtime > answer.at + HOUR_SECONDS
  const answerOf = (seq: number) => answers.find(({ measured }) => measured > seq)
  for (const { seq, unixtime } of simulation.log) {
    if (unixtime <= highest) shadowed.add(seq)
    if (!isAheadOf(unixtime, answerOf(seq))) highest = Math.max(highest, unixtime)
  }
  for (const { seq, unixtime } of simulation.log) {
    const answer = answerOf(seq)
    const isWanted = answer && !before.has(seq) && !shadowed.has(seq)
    if (isWanted && isFound(seq, unixtime, answer)) required.add(seq)
    if (isAheadOf(unixtime, answer)) highestAhead = Math.max(highestAhead, unixtime)
  }
  if (profile.ids !== 'counted') return required
  for (const answer of answers) {
    if (isStopped(answer)) continue
    // What was hidden when it stopped is known when it has caught up.
    const set = answer.records.filter(({ seq }) => shadowed.has(seq) && answerOf(seq) === answer)
    if (isOnce(answer)) for (const { seq } of set) if (!before.has(seq)) required.add(seq)
  }
  return required
}
