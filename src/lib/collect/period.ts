import { RELATIVE } from '../../shared/action'
import { EnvlogError } from '../errors'
import { readNumber } from '../readings/number'

/** An instant, or a date and clock time that become one by a device's offset. */
export type Moment = { instant: number } | { wallClock: number }

export interface Period {
  from: Moment
  to: Moment
}

const UNIT_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const
const ISO = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(:\d{2}(?:\.\d{1,3})?)?)?(Z|[+-]\d{2}:?\d{2})?$/i
/** Numbers below are seconds, others milliseconds (nodes.md, envlog-range). */
const SECONDS_BELOW = 1e11

/** `-24h`, `-7d`, `-30m` before now. @throws EnvlogError `time-unreadable` */
export function relativeMoment(text: string, now: number, property: string): Moment {
  const [, count, unit] = RELATIVE.exec(text.trim()) ?? []
  const unreadable = new EnvlogError('time-unreadable', { property })
  if (count === undefined) throw unreadable
  return checked({ instant: now - Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS] }, unreadable)
}

/**
 * A Date, an epoch number (seconds or milliseconds) or ISO text. Text without an offset is a wall clock: the
 * caller says whose. @throws EnvlogError `time-unreadable` naming the property
 */
export function readMoment(value: unknown, property: string): Moment {
  const unreadable = new EnvlogError('time-unreadable', { property })
  if (value instanceof Date) return checked({ instant: value.getTime() }, unreadable)
  // Digits of a date are no epoch number.
  if (typeof value === 'string' && /^(\d{4}|\d{6}|\d{8})$/.test(value.trim())) throw unreadable
  const number = readNumber(value)
  if (number !== null) {
    return checked({ instant: Math.abs(number) < SECONDS_BELOW ? number * 1000 : number }, unreadable)
  }
  const match = typeof value === 'string' ? ISO.exec(value.trim()) : null
  if (!match || !isDate(match[1] ?? '')) throw unreadable
  const [, date, clock = '00:00', seconds = ':00', offset] = match
  const instant = Date.parse(`${date}T${clock}${seconds}${offset ? isoOffset(offset) : 'Z'}`)
  return checked(offset ? { instant } : { wallClock: instant }, unreadable)
}

/** Date.parse takes the 30th of February for the 2nd of March. */
function isDate(date: string): boolean {
  return new Date(`${date}T00:00Z`).toJSON()?.startsWith(date) ?? false
}

function isoOffset(offset: string): string {
  return /^z$/i.test(offset) ? 'Z' : offset.replace(/^(.\d\d):?(\d\d)$/, '$1:$2')
}

function checked(moment: Moment, unreadable: EnvlogError): Moment {
  const value = 'instant' in moment ? moment.instant : moment.wallClock
  if (!Number.isFinite(value) || Math.abs(value) > 8.64e15) throw unreadable
  return moment
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
