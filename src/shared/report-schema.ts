import * as z from 'zod/mini'
import { chosenDevices, DEVICE_CONDITIONS, periodBounds, withRules } from './action-schemas'
import {
  checked,
  flag,
  MAX_MINUTES,
  nodeProperties,
  orDefault,
  type Settings,
  text,
  trimmedText,
  usedIf,
  wholeMinutes,
  wholeNumber,
} from './schema'

/** Settings of envlog-report, for its form and its runtime (docs/report.md). */

export const REPORT_PERIODS = ['yesterday', 'last-week', 'last-month', 'now', 'custom'] as const

/** When a report is made by itself: each day, on Mondays, on the first of each month. */
export const REPORT_EVERY = ['day', 'monday', 'month'] as const

/** Languages of reports, with their names. */
export const REPORT_LANGUAGES = { 'en-US': 'English', ja: '日本語' } as const
export type ReportLanguage = keyof typeof REPORT_LANGUAGES

const TIME_OF_DAY = /^([01]?\d|2[0-3]):[0-5]\d$/
const timeOfDay = trimmedText.check(
  checked((value) => (TIME_OF_DAY.test(value) ? undefined : { problem: 'time-of-day' })),
)

const isOfPeriod = ({ period }: Settings) => period !== 'now'
const isCustom = ({ period }: Settings) => period === 'custom'
const isFromTo = (all: Settings) => isCustom(all) && all.fromType !== 'calendar'

/** The saved properties of envlog-report. */
export const reportSchema = usedIf(
  withRules('envlog-report', {
    ...nodeProperties,
    ...chosenDevices,
    limits: orDefault(text, ''),
    period: orDefault(z.enum(REPORT_PERIODS), 'yesterday'),
    ...periodBounds,
    every: orDefault(z.nullable(z.enum(REPORT_EVERY)), null),
    at: orDefault(timeOfDay, '00:30'),
    title: orDefault(text, ''),
    site: orDefault(text, ''),
    responsible: orDefault(text, ''),
    language: orDefault(z.nullable(z.enum(Object.keys(REPORT_LANGUAGES) as ReportLanguage[])), null),
    coverage: orDefault(wholeNumber(0, 100), 95),
    gap: orDefault(wholeMinutes(1, MAX_MINUTES), 60),
    signature: orDefault(flag, true),
    decimalComma: orDefault(flag, false),
  }),
  {
    ...DEVICE_CONDITIONS,
    from: isCustom,
    fromType: isCustom,
    to: isFromTo,
    toType: isFromTo,
    at: ({ every }) => every !== null,
    coverage: isOfPeriod,
    gap: isOfPeriod,
  },
)
export type ReportSettings = z.output<typeof reportSchema>
