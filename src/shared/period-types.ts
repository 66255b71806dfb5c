/** Node-RED's types of typed inputs that the nodes accept. */
export const VALUE_TYPES = ['msg', 'flow', 'global', 'env', 'jsonata'] as const

/** Types for the bounds of a period, which may also be a date or a relative time. */
export const PERIOD_TYPES = ['date', 'rel', ...VALUE_TYPES] as const
export type PeriodType = (typeof PERIOD_TYPES)[number]

/** Types for the start, which may be a calendar period. */
export const FROM_TYPES = ['calendar', ...PERIOD_TYPES] as const
export type FromType = (typeof FROM_TYPES)[number]

/** Calendar periods. Weeks begin on Monday. */
export const CALENDAR_PERIODS = [
  'today',
  'yesterday',
  'this-week',
  'last-week',
  'this-month',
  'last-month',
] as const
export type CalendarPeriod = (typeof CALENDAR_PERIODS)[number]

/** Parses the name of a calendar period; `undefined` for anything else. */
export function readCalendarPeriod(value: unknown): CalendarPeriod | undefined {
  return CALENDAR_PERIODS.find((name) => name === value)
}
