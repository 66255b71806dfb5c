import { formatOffset, TimeZone } from '../../shared/local-clock'
import { EnvlogError } from '../errors'
import { readNumber } from './number'

/**
 * Whether `time` texts are in UTC, in the device's local time with its offset, or in the local time of a zone. All name
 * the same instant.
 */
export type TimeStyle = 'utc' | 'local' | TimeZone

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
 * `null` where the offsets cannot be read.
 */
export function toUtcOffset(offsets: Offsets): number
export function toUtcOffset(offsets: Offsets | null): number | null
export function toUtcOffset(offsets: Offsets | null): number | null {
  if (!offsets) return null
  const { timeDiff, stdBias, dstBias, dstFlag } = offsets
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
 * Minutes ahead of UTC that go with a time: those of the device, or of the zone at that time; `null` if they are not known.
 * @param timestamp ms since 1970 UTC
 */
export function utcOffsetAt(
  timestamp: number | null,
  style: TimeStyle,
  deviceOffset: number | null,
): number | null {
  if (!(style instanceof TimeZone)) return deviceOffset
  return timestamp === null ? null : style.offsetAt(timestamp)
}

/**
 * Formats a time as ISO 8601 with milliseconds; `null` stays `null`.
 * @param timestamp ms since 1970 UTC
 * @param deviceOffset minutes that the device is ahead of UTC; `null` if that is not known: its local times are UTC then
 */
export function formatTime(
  timestamp: number | null,
  style: TimeStyle,
  deviceOffset: number | null,
): string | null {
  return createTimeFormatter(style, deviceOffset)(timestamp)
}

const A_DAY_MS = 86_400_000
const TWO_DIGITS = Array.from({ length: 60 }, (_, index) => String(index).padStart(2, '0'))

/** Returns a `formatTime` for many times of one device: with `toISOString` for each, they would be half the time of a page. */
export function createTimeFormatter(
  style: TimeStyle,
  deviceOffset: number | null,
): (timestamp: number | null) => string | null {
  const zone = style instanceof TimeZone ? style : undefined
  const isUtc = style === 'utc' || (style === 'local' && deviceOffset === null)
  let offset = style === 'local' ? (deviceOffset ?? 0) : 0
  let ending = isUtc ? 'Z' : formatOffset(offset)
  let day = Number.NaN
  let date = ''
  return (timestamp) => {
    if (timestamp === null) return null
    const zoneOffset = zone?.offsetAt(timestamp) ?? offset
    if (zoneOffset !== offset) {
      offset = zoneOffset
      ending = formatOffset(offset)
    }
    const shifted = timestamp + offset * 60_000
    if (Math.floor(shifted / A_DAY_MS) !== day) {
      day = Math.floor(shifted / A_DAY_MS)
      date = new Date(day * A_DAY_MS).toISOString().slice(0, 11)
    }
    const ms = shifted - day * A_DAY_MS
    const seconds = Math.floor(ms / 1000)
    const minutes = Math.floor(seconds / 60)
    const rest = ms % 1000 === 0 ? '000' : String(Math.floor(ms % 1000)).padStart(3, '0')
    const clock = `${TWO_DIGITS[Math.floor(minutes / 60)]}:${TWO_DIGITS[minutes % 60]}:${TWO_DIGITS[seconds % 60]}`
    return `${date}${clock}.${rest}${ending}`
  }
}
