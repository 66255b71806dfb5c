import {
  DAY_MS,
  dateOf,
  formatOffset,
  type LocalClock,
  MINUTE_MS,
  shortOffset,
  timeOf,
  toWallClock,
} from '../../shared/local-clock'
import type { Span } from '../readings/coverage'

/** `UTC+09:00`. @param offset minutes ahead of UTC */
export const longOffset = (offset: number): string => `UTC${formatOffset(offset).replace('-', '\u2212')}`

/** Whether the clock shows the time of an instant twice, because it was put back. */
export function isShownTwice(clock: LocalClock, instant: number): boolean {
  const own = clock.offsetAt(instant)
  const local = toWallClock(clock, instant)
  return [instant - DAY_MS, instant + DAY_MS].some((near) => {
    const other = clock.offsetAt(near)
    return other !== own && clock.offsetAt(local - other * MINUTE_MS) === other
  })
}

const offsetIfTwice = (clock: LocalClock, instant: number) =>
  isShownTwice(clock, instant) ? ` ${shortOffset(clock.offsetAt(instant))}` : ''

/** `02:30`, in an hour that occurs twice `02:30 UTC+2`. @param instant ms since 1970 UTC */
export const timeOfDay = (clock: LocalClock, instant: number) =>
  timeOf(clock, instant) + offsetIfTwice(clock, instant)

/** `2026-10-25 02:30`, in an hour that occurs twice `2026-10-25 02:30 UTC+2`. @param instant ms since 1970 UTC */
export const dateAndTime = (clock: LocalClock, instant: number) =>
  `${dateOf(clock, instant)} ${timeOfDay(clock, instant)}`

/** A time in a period: only the time of day if the period is a day, whose end is 24:00. */
export function timeIn({ from, to }: Span, clock: LocalClock, instant: number): string {
  const date = dateOf(clock, from)
  if (dateOf(clock, to - 1) !== date) return dateAndTime(clock, instant)
  if (dateOf(clock, instant) === date) return timeOfDay(clock, instant)
  return instant === to ? '24:00' : dateAndTime(clock, instant)
}
