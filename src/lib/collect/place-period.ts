import { type LocalClock, toInstant, toWallClock } from '../../shared/local-clock'
import type { CalendarPeriod } from '../../shared/period-types'
import { readEpoch, readRelative, readTime, type TimeInput } from '../../shared/time-input'
import { readNumber } from '../decode/value'
import { EnvlogError } from '../errors'

/** A period between two bounds, or a calendar period as of a time in ms since 1970 UTC. */
export type Period = Bounds | { calendar: CalendarPeriod; now: number }

/** Each bound is an instant or a local time. */
interface Bounds {
  from: TimeInput
  to: TimeInput
}

/**
 * Reads `-24h`, `-7d`, `-30m`.
 * @param now ms since 1970 UTC
 * @throws EnvlogError `time-unreadable` with the property
 */
export function readRelativeTime(text: string, now: number, property: string): TimeInput {
  const ago = readRelative(text)
  if (ago === null) throw new EnvlogError('time-unreadable', { property })
  return { instant: now - ago }
}

/**
 * Reads a Date, an epoch number (seconds or ms), ISO 8601 text, or a relative time. Text without an offset is wall clock
 * time, for which the caller chooses the clock.
 * @param now ms since 1970 UTC
 * @throws EnvlogError `time-unreadable` with the property
 */
export function readTimeInput(value: unknown, now: number, property: string): TimeInput {
  const ago = typeof value === 'string' ? readRelative(value) : null
  const input = ago === null ? toTimeInput(value) : { instant: now - ago }
  if (!input) throw new EnvlogError('time-unreadable', { property })
  return input
}

function toTimeInput(value: unknown): TimeInput | null {
  if (typeof value === 'string') return readTime(value)
  const number = readNumber(value instanceof Date ? value.getTime() : value)
  if (number === null) return null
  return value instanceof Date ? { instant: number } : readEpoch(number)
}

/** Whether a period depends on the clock for its local times. */
export function isLocal(period: Period): boolean {
  return 'calendar' in period || 'wallClock' in period.from || 'wallClock' in period.to
}

/**
 * Converts both bounds to ms since 1970 UTC.
 * @param clock determines the UTC offset of local times
 * @throws EnvlogError `period-empty` if it does not end after its start
 */
export function placePeriod(period: Period, clock: LocalClock): { from: number; to: number } {
  const { from, to } =
    'calendar' in period ? readCalendar(period.calendar, toWallClock(clock, period.now)) : period
  const place = (input: TimeInput) => ('instant' in input ? input.instant : toInstant(clock, input.wallClock))
  const placed = { from: place(from), to: place(to) }
  if (placed.to <= placed.from) throw new EnvlogError('period-empty')
  return placed
}

/** The bounds of a calendar period. @param now wall clock time now */
function readCalendar(name: CalendarPeriod, now: number): Bounds {
  const date = new Date(now)
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()]
  const monday = day - ((date.getUTCDay() + 6) % 7)
  const between = (from: number, to: number): Bounds => ({ from: { wallClock: from }, to: { wallClock: to } })
  const days = (first: number, end: number) =>
    between(Date.UTC(year, month, first), Date.UTC(year, month, end))
  switch (name) {
    case 'today':
      return days(day, day + 1)
    case 'yesterday':
      return days(day - 1, day)
    case 'this-week':
      return days(monday, monday + 7)
    case 'last-week':
      return days(monday - 7, monday)
    case 'this-month':
      return between(Date.UTC(year, month), Date.UTC(year, month + 1))
    case 'last-month':
      return between(Date.UTC(year, month - 1), Date.UTC(year, month))
  }
}
