import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import type { LimitEvent } from '../../../../src/lib/limits/event'
import { runs } from '../../../support/chance'
import { createVirtualClock } from '../../../support/clock'
import { AT_8, Monitoring, readingOf, seriesOf } from '../../../support/limits/monitoring'
import {
  findAlarms,
  findRuns,
  type OracleAlarm,
  type OracleLimit,
  type OracleValue,
} from '../../../support/limits/oracle'
import { type Story, stories } from '../../../support/limits/stories'

const ONLY_LIMITS = {
  errorAfterMs: Number.POSITIVE_INFINITY,
  silentAfterMs: Number.POSITIVE_INFINITY,
  battery: false,
}

const nameOf = (index: number) => `limit ${index}`

interface Told {
  event: LimitEvent
  /** How many messages had arrived. */
  count: number
}

/** Sends the first messages of a story. */
function play({ limits, times, values, messages }: Story, end: number) {
  const now = AT_8 + Math.max(...times)
  const rows = limits.map((limit, index) => ({ ...limit, name: nameOf(index) }))
  const node = new Monitoring(rows, ONLY_LIMITS, createVirtualClock(1000.25, now))
  const told: Told[] = []
  for (const [index, { kind, places, after }] of messages.slice(0, end).entries()) {
    const records = places.map((place) => [AT_8 + (times[place] as number), values[place] ?? null] as const)
    const [first] = records
    const events = node.receive(kind === 'current' && first ? readingOf(...first) : seriesOf(records))
    if (after === 'restart') node.restart()
    // An extreme may be saved a moment later.
    if (after === 'kill') events.push(...node.wait(1))
    if (after === 'kill') node.kill()
    told.push(...events.map((event) => ({ event, count: index + 1 })))
  }
  return { node, told, end }
}

/** The values that have arrived with the first messages. */
function measuredIn({ times, values, messages }: Story, end: number): OracleValue[] {
  const arrived = new Set(messages.slice(0, end).flatMap(({ places }) => places))
  return values.flatMap((value, place) =>
    typeof value === 'number' && arrived.has(place) ? [{ time: AT_8 + (times[place] as number), value }] : [],
  )
}

const toMs = (text: string | null) => (text === null ? null : Date.parse(text))

const toAlarm = ({ from, until, condition, extreme }: LimitEvent) =>
  ({ from: toMs(from), until: toMs(until), condition, extreme }) as OracleAlarm

/** The beginning that the id of an alarm contains. */
const beginningIn = (id: string) => Date.parse(id.slice(id.lastIndexOf('/') + 1))

const isWithin = (time: number, { from, until }: OracleAlarm) =>
  time >= from && (until === null || time < until)

/** All events about one alarm. */
function checkHistory(id: string, events: readonly LimitEvent[]): void {
  const lines = events.map((event) => [event.state, ...Object.values(toAlarm(event))].join(' '))
  for (const [index, event] of events.entries()) {
    // What changed may change back.
    assert.notEqual(lines[index], lines[index - 1], `told twice: ${id}: ${lines.join(', ')}`)
    const { state, late, revised } = event
    const { from, until } = toAlarm(event)
    const before = events[index - 1]?.state
    if (state === 'normal') assert.equal(before, 'alarm', `normal without alarm: ${id}`)
    if (state === 'ended' && before) assert.ok(late && revised, `ended again, but not revised: ${id}`)
    if (revised) assert.ok(before && state === 'ended', `revised, but not told before: ${id}`)
    assert.ok(until === null || until >= from, `ends before it begins: ${id}`)
    assert.ok(isWithin(beginningIn(id), toAlarm(event)), `stands for another run: ${id}: ${lines.join(', ')}`)
  }
}

/**
 * Whether an event takes back what was told: what had arrived by then was too short to be an alarm, and still is, or has
 * become part of another one.
 */
function isPutRight({ event, count }: Told, story: Story, limit: OracleLimit, end: number): boolean {
  if (!event.revised) return false
  const { from, until } = toAlarm(event)
  const find = (messages: number) =>
    findRuns(measuredIn(story, messages), limit).find((run) => run.from === from && run.until === until)
  return find(count)?.isAlarm === false && !find(end)?.isAlarm
}

/** The alarms of a limit by the last event about each, or by what is reported of it if it lasts. */
function toldAlarms(
  { node, told, end }: ReturnType<typeof play>,
  name: string,
  story: Story,
  limit: OracleLimit,
) {
  const byId = new Map<string, Told[]>()
  for (const each of told)
    if (each.event.limit === name)
      byId.set(`${each.event.id}`, [...(byId.get(`${each.event.id}`) ?? []), each])
  const reminders = node.monitor.alarms.alarms().filter(({ event }) => event.limit === name)
  const lasting = new Map(reminders.map(({ event }) => [`${event.id}`, event]))
  const alarms: OracleAlarm[] = []
  for (const [id, history] of byId) {
    const events = history.map(({ event }) => event)
    checkHistory(id, events)
    const last = history.at(-1) as Told
    const { state } = last.event
    assert.equal(lasting.has(id), state === 'alarm', `last event ${state}, but alarms() differs: ${id}`)
    if (!isPutRight(last, story, limit, end)) alarms.push(toAlarm(lasting.get(id) ?? last.event))
  }
  for (const id of lasting.keys()) assert.ok(byId.has(id), `in alarms(), but not told: ${id}`)
  return alarms.sort((a, b) => a.from - b.from)
}

/** Compares what was told after so many messages with a scan of the values that have arrived. */
function check(story: Story, end: number): void {
  const played = play(story, end)
  // At most 100 are sent at a time.
  fc.pre(played.told.every(({ event }) => event.leftOut === undefined))
  const isKilled = story.messages.slice(0, end).some(({ after }) => after === 'kill')
  for (const [index, limit] of story.limits.entries()) {
    const told = toldAlarms(played, nameOf(index), story, limit)
    const alarms = findAlarms(measuredIn(story, end), limit)
    const withoutExtremes = (all: readonly OracleAlarm[]) => all.map(({ extreme: _, ...alarm }) => alarm)
    assert.deepEqual(withoutExtremes(told), withoutExtremes(alarms), JSON.stringify(limit))
    const tolerance = isKilled ? Math.max(1, limit.margin) : 0
    for (const [at, { extreme }] of alarms.entries()) {
      const known = told[at]?.extreme ?? Number.NaN
      assert.ok(Math.abs(known - extreme) <= tolerance, `extreme ${known}, not ${extreme}`)
    }
  }
}

describe('judging values in any order', function () {
  // Ten seconds, but this is one of three processes on perhaps two cores.
  this.timeout(120_000)

  it('agrees with a scan of the whole series when all values have arrived', () => {
    fc.assert(
      fc.property(stories, (story) => check(story, story.messages.length)),
      { numRuns: runs(20_000) },
    )
  })

  it('agrees with a scan of what has arrived, while holes are empty', () => {
    fc.assert(
      fc.property(stories, fc.nat(100), (story, count) => check(story, 1 + (count % story.messages.length))),
      { numRuns: runs(20_000) },
    )
  })
})
