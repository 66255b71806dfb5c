import type { NodeAPI } from 'node-red'
import * as z from 'zod/mini'
import type { Account } from '../../lib/account'
import type { ReportQuery } from '../../lib/report/make-report'
import { type RequestedPeriod, toReportClock } from '../../lib/report/period'
import type { ReportClock, ReportHead } from '../../lib/report/report-data'
import { loadTexts, type Translate } from '../../lib/texts'
import { version } from '../../lib/version'
import { MINUTE_MS } from '../../shared/local-clock'
import type { CalendarPeriod } from '../../shared/period-types'
import {
  REPORT_LANGUAGES,
  type ReportLanguage,
  type ReportSettings,
  reportSchema,
} from '../../shared/report-schema'
import type { ReportLimits } from '../kit/limits/limit-rows'
import { hostClock } from '../kit/report/times'
import { translate } from '../kit/report/translate'
import { evaluateSelection } from '../kit/settings/device-selection'
import { evaluatePeriod } from '../kit/settings/evaluate-period'
import { readSettings } from '../kit/settings/read-settings'
import type { Evaluate } from '../kit/settings/typed-input'

/** Without limits, a device that has not measured for longer is silent. */
const SILENT_AFTER_MINUTES = 60

/** Reads the limits with an id. */
export type ReadLimits = (id: string) => Promise<ReportLimits>

/** @throws EnvlogError `setting-invalid`, `settings-newer` */
export const readReportSettings = (config: object): ReportSettings =>
  readSettings<ReportSettings>(reportSchema, config)

/** The settings of a node some of which are invalid. These have their defaults. */
export function repairReportSettings(config: object): ReportSettings {
  const properties = Object.entries(reportSchema.shape).map(([name, property]) => {
    const result = z.safeParse(property as z.ZodMiniType, (config as Record<string, unknown>)[name])
    return [name, result.success ? result.data : z.parse(property as z.ZodMiniType, undefined)]
  })
  return Object.fromEntries(properties)
}

/** The calendar period that is requested; `undefined` for others. */
export function calendarOf({ period }: ReportSettings): CalendarPeriod | undefined {
  return period === 'now' || period === 'custom' ? undefined : period
}

/** @param now as of when, ms since 1970 UTC @throws EnvlogError `time-unreadable`, `expression-failed` */
export async function requestedPeriod(
  settings: ReportSettings,
  now: number,
  evaluate: Evaluate,
): Promise<RequestedPeriod> {
  const calendar = calendarOf(settings)
  if (calendar) return { calendar, now }
  return settings.period === 'now' ? 'now' : evaluatePeriod(settings, now, evaluate)
}

/** @throws EnvlogError `ENVLOG_INPUT`, or if the limits cannot be read */
export async function toQuery(
  settings: ReportSettings,
  about: {
    account: Pick<Account, 'name'>
    language: ReportLanguage
    period: RequestedPeriod
    evaluate: Evaluate
    readLimits: ReadLimits
  },
): Promise<ReportQuery> {
  const { account, language, period, evaluate, readLimits } = about
  const { limits, silentAfter } =
    settings.limits === ''
      ? { limits: null, silentAfter: SILENT_AFTER_MINUTES }
      : await readLimits(settings.limits)
  return {
    selection: await evaluateSelection(settings, evaluate),
    exclude: settings.exclude,
    ...{ period, limits },
    silentAfterMs: silentAfter === null ? null : silentAfter * MINUTE_MS,
    head: toHead(settings, language, account),
  }
}

/** The language of the settings or, if they have none, that of Node-RED. */
export function languageOf(RED: NodeAPI, { language }: Pick<ReportSettings, 'language'>): ReportLanguage {
  // Node-RED does not tell into which language it translates.
  const own = translate(RED, 'report.language')
  return language ?? (REPORT_LANGUAGES.ja === own ? 'ja' : 'en-US')
}

/** The texts of a report in its language, which may not be that of Node-RED. */
export const textsIn = (language: ReportLanguage): Translate => loadTexts('page', language)

export function toHead(
  { title, site, responsible, signature, coverage, gap }: ReportSettings,
  language: ReportLanguage,
  { name: account }: Pick<Account, 'name'> = { name: '' },
): ReportHead {
  return { title: title.trim(), site, responsible, signature, coverage, gap, language, account, version }
}

/** The clock of the account's zone or, without one, of the machine that runs Node-RED. */
export function clockOf(zone: Account['localTime']): ReportClock {
  return zone === 'local' ? { ...hostClock, zone: null } : toReportClock(zone, null)
}
