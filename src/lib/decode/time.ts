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

const HOUR_MS = 3_600_000
/** Length of what follows the hour in `2026-11-20T08:00:00.000Z`. */
const SUFFIX_LENGTH = ':00:00.000Z'.length

/** Texts of what follows an hour, by the second, in the zone that was used last: nearly all times are in one zone. */
let suffixes = { zone: '', texts: [] as string[] }

function suffixesOf(zone: string): string[] {
  if (suffixes.zone !== zone) suffixes = { zone, texts: [] }
  return suffixes.texts
}

/**
 * Creates a `formatTime` for many times of one device. It caches the text of the hour, and the texts of what follows
 * an hour, because `toISOString` takes three times as long.
 * @param offset minutes ahead of UTC
 */
export function createTimeFormatter(
  style: TimeStyle,
  offset: number,
): (timestamp: number | null) => string | null {
  const shiftMs = style === 'utc' ? 0 : offset * 60_000
  const zone = style === 'utc' ? 'Z' : formatOffset(offset)
  let cachedHour = Number.NaN
  let hourText = ''
  const texts = suffixesOf(zone)
  const suffixOf = (ms: number) => new Date(ms).toISOString().slice(-SUFFIX_LENGTH, -1) + zone
  return (timestamp) => {
    if (timestamp === null) return null
    const local = timestamp + shiftMs
    const hour = Math.floor(local / HOUR_MS)
    if (hour !== cachedHour) {
      cachedHour = hour
      hourText = new Date(hour * HOUR_MS).toISOString().slice(0, -SUFFIX_LENGTH)
    }
    const ms = local - hour * HOUR_MS
    if (ms % 1000 !== 0) return hourText + suffixOf(ms)
    texts[ms / 1000] ??= suffixOf(ms)
    return hourText + texts[ms / 1000]
  }
}

/** Formats an offset in minutes, rounded to whole ones: `+09:00`, `-03:30`. */
function formatOffset(offset: number): string {
  const minutes = Math.abs(Math.round(offset))
  const pad = (part: number) => String(part).padStart(2, '0')
  return `${offset < 0 ? '-' : '+'}${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`
}
