import type { NodeAPI, NodeMessage } from 'node-red'
import { EnvlogError } from '../../lib/errors'
import { toOneLine } from '../../lib/redact'
import { toFileName } from '../../lib/report/file-name'
import { renderNotDone, renderPage } from '../../lib/report/page'
import { type RequestedPeriod, toReportPeriod } from '../../lib/report/period'
import type {
  ReportClock,
  ReportData,
  ReportHead,
  ReportLevel,
  ReportPeriod,
} from '../../lib/report/report-data'
import { renderTable } from '../../lib/report/table'
import { Wording } from '../../lib/report/wording'
import type { Translate } from '../../lib/texts'
import { version } from '../../lib/version'
import { localizeError } from '../kit/report/localize'

/** `msg.report` (docs/report.md, *Messages*). */
export interface ReportSummary {
  key: string
  /** ISO 8601 in UTC; `null` if it is not done. */
  from: string | null
  to: string | null
  made: string
  level: ReportLevel
  verdict: string
  /** Numbers of devices, of excursions, and of devices in *What is missing*. */
  devices: number
  excursions: number
  missing: number
  sha256: string | null
}

/** `msg.envlog` of envlog-report. */
export interface ReportMetadata {
  node: 'report'
  /** The version of this package. */
  version: string
  account: string
}

/** What a message consists of, besides the properties of the message that caused it. */
interface Parts {
  payload: string
  /** Ending of the file. */
  ending: 'html' | 'csv'
}

interface About {
  head: ReportHead
  period: ReportPeriod
  clock: ReportClock
  made: number
}

const toIso = (instant: number) => new Date(instant).toISOString()

/** Builds the messages of a report (docs/report.md, *Messages*). */
export class ReportMessages {
  readonly #RED: NodeAPI
  readonly #cause: NodeMessage
  readonly #translate: Translate

  /** @param cause the message that caused the report @param translate translates to the language of the report */
  constructor(RED: NodeAPI, cause: NodeMessage, translate: Translate) {
    this.#RED = RED
    this.#cause = cause
    this.#translate = translate
  }

  /** The page and the table. */
  async ofReport(
    report: ReportData,
    decimalComma: boolean,
  ): Promise<[page: NodeMessage, table: NodeMessage]> {
    const words = new Wording(report.head.language, this.#translate)
    const title = report.head.title || words.title(report.period.kind)
    const data = { ...report, head: { ...report.head, title } }
    const { period, verdict, sha256 } = data
    const { devices, excursions, missing } = verdict.counts
    const summary = this.#summarize(data, {
      ...{
        from: toIso(period.from),
        to: toIso(period.to),
        level: verdict.level,
        verdict: words.verdict(data),
      },
      ...{ devices, excursions, missing, sha256 },
    })
    const build = this.#builder(data, summary, words)
    const page = await renderPage(data, this.#translate)
    const table = await renderTable(data, words, decimalComma)
    return [build({ payload: page, ending: 'html' }), build({ payload: table, ending: 'csv' })]
  }

  /** The page in place of a report that could not be made. */
  ofFailure(error: unknown, about: About): NodeMessage {
    const words = new Wording(about.head.language, this.#translate)
    const title = about.head.title || words.title(about.period.kind)
    const data = { ...about, head: { ...about.head, title } }
    // The message of an unexpected error may contain secrets.
    const why =
      error instanceof EnvlogError
        ? words.failure(error, about.clock)
        : localizeError(this.#RED, error).message
    const summary = this.#summarize(data, {
      ...{ from: null, to: null, level: 'not-done', verdict: words.named(words.say('not-done'), why) },
      ...{ devices: 0, excursions: 0, missing: 0, sha256: null },
    })
    const payload = renderNotDone(
      { head: data.head, title, period: words.period(data) },
      why,
      this.#translate,
    )
    return this.#builder(data, summary, words)({ payload, ending: 'html' })
  }

  #summarize({ period, made }: About, others: Omit<ReportSummary, 'key' | 'made'>): ReportSummary {
    return { key: period.key, made: toIso(made), ...others }
  }

  #builder({ head, period, made, clock }: About, report: ReportSummary, words: Wording) {
    const { payload: _, envlog: _envlog, topic: _topic, parts: _parts, ...kept } = Object(this.#cause)
    const topic = toOneLine(words.named(`${head.title} ${period.key}`, report.verdict))
    const name = uniqueName(head.title, period.key, made, clock)
    const envlog: ReportMetadata = { node: 'report', version, account: head.account }
    return ({ payload, ending }: Parts): NodeMessage =>
      ({
        ...this.#RED.util.cloneMessage(kept as NodeMessage),
        ...{ payload, topic, filename: `${name}.${ending}`, report: { ...report }, envlog: { ...envlog } },
      }) as NodeMessage
  }
}

/** The last names, because several nodes may make a report in the same millisecond. */
const lastNames: string[] = []
const MAX_NAMES = 100

function uniqueName(title: string, key: string, made: number, clock: ReportClock): string {
  let name = toFileName(title, key, made, clock)
  for (let number = 2; lastNames.includes(name); number++) name = toFileName(title, key, made, clock, number)
  lastNames.push(name)
  if (lastNames.length > MAX_NAMES) lastNames.shift()
  return name
}

/**
 * The period of a report that could not be made: the one that was wanted, or now.
 * @param kind that of a period that is not known
 */
export function periodOrNow(
  wanted: RequestedPeriod | undefined,
  clock: ReportClock,
  made: number,
  kind: 'now' | 'custom',
): ReportPeriod {
  const now = { ...toReportPeriod('now', clock, made), kind }
  if (wanted === undefined) return now
  try {
    return toReportPeriod(wanted, clock, made)
  } catch {
    return now
  }
}
