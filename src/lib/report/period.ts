import { DAY_MS, fixedClock, formatLocalTime, type LocalClock, type TimeZone } from '../../shared/local-clock'
import type { CalendarPeriod } from '../../shared/period-types'
import { type Period, placePeriod } from '../collect/place-period'
import { EnvlogError } from '../errors'
import type { Span } from '../readings/coverage'
import type { PeriodKind, ReportClock, ReportPeriod } from './report-data'

/** A period as it was requested: `now` is a check of the current readings. */
export type RequestedPeriod = Period | 'now'

const KINDS: Readonly<Record<CalendarPeriod, PeriodKind>> = {
  today: 'day',
  yesterday: 'day',
  'this-week': 'week',
  'last-week': 'week',
  'this-month': 'month',
  'last-month': 'month',
}

/** The longest period, because the records of a device are kept in memory until it is described. */
export const MAX_PERIOD_DAYS = 366

/** The clock of a time zone, or of a device with this many minutes ahead of UTC (UTC if that is unknown). */
export function toReportClock(zone: TimeZone | 'local', utcOffset: number | null): ReportClock {
  if (zone === 'local') return { ...fixedClock(utcOffset ?? 0), zone: null }
  return { offsetAt: (instant) => zone.offsetAt(instant), zone: zone.name }
}

/**
 * The bounds of a period by a clock, until now if it lasts longer.
 * @param made ms since 1970 UTC
 * @throws EnvlogError `period-empty`, `report-too-long`
 */
export function boundsOf(period: RequestedPeriod, clock: LocalClock, made: number): Span {
  if (period === 'now') return { from: made, to: made }
  const { from, to } = placePeriod(period, clock)
  if (from >= made) throw new EnvlogError('period-empty')
  if (to - from > MAX_PERIOD_DAYS * DAY_MS)
    throw new EnvlogError('report-too-long', { days: MAX_PERIOD_DAYS })
  return { from, to: Math.min(to, made) }
}

/** The period of a report. @throws EnvlogError `period-empty`, `report-too-long` */
export function toReportPeriod(period: RequestedPeriod, clock: LocalClock, made: number): ReportPeriod {
  const { from, to } = boundsOf(period, clock, made)
  const kind = period === 'now' ? 'now' : 'calendar' in period ? KINDS[period.calendar] : 'custom'
  const date = formatLocalTime(clock, from).slice(0, kind === 'month' ? 7 : 10)
  return { kind, key: date, from, to }
}

/** The clock that most devices have. */
export function usualClock(clocks: readonly ReportClock[], made: number): ReportClock | undefined {
  const countOf = (offset: number) => clocks.filter((clock) => clock.offsetAt(made) === offset).length
  return clocks.toSorted((a, b) => countOf(b.offsetAt(made)) - countOf(a.offsetAt(made)))[0]
}
