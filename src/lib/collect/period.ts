import { epochMoment, type Moment, readRelative, readTime } from '../../shared/moment'
import { EnvlogError } from '../errors'
import { readNumber } from '../readings/number'

export interface Period {
  from: Moment
  to: Moment
}

/** `-24h`, `-7d`, `-30m` before now. @throws EnvlogError `time-unreadable` */
export function relativeMoment(text: string, now: number, property: string): Moment {
  const ago = readRelative(text)
  if (ago === null) throw new EnvlogError('time-unreadable', { property })
  return { instant: now - ago }
}

/**
 * A Date, an epoch number (seconds or milliseconds) or ISO text. Text without an offset is a wall clock: the
 * caller says whose. @throws EnvlogError `time-unreadable` naming the property
 */
export function readMoment(value: unknown, property: string): Moment {
  const moment = momentOf(value instanceof Date ? value.getTime() : value, value instanceof Date)
  if (!moment) throw new EnvlogError('time-unreadable', { property })
  return moment
}

function momentOf(value: unknown, isDate: boolean): Moment | null {
  if (typeof value === 'string') return readTime(value)
  const number = readNumber(value)
  if (number === null) return null
  return isDate ? { instant: number } : epochMoment(number)
}

export function isWallClock(moment: Moment): boolean {
  return 'wallClock' in moment
}

/** Both ends in ms since 1970 UTC for a clock that many minutes ahead. @throws EnvlogError `period-empty` */
export function placePeriod({ from, to }: Period, offset: number): { from: number; to: number } {
  const place = (moment: Moment) =>
    'instant' in moment ? moment.instant : moment.wallClock - offset * 60_000
  const placed = { from: place(from), to: place(to) }
  if (placed.to <= placed.from) throw new EnvlogError('period-empty')
  return placed
}
