import { DAY_MS, formatLocalTime, type LocalClock, toInstant, toWallClock } from '../../shared/local-clock'
import type { REPORT_EVERY } from '../../shared/report-schema'

export type Every = (typeof REPORT_EVERY)[number]

export interface Schedule {
  every: Every
  /** Local time of day, `HH:MM`. */
  at: string
}

/** The longest time between two reports. */
const MAX_DAYS_BETWEEN = 31

/**
 * When reports are due, in order, ms since 1970 UTC. A time of day that does not occur is an hour later; of one that
 * occurs twice, it is the first.
 * @param after exclusive @param until inclusive
 */
export function dueTimes(
  { every, at }: Schedule,
  clock: LocalClock,
  { after, until }: { after: number; until: number },
): number[] {
  const [hours = 0, minutes = 0] = at.split(':').map(Number)
  const first = Math.floor(toWallClock(clock, after) / DAY_MS) - 1
  const last = Math.floor(toWallClock(clock, until) / DAY_MS) + 1
  const due: number[] = []
  for (let day = first; day <= last; day++) {
    if (!isDay(every, new Date(day * DAY_MS))) continue
    const instant = toInstant(clock, day * DAY_MS + (hours * 60 + minutes) * 60_000)
    if (instant > after && instant <= until) due.push(instant)
  }
  return due
}

/** When the next report is due, ms since 1970 UTC. */
export function nextDue(schedule: Schedule, clock: LocalClock, after: number): number {
  const until = after + (MAX_DAYS_BETWEEN + 1) * DAY_MS
  return dueTimes(schedule, clock, { after, until })[0] as number
}

function isDay(every: Every, date: Date): boolean {
  switch (every) {
    case 'day':
      return true
    case 'monday':
      return date.getUTCDay() === 1
    case 'month':
      return date.getUTCDate() === 1
  }
}

/** Such as `2026-10-11T00:30`. */
export const formatDue = (clock: LocalClock, due: number) => formatLocalTime(clock, due).slice(0, 16)
