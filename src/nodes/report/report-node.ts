import type { Node, NodeAPI, NodeMessage, NodeStatus } from 'node-red'
import { inBackground } from '../../lib/background'
import { systemClock } from '../../lib/clock'
import { EnvlogError } from '../../lib/errors'
import { type DueReport, DueReports } from '../../lib/report/due-reports'
import { toReportPeriod } from '../../lib/report/period'
import { formatDue } from '../../lib/report/schedule'
import { findAccountNode } from '../kit/action/account-node'
import { firstDelayMs } from '../kit/action/repeat-timer'
import type { NodeConfig, StartedNode, Trigger } from '../kit/action/start-node'
import { TriggerQueue } from '../kit/action/trigger-queue'
import { localizeError } from '../kit/report/localize'
import { toNodeStatus } from '../kit/report/status'
import { calendarOf, clockOf, readReportSettings } from './report-query'
import { type OpenedReport, ReportRun } from './report-run'
import { idleStatus, madeStatus, notDoneStatus } from './status'

/** A deployed envlog-report: its settings, its statuses, and the reports that it makes by itself. */
export class ReportNode implements StartedNode {
  readonly #RED: NodeAPI
  readonly #node: Node
  readonly #config: NodeConfig
  readonly #queue = new TriggerQueue()
  #opened: (OpenedReport & { due: DueReports }) | undefined
  /** The last message by which the node has triggered itself, and the report that it is to make. */
  #own: { msg: NodeMessage; due: DueReport } | undefined
  #isMakingOwn = false
  /** Whether it was reported that the saved state cannot be read. */
  #hasReported = false
  #cancelTick = () => {}

  constructor(RED: NodeAPI, node: Node, config: NodeConfig) {
    this.#RED = RED
    this.#node = node
    this.#config = config
    try {
      this.#show(idleStatus(RED, this.#open().due.nextAt))
    } catch (error) {
      // Each message tries again, and sends a page that says why the report is not done.
      this.#showFailure(error)
    }
  }

  async receive(trigger: Trigger): Promise<void> {
    const due = trigger.msg === this.#own?.msg ? this.#own.due : undefined
    if (due && (this.#isMakingOwn || this.#queue.isFull)) return
    this.#isMakingOwn ||= due !== undefined
    try {
      await this.#queue.run(() => this.#make(trigger, due))
    } catch (error) {
      // If the node was closed during a report of its own, it is made after the next start.
      if (!due || !this.#queue.signal.aborted) throw error
    } finally {
      if (due) {
        this.#isMakingOwn = false
        this.#tickIn(0)
      }
    }
  }

  async close(): Promise<void> {
    this.#cancelTick()
    await this.#queue.close()
    await this.#opened?.due.close()
  }

  /** @throws EnvlogError `ENVLOG_CONFIG` */
  #open(): OpenedReport & { due: DueReports } {
    if (this.#opened) return this.#opened
    const accountNode = findAccountNode(this.#RED, this.#config.account)
    if (!accountNode) throw new EnvlogError('no-account')
    const { account, store } = accountNode.acquire(this.#node)
    const settings = readReportSettings(this.#config)
    const { every, at, period } = settings
    const clock = clockOf(account.localTime)
    const calendar = calendarOf(settings)
    const due = new DueReports(systemClock, store, {
      schedule: every && { every, at },
      clock,
      // The keys of other periods have the time of day.
      kind: calendar ?? `${period} ${at}`,
      keyOf: (now) =>
        `${period} ${calendar ? toReportPeriod({ calendar, now }, clock, now).key : formatDue(clock, now)}`,
      isOnlyNewest: period === 'now',
    })
    this.#opened = { account, settings, due }
    this.#tickIn(firstDelayMs())
    return this.#opened
  }

  async #make(trigger: Trigger, due: DueReport | undefined): Promise<void> {
    const [RED, node, { signal }] = [this.#RED, this.#node, this.#queue]
    const run = new ReportRun({ RED, node, trigger, signal, show: (status) => this.#show(status) }, due?.at)
    try {
      const { due: reports, ...opened } = this.#open()
      const report = await run.make(opened)
      if (due) await reports.made(due)
      this.#show(madeStatus(RED, report))
    } catch (error) {
      if (signal.aborted) throw error
      this.#showFailure(error)
      if (!due?.isTold) run.sendFailure(error, this.#opened, this.#config)
      if (due) await this.#opened?.due.failed(due)
      throw error
    }
  }

  /** Triggers the node with a message of its own, as core nodes do, so that hooks and the debugger see it. */
  async #tick(): Promise<void> {
    const due = this.#opened?.due
    if (!due) return
    try {
      await due.ready()
      this.#hasReported = false
      const next = due.next()
      if (next && !this.#isMakingOwn && !this.#queue.signal.aborted) {
        this.#own = { msg: {} as NodeMessage, due: next }
        this.#node.receive(this.#own.msg)
      }
    } catch (error) {
      this.#reportFailure(error)
    }
    if (due.waitMs !== undefined) this.#tickIn(due.waitMs)
  }

  #tickIn(ms: number): void {
    this.#cancelTick()
    if (!this.#queue.signal.aborted)
      this.#cancelTick = systemClock.after(ms, () => inBackground(this.#tick()))
  }

  /** Reports once that the reports of the node's own are not made. */
  #reportFailure(error: unknown): void {
    this.#showFailure(error)
    if (this.#hasReported || this.#queue.signal.aborted) return
    this.#hasReported = true
    this.#node.error(localizeError(this.#RED, error), {})
  }

  /** A setting that is missing is no report that is not done. */
  #showFailure(error: unknown): void {
    const isConfig = error instanceof EnvlogError && error.code === 'ENVLOG_CONFIG'
    this.#show(isConfig ? toNodeStatus(this.#RED, { kind: 'failed', error }) : notDoneStatus())
  }

  #show(status: NodeStatus): void {
    if (!this.#queue.signal.aborted) this.#node.status(status)
  }
}
