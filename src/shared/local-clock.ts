/** Local times in a time zone, or on a clock with a fixed offset. Intl provides the data of the time zones. */

/** A time zone, or a clock with a fixed offset. */
export interface LocalClock {
  /** Minutes ahead of UTC at an instant, in ms since 1970 UTC. */
  offsetAt(instant: number): number
}

/** A clock that is always the same number of minutes ahead of UTC. */
export const fixedClock = (offset: number): LocalClock => ({ offsetAt: () => offset })

export const MINUTE_MS = 60_000
export const HOUR_MS = 3_600_000
export const DAY_MS = 86_400_000

/** The local time of an instant, in ms as if it were UTC. */
export function toWallClock(clock: LocalClock, instant: number): number {
  return instant + clock.offsetAt(instant) * MINUTE_MS
}

/**
 * The instant when a clock shows a time, in ms since 1970 UTC. If the clock shows the time twice, it is the first
 * instant. If the clock skips the time, it is the instant when it would have shown the time without the change.
 */
export function toInstant(clock: LocalClock, wallClock: number): number {
  const at = (offset: number) => wallClock - offset * MINUTE_MS
  const [before, after] = [clock.offsetAt(wallClock - DAY_MS), clock.offsetAt(wallClock + DAY_MS)]
  if (before === after || clock.offsetAt(at(before)) === before) return at(before)
  return clock.offsetAt(at(after)) === after ? at(after) : at(before)
}

/** Formats an offset in minutes, rounded to whole minutes: `+09:00`, `-03:30`. */
export function formatOffset(offset: number): string {
  const minutes = Math.abs(Math.round(offset))
  const pad = (part: number) => String(part).padStart(2, '0')
  return `${offset < 0 ? '-' : '+'}${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`
}

/** Formats the local time of an instant as ISO 8601 with milliseconds and offset. */
export function formatLocalTime(clock: LocalClock, instant: number): string {
  const text = new Date(toWallClock(clock, instant)).toISOString()
  return text.replace('Z', formatOffset(clock.offsetAt(instant)))
}

/** `2026-10-25`. @param instant ms since 1970 UTC */
export const dateOf = (clock: LocalClock, instant: number) => formatLocalTime(clock, instant).slice(0, 10)

/** `02:30`. @param instant ms since 1970 UTC */
export const timeOf = (clock: LocalClock, instant: number) => formatLocalTime(clock, instant).slice(11, 16)

/** `UTC`, `UTC+9`, or `UTC−3:30`. @param offset minutes ahead of UTC */
export const shortOffset = (offset: number): string =>
  offset === 0
    ? 'UTC'
    : `UTC${formatOffset(offset).replace(/^(.)0/, '$1').replace(':00', '').replace('-', '\u2212')}`

/** The minutes of a fixed offset, such as `+09:00`; `undefined` for any other text. */
function readFixedOffset(text: string): number | undefined {
  const [, sign, hours, minutes] = /^([+-])(0\d|1[0-4]):([0-5]\d)$/.exec(text) ?? []
  if (sign === undefined) return undefined
  const offset = Number(hours) * 60 + Number(minutes)
  return sign === '-' ? -offset : offset
}

/** Whether a text is the name of a time zone, such as `Europe/Berlin`, or a fixed offset, such as `+09:00`. */
export function isTimeZone(name: string): boolean {
  if (readFixedOffset(name) !== undefined) return true
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    return createFormat(name) !== undefined
  } catch {
    return false
  }
}

/** @throws RangeError for an unknown zone */
const createFormat = (timeZone: string) =>
  new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset', year: 'numeric' })

/** Maximum number of days whose offsets are kept. */
const MAX_DAYS = 10_000

/**
 * A time zone with its daylight saving time, or a fixed offset. Intl takes microseconds for an offset, so the offset of
 * each day is kept.
 */
export class TimeZone implements LocalClock {
  readonly name: string
  readonly #fixed: number | undefined
  readonly #format: Intl.DateTimeFormat
  /** The offset of each day in UTC; `undefined` if it changes during the day. */
  readonly #days = new Map<number, number | undefined>()

  /** @throws RangeError for an unknown zone */
  constructor(name: string) {
    this.name = name
    this.#fixed = readFixedOffset(name)
    this.#format = createFormat(this.#fixed === undefined ? name : 'UTC')
  }

  offsetAt(instant: number): number {
    if (this.#fixed !== undefined) return this.#fixed
    const day = Math.floor(instant / DAY_MS)
    if (!this.#days.has(day)) {
      if (this.#days.size >= MAX_DAYS) this.#days.clear()
      const [first, last] = [day, day + 1].map((number) => this.#readOffset(number * DAY_MS))
      this.#days.set(day, first === last ? first : undefined)
    }
    return this.#days.get(day) ?? this.#readOffset(instant)
  }

  /** Reads an offset from Intl's text, such as `GMT-03:30`. Seconds, which time zones had long ago, are rounded. */
  #readOffset(instant: number): number {
    const text = this.#format.formatToParts(instant).find(({ type }) => type === 'timeZoneName')?.value ?? ''
    const [, sign, hours = 0, minutes = 0, seconds = 0] = /([+-])(\d\d):(\d\d)(?::(\d\d))?/.exec(text) ?? []
    const offset = Math.round(Number(hours) * 60 + Number(minutes) + Number(seconds) / 60)
    return sign === '-' ? -offset : offset
  }
}
