import type { Offsets } from '../api/envelopes'
import { EnvlogError } from '../errors'
import { readNumber } from './number'

/** Whether `time` texts are UTC or the device's own clock with its offset; both name the same instant. */
export type TimeStyle = 'utc' | 'local'

/**
 * Minutes a device's clock is ahead of UTC: UTC + time-diff + std-bias, or + dst-bias while a flag says that
 * daylight saving is on. Without a flag dst-bias is never added (field notes, *Local time*, *dst_bias*).
 */
export function utcOffset({ timeDiff, stdBias, dstBias, dstFlag }: Offsets): number {
  return timeDiff + (dstFlag === 1 ? dstBias : stdBias)
}

/** Beyond this a year has more than four digits, or a Date is none. */
const LATEST_MS = Date.UTC(9999, 0)

/**
 * Unix seconds, number or text, as ms since 1970 UTC; blank, absent and 0 are `null`.
 * @throws EnvlogError `reply-unreadable` for anything else; `part` names it
 */
export function readTimestamp(value: unknown, part: () => string): number | null {
  if (value === undefined || value === null) return null
  if (typeof value === 'string' && value.trim() === '') return null
  const seconds = readNumber(value)
  if (seconds === null || Math.abs(seconds) * 1000 > LATEST_MS) {
    throw new EnvlogError('reply-unreadable', { part: part() })
  }
  return Math.round(seconds * 1000) || null
}

/** ISO 8601 with milliseconds, UTC or with the given offset (minutes); `null` stays `null`. */
export function formatTime(timestamp: number | null, style: TimeStyle, offset: number): string | null {
  if (timestamp === null) return null
  if (style === 'utc') return new Date(timestamp).toISOString()
  const local = new Date(timestamp + offset * 60_000).toISOString()
  return local.slice(0, -1) + formatOffset(offset)
}

/** `+09:00`, `-03:30`; whole minutes. */
export function formatOffset(offset: number): string {
  const minutes = Math.abs(Math.round(offset))
  const pad = (part: number) => String(part).padStart(2, '0')
  return `${offset < 0 ? '-' : '+'}${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`
}
