import { EnvlogError } from '../errors'
import { readNumber } from './number'

/** Whether `time` texts are in UTC or in the device's local time with its offset. Both name the same instant. */
export type TimeStyle = 'utc' | 'local'

/** In minutes. `dstFlag` is `null` where the answer has none. */
export interface Offsets {
  timeDiff: number
  stdBias: number
  dstBias: number
  dstFlag: number | null
}

/**
 * How many minutes a device's local time is ahead of UTC: time-diff + std-bias, or time-diff + dst-bias while the flag
 * says that daylight saving is on. Without a flag dst-bias is never added (docs/service.md, *Fields*).
 */
export function toUtcOffset({ timeDiff, stdBias, dstBias, dstFlag }: Offsets): number {
  return timeDiff + (dstFlag === 1 ? dstBias : stdBias)
}

/** Bound of timestamps either way, in ms since 1970 UTC: beyond it a year has more than four digits. */
export const MAX_TIMESTAMP_MS = Date.UTC(9999, 0)

/**
 * Reads Unix seconds, as number or as text, as ms since 1970 UTC; blank, absent and 0 are `null`.
 * @param part names the part of the answer in the error; called only for an error
 * @throws EnvlogError `reply-unreadable` for anything else
 */
export function readTimestamp(value: unknown, part: () => string): number | null {
  if (value === undefined || value === null) return null
  if (typeof value === 'string' && value.trim() === '') return null
  const seconds = readNumber(value)
  if (seconds === null || Math.abs(seconds) * 1000 > MAX_TIMESTAMP_MS) {
    throw new EnvlogError('reply-unreadable', { part: part() })
  }
  return Math.round(seconds * 1000) || null
}

/**
 * Formats a time as ISO 8601 with milliseconds; `null` stays `null`.
 * @param timestamp ms since 1970 UTC
 * @param offset minutes ahead of UTC
 */
export function formatTime(timestamp: number | null, style: TimeStyle, offset: number): string | null {
  return createTimeFormatter(style, offset)(timestamp)
}

const A_DAY_MS = 86_400_000
const TWO_DIGITS = Array.from({ length: 60 }, (_, index) => String(index).padStart(2, '0'))

/** Returns a `formatTime` for many times of one device: with `toISOString` for each, they would be half the time of a page. */
export function createTimeFormatter(
  style: TimeStyle,
  offset: number,
): (timestamp: number | null) => string | null {
  const [shiftMs, zone] = style === 'utc' ? [0, 'Z'] : [offset * 60_000, formatOffset(offset)]
  let day = Number.NaN
  let date = ''
  return (timestamp) => {
    if (timestamp === null) return null
    const shifted = timestamp + shiftMs
    if (Math.floor(shifted / A_DAY_MS) !== day) {
      day = Math.floor(shifted / A_DAY_MS)
      date = new Date(day * A_DAY_MS).toISOString().slice(0, 11)
    }
    const ms = shifted - day * A_DAY_MS
    const seconds = Math.floor(ms / 1000)
    const minutes = Math.floor(seconds / 60)
    const rest = ms % 1000 === 0 ? '000' : String(Math.floor(ms % 1000)).padStart(3, '0')
    const clock = `${TWO_DIGITS[Math.floor(minutes / 60)]}:${TWO_DIGITS[minutes % 60]}:${TWO_DIGITS[seconds % 60]}`
    return `${date}${clock}.${rest}${zone}`
  }
}

/** Formats an offset in minutes, rounded to whole ones: `+09:00`, `-03:30`. */
function formatOffset(offset: number): string {
  const minutes = Math.abs(Math.round(offset))
  const pad = (part: number) => String(part).padStart(2, '0')
  return `${offset < 0 ? '-' : '+'}${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`
}
