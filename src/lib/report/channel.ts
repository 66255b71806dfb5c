import { MINUTE_MS } from '../../shared/local-clock'
import { nextTurn } from '../clock'
import { toMinutes } from '../limits/event'
import type { Timed } from '../limits/judge'
import { Coverage, findUnmeasured, type Span, type Unmeasured } from '../readings/coverage'
import { countDecimals } from '../readings/decimals'
import { Figures } from '../readings/figures'
import type { TimedRecord } from '../readings/series'
import type { ChannelLimit } from './applied-limits'
import { breaksOf, pointsOf } from './chart-points'
import { judgeChannel } from './excursions'
import { MAX_EXCURSIONS, MAX_GAPS } from './report-bounds'
import type { Excursion, Outside, ReportedChannel, ReportHead } from './report-data'

type About = Pick<ReportedChannel, 'number' | 'name' | 'unit' | 'quantity'>

const MAX_DECIMALS = 2

/** The values of a channel, of each time one. */
export function valuesOf(records: readonly TimedRecord[], number: number): Timed[] {
  const key = `ch${number}` as const
  const values: Timed[] = []
  for (const { timestamp: time, [key]: value } of records)
    if (typeof value === 'number' && values.at(-1)?.time !== time) values.push({ time, value })
  return values
}

/** By what a channel is described. */
export interface ChannelContext extends Pick<ReportHead, 'coverage' | 'gap'> {
  period: Span
  limits: readonly ChannelLimit[]
  /** Whether the service no longer has all records of the period. */
  isLost: boolean
}

/**
 * Describes a channel in a period.
 * @param records in the order of their times, also some before and after the period
 */
export async function describeChannel(
  about: About,
  records: readonly TimedRecord[],
  { period, limits, coverage: least, gap, isLost }: ChannelContext,
): Promise<ReportedChannel> {
  const isInside = (time: number) => time >= period.from && time < period.to
  const all = valuesOf(records, about.number)
  const values = all.filter(({ time }) => isInside(time))
  const inside = records.filter(({ timestamp }) => isInside(timestamp))
  await nextTurn()
  const { count, min, max, mean, mkt } = figuresOf(about, values)
  await nextTurn()
  const judged = await judge(all, limits, period)
  const times = values.map(({ time }) => time)
  const known = findUnmeasured(times, period)
  const coverage = new Coverage(known).of(period)
  // If it is not known how long a step usually is, none is known to be short.
  const gaps: readonly Span[] = known ?? stepsOf(times, period)
  const long = gaps.filter(({ from, to }) => to - from > gap * MINUTE_MS)
  const isIncomplete = isLost || long.length > 0 || (coverage !== null && coverage < least)
  return {
    ...about,
    decimals: decimalsOf(values.map(({ value }) => value)),
    limits: limits.map(({ shown }) => shown),
    state: count === 0 ? 'no-value' : isIncomplete ? 'incomplete' : 'complete',
    count,
    expected: known && count > 0 ? count + missingIn(known, period) : null,
    ...errorsOf(inside, about.number),
    ...{ min, max, mean, coverage },
    mkt: mean !== null && mean > (about.unit === '°F' ? 32 : 0) ? mkt : null,
    longestGap: longestOf(gaps),
    gaps: long.slice(0, MAX_GAPS),
    gapsLeftOut: Math.max(0, long.length - MAX_GAPS),
    ...judged,
    chart: { points: pointsOf(values, period), breaks: breaksOf(inside, about.number, period) },
  }
}

function figuresOf(about: About, values: readonly Timed[]) {
  const figures = new Figures(about)
  for (const { value, time } of values) figures.add(value, time)
  return figures.result()
}

/** Most decimals of values. */
export function decimalsOf(values: readonly number[]): number {
  let decimals = 0
  for (const value of values) decimals = countDecimals(value, decimals, MAX_DECIMALS)
  return decimals
}

async function judge(values: readonly Timed[], limits: readonly ChannelLimit[], period: Span) {
  const excursions: Excursion[] = []
  const outsideAtEnd: Outside[] = []
  for (const limit of limits) {
    const found = judgeChannel(values, limit, period)
    excursions.push(...found.excursions)
    outsideAtEnd.push(...found.outsideAtEnd)
    await nextTurn()
  }
  excursions.sort((a, b) => a.from - b.from)
  const leftOut = Math.max(0, excursions.length - MAX_EXCURSIONS)
  const excursionMinutes = excursions.reduce(
    (sum, { from, until }) => sum + toMinutes(Math.max(from, period.from), Math.min(until, period.to)),
    0,
  )
  return { excursions: excursions.slice(0, MAX_EXCURSIONS), leftOut, excursionMinutes, outsideAtEnd }
}

/** The times from the beginning to the first value, between values, and from the last one to the end. */
function stepsOf(times: readonly number[], { from, to }: Span): Span[] {
  const bounds = [from, ...times, to]
  return bounds.slice(1).map((end, index) => ({ from: bounds[index] as number, to: end }))
}

/** How many values would fit into gaps: those at the end of the period lack one more than their steps say. */
function missingIn(gaps: readonly Unmeasured[], { from: begin }: Span): number {
  const missing = gaps.map(({ from, to, step }) => Math.round((to - from) / step) - (from === begin ? 0 : 1))
  return missing.reduce((sum, count) => sum + count, 0)
}

function longestOf(gaps: readonly Span[]): Span | null {
  let longest: Span | null = null
  for (const { from, to } of gaps)
    if (!longest || to - from > longest.to - longest.from) longest = { from, to }
  return longest
}

function errorsOf(records: readonly TimedRecord[], number: number) {
  const key = `ch${number}` as const
  const failed = records.filter((record) => typeof record[key] !== 'number')
  return { errors: failed.length, errorText: failed[0]?.errors?.[key] ?? '' }
}
