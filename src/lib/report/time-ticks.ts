import {
  DAY_MS,
  dateOf,
  HOUR_MS,
  type LocalClock,
  MINUTE_MS,
  toInstant,
  toWallClock,
} from '../../shared/local-clock'
import type { Span } from '../readings/coverage'

/** A text below a chart, or a line in it. */
export interface Tick {
  /** ms since 1970 UTC */
  at: number
  text: string
  /** Whether a line goes through the chart, as at midnight. */
  isLine: boolean
}

/** Steps of the times of day below charts of at most so many hours. */
const STEPS = [
  { hours: 3, step: 15 * MINUTE_MS },
  { hours: 12, step: HOUR_MS },
  { hours: 37, step: 3 * HOUR_MS },
]
/** The days with a text below charts of at most so many days. */
const DAYS: { most: number; isShown(date: number): boolean; style: Intl.DateTimeFormatOptions }[] = [
  { most: 10, isShown: () => true, style: { weekday: 'short', day: 'numeric' } },
  { most: 92, isShown: (date) => date === 1 || (date % 5 === 0 && date < 30), style: { day: 'numeric' } },
  {
    most: Number.POSITIVE_INFINITY,
    isShown: (date) => date === 1,
    style: { year: 'numeric', month: 'short' },
  },
]

/** The texts below a chart, by local time, also on a day of 23 or 25 hours. */
export function timeTicks(span: Span, clock: LocalClock, language: string): Tick[] {
  const hours = (span.to - span.from) / HOUR_MS
  const step = STEPS.find((row) => hours <= row.hours)?.step
  return step ? ticksOfHours(span, clock, step) : ticksOfDays(span, clock, language)
}

function ticksOfHours({ from, to }: Span, clock: LocalClock, step: number): Tick[] {
  const ticks: Tick[] = []
  // Clocks differ from UTC by multiples of a quarter of an hour.
  const quarter = 15 * MINUTE_MS
  for (let at = Math.ceil(from / quarter) * quarter; at <= to; at += quarter) {
    const local = toWallClock(clock, at)
    if (local % step !== 0) continue
    const time = new Date(local).toISOString().slice(11, 16)
    const hour = Number(time.slice(0, 2))
    const text = at === to && hour === 0 ? '24' : `${hour}`
    const shown = step < HOUR_MS ? time : text
    // An hour may occur twice.
    if (ticks.at(-1)?.text !== shown) ticks.push({ at, text: shown, isLine: local % (2 * step) === 0 })
  }
  return ticks
}

/** A text in the middle of a day, and a line where it begins. */
function ticksOfDays({ from, to }: Span, clock: LocalClock, language: string): Tick[] {
  const [first, last] = [from, to - 1].map((at) => Date.parse(dateOf(clock, at))) as [number, number]
  const days = (last - first) / DAY_MS + 1
  const shown = DAYS.find(({ most }) => days <= most)
  const format = new Intl.DateTimeFormat(language, { timeZone: 'UTC', ...shown?.style })
  const ticks: Tick[] = []
  for (let day = first; day <= last; day += DAY_MS) {
    if (!shown?.isShown(new Date(day).getUTCDate())) continue
    const midnight = toInstant(clock, day)
    ticks.push({ at: midnight, text: '', isLine: true })
    ticks.push({ at: midnight + DAY_MS / 2, text: format.format(day), isLine: false })
  }
  return ticks.filter(({ at }) => at > from && at < to)
}
