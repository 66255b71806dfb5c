import type { Timed } from '../limits/judge'
import { findUnmeasured, type Span } from '../readings/coverage'
import type { TimedRecord } from '../readings/series'
import { MAX_POINTS } from './report-bounds'
import type { ChartBreak, ChartPoint } from './report-data'

/** What a chart shows of a channel: a point for each slot of the period that has a value, and where the line breaks. */

const slotOf = ({ from, to }: Span) => (to - from) / MAX_POINTS

/** @param values inside the period, in the order of their times */
export function pointsOf(values: readonly Timed[], period: Span): ChartPoint[] {
  const length = slotOf(period)
  const points: ChartPoint[] = []
  let current = -1
  let count = 0
  for (const { time, value } of values) {
    const slot = Math.floor((time - period.from) / length)
    const point = points.at(-1)
    if (slot === current && point) {
      point.low = Math.min(point.low, value)
      point.high = Math.max(point.high, value)
      point.mean += (value - point.mean) / ++count
      continue
    }
    points.push({ time, low: value, high: value, mean: value })
    current = slot
    count = 1
  }
  return points
}

/** Times without records, and times of records without a value. @param records inside the period */
export function breaksOf(records: readonly TimedRecord[], number: number, period: Span): ChartBreak[] {
  const slot = slotOf(period)
  const times = records.map(({ timestamp }) => timestamp)
  const gaps = (findUnmeasured(times, period) ?? []).filter(({ from, to }) => to - from >= slot)
  const breaks = gaps.map(({ from, to }) => ({ from, to, isError: false }))
  return [...breaks, ...errorsOf(records, number, period)].sort((a, b) => a.from - b.from)
}

/** From the first record without a value to the next one with a value. Two of them in a slot are one. */
function errorsOf(records: readonly TimedRecord[], number: number, period: Span): ChartBreak[] {
  const key = `ch${number}` as const
  const slot = slotOf(period)
  const found: ChartBreak[] = []
  let last: ChartBreak | undefined
  for (const [index, record] of records.entries()) {
    if (typeof record[key] === 'number') continue
    const { timestamp: from } = record
    const to = records[index + 1]?.timestamp ?? period.to
    if (last && from - last.to < slot) last.to = to
    else {
      last = { from, to, isError: true }
      found.push(last)
    }
  }
  return found
}
