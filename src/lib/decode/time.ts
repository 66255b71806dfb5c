import { EnvlogError } from '../errors'
import type { Offsets } from './fields'
import { readNumber } from './number'

/** Whether `time` texts are UTC or the device's own clock with its offset; both name the same instant. */
export type TimeStyle = 'utc' | 'local'

/**
 * Minutes a device's clock is ahead of UTC: UTC + time-diff + std-bias, or + dst-bias while a flag says that
 * daylight saving is on. Without a flag dst-bias is never added (docs/service.md, *Fields*).
 */
export function utcOffset({ timeDiff, stdBias, dstBias, dstFlag }: Offsets): number {
  return timeDiff + (dstFlag === 1 ? dstBias : stdBias)
}

/** Beyond this a year has more than four digits, or a Date is none. */
export const MAX_TIMESTAMP_MS = Date.UTC(9999, 0)

/**
 * Unix seconds, number or text, as ms since 1970 UTC; blank, absent and 0 are `null`.
 * @throws EnvlogError `reply-unreadable` for anything else; `part` names it
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

/** ISO 8601 with milliseconds, UTC or with the given offset (minutes); `null` stays `null`. */
export function formatTime(timestamp: number | null, style: TimeStyle, offset: number): string | null {
  return createTimeFormatter(style, offset)(timestamp)
}

const HOUR_MS = 3_600_000
/** What follows the hour in `2026-11-20T08:00:00.000Z`. */
const REST = ':00:00.000Z'.length

/**
 * The same for many times of one device: the texts of the hour, and of what follows it, are kept, because
 * `toISOString` takes three times as long.
 */
export function createTimeFormatter(
  style: TimeStyle,
  offset: number,
): (timestamp: number | null) => string | null {
  const shift = style === 'utc' ? 0 : offset * 60_000
  const zone = style === 'utc' ? 'Z' : formatOffset(offset)
  let hour = Number.NaN
  let hourText = ''
  const rests = new Map<number, string>()
  return (timestamp) => {
    if (timestamp === null) return null
    const local = timestamp + shift
    const itsHour = Math.floor(local / HOUR_MS)
    if (itsHour !== hour) {
      hour = itsHour
      hourText = new Date(itsHour * HOUR_MS).toISOString().slice(0, -REST)
    }
    const ms = local - itsHour * HOUR_MS
    let rest = rests.get(ms)
    if (rest === undefined) {
      rest = new Date(ms).toISOString().slice(-REST, -1) + zone
      rests.set(ms, rest)
    }
    return hourText + rest
  }
}

/** `+09:00`, `-03:30`; whole minutes. */
export function formatOffset(offset: number): string {
  const minutes = Math.abs(Math.round(offset))
  const pad = (part: number) => String(part).padStart(2, '0')
  return `${offset < 0 ? '-' : '+'}${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`
}
