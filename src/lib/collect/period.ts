import { type LocalClock, toInstant } from '../../shared/local-clock'
import { type Moment, readEpoch, readRelative, readTime } from '../../shared/moment'
import { readNumber } from '../decode/number'
import { EnvlogError } from '../errors'

/** Ends that are instants, or times of some clock. */
export interface Period {
  from: Moment
  to: Moment
}

/**
 * Reads `-24h`, `-7d`, `-30m`.
 * @param now ms since 1970 UTC
 * @throws EnvlogError `time-unreadable` naming the property
 */
export function relativeMoment(text: string, now: number, property: string): Moment {
  const ago = readRelative(text)
  if (ago === null) throw new EnvlogError('time-unreadable', { property })
  return { instant: now - ago }
}

/**
 * Reads a Date, an epoch number (seconds or ms) or ISO 8601 text. Text without an offset is wall clock time; the caller
 * decides of which clock.
 * @throws EnvlogError `time-unreadable` naming the property
 */
export function readMoment(value: unknown, property: string): Moment {
  const moment = toMoment(value instanceof Date ? value.getTime() : value, value instanceof Date)
  if (!moment) throw new EnvlogError('time-unreadable', { property })
  return moment
}

function toMoment(value: unknown, isDate: boolean): Moment | null {
  if (typeof value === 'string') return readTime(value)
  const number = readNumber(value)
  if (number === null) return null
  return isDate ? { instant: number } : readEpoch(number)
}

export function isWallClock(moment: Moment): boolean {
  return 'wallClock' in moment
}

/**
 * Both ends in ms since 1970 UTC.
 * @param clock what shows its local times
 * @throws EnvlogError `period-empty` where it does not end after it begins
 */
export function placePeriod({ from, to }: Period, clock: LocalClock): { from: number; to: number } {
  const place = (moment: Moment) =>
    'instant' in moment ? moment.instant : toInstant(clock, moment.wallClock)
  const placed = { from: place(from), to: place(to) }
  if (placed.to <= placed.from) throw new EnvlogError('period-empty')
  return placed
}
