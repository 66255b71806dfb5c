import { DAY_MS, formatOffset, MINUTE_MS, TimeZone } from '../../shared/local-clock'
import { type Fields, isBlank } from './fields'
import { readNumber } from './value'

/**
 * Whether `time` texts are in UTC, in the device's local time with its offset, or in the local time of a zone. All
 * represent the same instant.
 */
export type TimeStyle = 'utc' | 'local' | TimeZone

/** Largest distance of a timestamp from 1970 UTC, in ms. Up to this, a year has four digits. */
export const MAX_TIMESTAMP_MS = Date.UTC(9999, 0)

/** Whether a value is a time, ms since 1970 UTC. */
export const isTimestamp = (value: unknown): value is number =>
  typeof value === 'number' && Math.abs(value) <= MAX_TIMESTAMP_MS

/**
 * Converts Unix seconds, a number or text, to ms since 1970 UTC; `null` if they are blank, absent or 0, and `undefined`
 * for anything else.
 */
export function readTimestamp(value: unknown): number | null | undefined {
  if (value === undefined || value === null) return null
  if (typeof value === 'string' && value.trim() === '') return null
  const seconds = readNumber(value)
  if (seconds === null || Math.abs(seconds) * 1000 > MAX_TIMESTAMP_MS) return undefined
  return Math.round(seconds * 1000) || null
}

const MINUTES_PER_DAY = 1440

/**
 * Reads how many minutes a device's local time is ahead of UTC: time-diff + dst-bias if the flag indicates daylight
 * saving time, otherwise time-diff + std-bias (docs/service.md, *Fields*). Absent fields count as 0. `null` if they are
 * unreadable, or if local time is a day or more from UTC, which no time format can express.
 */
export function readUtcOffset(fields: Fields): number | null {
  const flag = readEither(fields['dst-flg'], fields.dst_flg)
  const bias =
    flag === 1
      ? readEither(fields['dst-bias'], fields.dst_bias)
      : readEither(fields['std-bias'], fields.std_bias)
  const minutes = Math.round(readEither(fields['time-diff'], fields.time_diff) + bias)
  return !Number.isNaN(flag) && Math.abs(minutes) < MINUTES_PER_DAY ? minutes : null
}

/** The first of two spellings that has a value; 0 if neither has, NaN if the value is unreadable. */
function readEither(one: unknown, other: unknown): number {
  const value = isBlank(one) ? other : one
  return isBlank(value) ? 0 : (readNumber(value) ?? Number.NaN)
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

/** The beginning of a time of day, such as `17:05:`, for each of its minutes. */
const MINUTES = Array.from({ length: 1440 }, (_, minute) =>
  new Date(minute * MINUTE_MS).toISOString().slice(11, 17),
)
/** The end of a time of day, such as `09.000`, for whole seconds. */
const SECONDS = Array.from({ length: 60 }, (_, second) => new Date(second * 1000).toISOString().slice(17, 23))

/**
 * @param deviceOffset minutes that the device is ahead of UTC; if it is `null` (unknown), its local times are in UTC
 */
export type TimeFormatter = (timestamp: number | null, deviceOffset: number | null) => string | null

/**
 * Returns a function that formats times as ISO 8601 with milliseconds; `null` stays `null`. It formats a date only once,
 * because calling `toISOString` for each record or device would be half of the work for a response.
 */
export function createTimeFormatter(style: TimeStyle): TimeFormatter {
  let offset: number | null = null
  let ending = 'Z'
  let day = Number.NaN
  let date = ''
  return (timestamp, deviceOffset) => {
    if (timestamp === null) return null
    const newOffset = style === 'utc' ? null : utcOffsetAt(timestamp, style, deviceOffset)
    if (newOffset !== offset) {
      offset = newOffset
      ending = offset === null ? 'Z' : formatOffset(offset)
    }
    const shifted = timestamp + (offset ?? 0) * MINUTE_MS
    if (Math.floor(shifted / DAY_MS) !== day) {
      day = Math.floor(shifted / DAY_MS)
      date = new Date(day * DAY_MS).toISOString().slice(0, 11)
    }
    const ms = shifted - day * DAY_MS
    const seconds = SECONDS[(ms % MINUTE_MS) / 1000] ?? new Date(ms).toISOString().slice(17, 23)
    return `${date}${MINUTES[Math.floor(ms / MINUTE_MS)]}${seconds}${ending}`
  }
}
