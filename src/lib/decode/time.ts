import { formatOffset, TimeZone } from '../../shared/local-clock'
import { EnvlogError } from '../errors'
import { readNumber } from './value'

/**
 * Whether `time` texts are in UTC, in the device's local time with its offset, or in the local time of a zone. All
 * represent the same instant.
 */
export type TimeStyle = 'utc' | 'local' | TimeZone

/** Largest distance of a timestamp from 1970 UTC, in ms. Up to this, a year has four digits. */
export const MAX_TIMESTAMP_MS = Date.UTC(9999, 0)

/**
 * Converts Unix seconds, a number or text, to ms since 1970 UTC; `null` if they are blank, absent or 0.
 * @param part returns the path of the value in the response; called only for an error
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
 * The UTC offset in minutes that is sent with a timestamp. It is that of the time zone if `style` is one, otherwise
 * that of the device; `null` if it is unknown.
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
 * @param deviceOffset minutes that the device is ahead of UTC; if it is `null` (unknown), its local times are in UTC
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

/**
 * Returns a `formatTime` for many times of one device. It formats a date only once, because `toISOString` for each time
 * would take half of the time that a page needs.
 */
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
