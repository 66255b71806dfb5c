import type { Node, NodeAPI, NodeMessage, NodeStatus } from 'node-red'
import type { Account } from '../../lib/account'
import { nextTurn, systemClock } from '../../lib/clock'
import { EnvlogError } from '../../lib/errors'
import { makeReport, type Progress } from '../../lib/report/make-report'
import type { RequestedPeriod } from '../../lib/report/period'
import type { ReportData } from '../../lib/report/report-data'
import type { QuotaWait } from '../../lib/request'
import type { ReportSettings } from '../../shared/report-schema'
import type { Trigger } from '../kit/action/start-node'
import { findLimitsNode } from '../kit/limits/limits-node'
import { createEvaluator } from '../kit/settings/typed-input'
import { periodOrNow, ReportMessages } from './report-messages'
import {
  calendarOf,
  clockOf,
  languageOf,
  type ReadLimits,
  repairReportSettings,
  requestedPeriod,
  textsIn,
  toHead,
  toQuery,
} from './report-query'
import { makingStatus } from './status'

/** The account and the settings of a node. */
export interface OpenedReport {
  account: Account
  settings: ReportSettings
}

interface RunContext {
  RED: NodeAPI
  node: Node
  trigger: Trigger
  signal: AbortSignal
  show(status: NodeStatus): void
}

/** One report: from the message that causes it to the messages with page and table. */
export class ReportRun {
  readonly #context: RunContext
  readonly #made = systemClock.now()
  /** As of when the period is determined, ms since 1970 UTC. */
  readonly #now: number
  #period: RequestedPeriod | undefined
  #progress: Progress | undefined
  #wait: QuotaWait | undefined

  /** @param dueAt when the report was due; by default, it is due now */
  constructor(context: RunContext, dueAt?: number) {
    this.#context = context
    this.#now = dueAt ?? this.#made
  }

  /**
   * Makes the report and sends it.
   * @throws EnvlogError if the account, the limits or the settings fail
   */
  async make({ account, settings }: OpenedReport): Promise<ReportData> {
    const { RED, node, trigger, signal, show } = this.#context
    show({ fill: 'blue', shape: 'dot', text: 'status.asking' })
    const evaluate = createEvaluator(RED, node, trigger.msg)
    this.#period = await requestedPeriod(settings, this.#now, evaluate)
    const language = languageOf(RED, settings)
    const query = await toQuery(settings, {
      ...{ account, language, evaluate, period: this.#period },
      readLimits: (id) => this.#readLimits(id),
    })
    const maxWaitMs = settings.wait === null ? null : settings.wait * 1000
    const onWait = (wait: QuotaWait) => {
      this.#wait = wait
      this.#showProgress(account)
    }
    const report = await makeReport(
      account,
      query,
      { signal, queueKey: node.id, maxWaitMs, onWait },
      (progress) => {
        this.#progress = progress
        this.#showProgress(account)
      },
    )
    const messages = new ReportMessages(RED, trigger.msg, textsIn(language))
    await this.#send(await messages.ofReport(report, settings.decimalComma))
    return report
  }

  /** Sends a page that says why the report is not done, also if the node has no account or its settings are invalid. */
  sendFailure(error: unknown, opened: OpenedReport | undefined, config: object): void {
    const { RED, trigger } = this.#context
    const settings = opened?.settings ?? repairReportSettings(config)
    const language = languageOf(RED, settings)
    const clock = clockOf(opened?.account.localTime ?? 'local')
    const calendar = calendarOf(settings)
    const wanted = this.#period ?? (calendar && { calendar, now: this.#now })
    const kind = settings.period === 'now' ? 'now' : 'custom'
    const page = new ReportMessages(RED, trigger.msg, textsIn(language)).ofFailure(error, {
      ...{ clock, made: this.#made, period: periodOrNow(wanted, clock, this.#made, kind) },
      head: toHead(settings, language, opened?.account),
    })
    this.#sendNow([page])
  }

  /** @throws EnvlogError `no-limits`, `ENVLOG_CONFIG`, `limits-unreadable` */
  async #readLimits(id: string): ReturnType<ReadLimits> {
    const node = findLimitsNode(this.#context.RED, id)
    if (!node) throw new EnvlogError('no-limits')
    return node.read()
  }

  async #send(messages: readonly NodeMessage[]): Promise<void> {
    // If the node is closing, the receivers may no longer exist, so the report is made again.
    if (this.#context.signal.aborted) throw new EnvlogError('closed')
    this.#sendNow(messages)
    // Node-RED delivers them.
    await nextTurn()
  }

  /** @param messages one for each output */
  #sendNow(messages: readonly NodeMessage[]): void {
    const { send } = this.#context.trigger as unknown as { send(messages: readonly NodeMessage[]): void }
    send(messages)
  }

  #showProgress({ quota }: Account): void {
    if (!this.#progress) return
    const { done, total } = this.#progress
    const { until = null, endpoint = 'data' } = this.#wait ?? {}
    const end = until === null ? null : Math.max(until, quota.estimateRoundEnd(endpoint, total - done))
    this.#context.show(makingStatus(this.#context.RED, { ...this.#progress, until: end }))
  }
}
