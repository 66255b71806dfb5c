import { toMinutes } from '../limits/event'
import { continues, isFurther, judge, type Lane, type Run, SIDES, type Timed } from '../limits/judge'
import type { Span } from '../readings/coverage'
import type { ChannelLimit } from './applied-limits'
import type { Excursion, Outside } from './report-data'

/**
 * Judges a channel over a whole period by the judge of envlog-limits (docs/judging.md, *Values*), so that a report and
 * the alarms agree. The values begin before the period and end after it, as far as their records were requested.
 */
export interface JudgedChannel {
  /** Runs that lasted as long as *For* and overlap the period, by their beginning. */
  excursions: Excursion[]
  /** What is outside at the end, and not as long as *For* as far as is known. */
  outsideAtEnd: Outside[]
  /** Whether earlier, or later, values may change this. */
  needsEarlier: boolean
  needsLater: boolean
}

/** A run, the index of its first value, and that of the value that ended it. */
interface FoundRun {
  run: Run
  first: number
  end: number | undefined
}

/** @param values in the order of their times, of each time one */
export function judgeChannel(values: readonly Timed[], limit: ChannelLimit, period: Span): JudgedChannel {
  const runs = findRuns(values, limit).filter(
    ({ run, end }) => run.from < period.to && timeOf(values[end ?? values.length]) > period.from,
  )
  const toOutside = (found: FoundRun) => describeRun(values, found, limit)
  return {
    excursions: runs
      .filter(({ run }) => run.isAlarm)
      .map((found) => ({ ...toOutside(found), ...toBounds(values, found) })),
    outsideAtEnd: runs.filter(({ run, end }) => !run.isAlarm && end === undefined).map(toOutside),
    needsEarlier: values.length > 0 && decidedAt(values, limit) > period.from,
    needsLater: runs.some(({ end }) => end === undefined),
  }
}

/** Infinite after the last value. */
const timeOf = (value: Timed | undefined) => value?.time ?? Number.POSITIVE_INFINITY

function findRuns(values: readonly Timed[], { shown, convert }: ChannelLimit): FoundRun[] {
  const lane: Lane = { run: undefined }
  const runs: FoundRun[] = []
  for (const [index, { time, value }] of values.entries()) {
    const before = lane.run
    const ended = judge(lane, { time, value: convert(value) }, shown)
    const last = runs.at(-1)
    if (ended && last) last.end = index
    if (lane.run && lane.run !== before) runs.push({ run: lane.run, first: index, end: undefined })
  }
  return runs
}

/**
 * From when on values before these cannot change anything: when the last alarm that may have lasted at their beginning,
 * on either side, would have ended.
 */
function decidedAt(values: readonly Timed[], { shown, convert }: ChannelLimit): number {
  const ends = SIDES.map((side) =>
    timeOf(values.find(({ value }) => !continues(convert(value), side, true, shown))),
  )
  return Math.max(...ends)
}

function describeRun(
  values: readonly Timed[],
  { run: { side, from }, first, end }: FoundRun,
  { shown }: ChannelLimit,
): Outside {
  let { value: extreme } = values[first] as Timed
  for (const { value } of values.slice(first, end)) if (isFurther(value, extreme, side)) extreme = value
  return { limit: shown, side, from, extreme }
}

function toBounds(values: readonly Timed[], { run: { from, at }, first, end }: FoundRun) {
  const until = end === undefined ? at : timeOf(values[end])
  return {
    until,
    isFromKnown: first > 0,
    isUntilKnown: end !== undefined,
    minutes: toMinutes(from, until),
  }
}
