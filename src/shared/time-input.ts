import * as z from 'zod/mini'

/**
 * Times as entered by users, parsed by the same code in forms and runtime, so that a form rejects what the runtime
 * cannot read.
 */

/** ms since 1970 UTC, or a local time in ms as if it were UTC, which a device's UTC offset turns into an instant. */
export type TimeInput = { instant: number } | { wallClock: number }

const UNIT_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const
/** A relative time. The capture groups are the count and the unit. */
const RELATIVE = /^-(\d+)\s*([smhdw])$/
/** With separators, or in the basic format without; a fraction has any number of decimals. */
const ISO =
  /^(\d{4})(-?)(\d{2})\2(\d{2})(?:[T ](\d{2})(:?)(\d{2})(?:\6(\d{2})(?:[.,](\d+))?)?)?(Z|[+-]\d{2}(?::?\d{2})?)?$/i
const EPOCH = /^[+-]?\d{1,16}(?:\.\d{1,16})?$/
/** Numbers below this are seconds, and others are milliseconds (docs/nodes.md, *Periods*). */
const SECONDS_BELOW = 1e11
/** Largest time value of a Date, ms. */
const MAX_TIME_MS = 8.64e15

/** Milliseconds of a time before now, such as `-24h`, `-7d` or `-30m`; `null` for any other text. */
export function readRelative(text: string): number | null {
  const [, count, unit] = RELATIVE.exec(text.trim()) ?? []
  if (count === undefined) return null
  const ms = Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS]
  return ms <= MAX_TIME_MS ? ms : null
}

/** An instant from seconds or milliseconds since 1970 UTC; `null` if it is out of range. */
export function readEpoch(number: number): TimeInput | null {
  return inRange({ instant: Math.abs(number) < SECONDS_BELOW ? number * 1000 : number })
}

/**
 * A time from ISO 8601, or from seconds or milliseconds since 1970 UTC; `null` for any other text. ISO 8601 without a
 * UTC offset is local time.
 */
export function readTime(input: string): TimeInput | null {
  const text = input.trim()
  // `2026` or `202611` is an incomplete date, not a number of seconds, and `20261122` a complete one.
  if (EPOCH.test(text) && !/^\d{8}$/.test(text))
    return /^(\d{4}|\d{6})$/.test(text) ? null : readEpoch(Number(text))
  const [, year, , month, day, hour = '00', , minute = '00', second = '00', fraction = '', offset] =
    ISO.exec(text) ?? []
  const date = `${year}-${month}-${day}`
  if (!z.iso.date().safeParse(date).success) return null
  const milliseconds = fraction.slice(0, 3).padEnd(3, '0')
  const zone = offset
    ?.toUpperCase()
    .replace(/^(.\d\d):?(\d\d)?$/, (_, hours, minutes = '00') => `${hours}:${minutes}`)
  const instant = Date.parse(`${date}T${hour}:${minute}:${second}.${milliseconds}${zone ?? 'Z'}`)
  return inRange(offset ? { instant } : { wallClock: instant })
}

function inRange(moment: TimeInput): TimeInput | null {
  return Object.values(moment).every((ms) => Math.abs(ms) <= MAX_TIME_MS) ? moment : null
}
