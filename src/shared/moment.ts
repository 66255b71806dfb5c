/** Times as users type them: the forms refuse what the runtime could not read. */

import { RELATIVE_TIME } from './action'

/** An instant, or a date and clock time that become one by a device's offset; ms. */
export type Moment = { instant: number } | { wallClock: number }

const UNIT_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const
const ISO = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(:\d{2}(?:\.\d{1,3})?)?)?(Z|[+-]\d{2}:?\d{2})?$/i
const EPOCH = /^[+-]?\d{1,16}(?:\.\d{1,16})?$/
/** Numbers below are seconds, others milliseconds (docs/nodes.md, *envlog-range*). */
const SECONDS_BELOW = 1e11
/** As far as a Date reaches, ms. */
const FARTHEST = 8.64e15
const HOUR_MS = 3_600_000

/** How long before now `-24h`, `-7d` or `-30m` is, ms; `null` for anything else. */
export function readRelative(text: string): number | null {
  const [, count, unit] = RELATIVE_TIME.exec(text.trim()) ?? []
  if (count === undefined) return null
  const ms = Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS]
  return ms <= FARTHEST ? ms : null
}

/** Seconds or milliseconds since 1970 UTC. */
export function readEpoch(number: number): Moment | null {
  return inReach({ instant: Math.abs(number) < SECONDS_BELOW ? number * 1000 : number })
}

/** ISO 8601, or seconds or milliseconds since 1970 UTC; `null` for anything else. Without an offset it is a wall clock. */
export function readTime(typed: string): Moment | null {
  const text = typed.trim()
  // Digits of a date are no epoch number.
  if (EPOCH.test(text)) return /^(\d{4}|\d{6}|\d{8})$/.test(text) ? null : readEpoch(Number(text))
  const match = ISO.exec(text)
  if (!match || !isDate(match[1] ?? '')) return null
  const [, date, clock = '00:00', seconds = ':00', offset] = match
  const instant = Date.parse(`${date}T${clock}${seconds}${offset ? isoOffset(offset) : 'Z'}`)
  return inReach(offset ? { instant } : { wallClock: instant })
}

/** Date.parse takes the 30th of February for the 2nd of March. */
function isDate(date: string): boolean {
  const found = new Date(`${date}T00:00Z`)
  return !Number.isNaN(found.getTime()) && found.toISOString().startsWith(date)
}

function isoOffset(offset: string): string {
  return /^z$/i.test(offset) ? 'Z' : offset.replace(/^(.\d\d):?(\d\d)$/, '$1:$2')
}

function inReach(moment: Moment): Moment | null {
  const value = 'instant' in moment ? moment.instant : moment.wallClock
  return Number.isFinite(value) && Math.abs(value) <= FARTHEST ? moment : null
}

/** Whether one can never be before the other, whatever the offset of the device that a wall clock is of. */
export function isNeverBefore(one: Moment, other: Moment): boolean {
  if ('wallClock' in one && 'wallClock' in other) return one.wallClock >= other.wallClock
  return earliest(one) >= latest(other)
}

const earliest = (moment: Moment) => ('instant' in moment ? moment.instant : moment.wallClock - 14 * HOUR_MS)
const latest = (moment: Moment) => ('instant' in moment ? moment.instant : moment.wallClock + 12 * HOUR_MS)
