import type { Clock } from '../clock'
import type { Condition } from './condition'
import { type Report, toLeftOut } from './event'
import type { History } from './history'
import type { Mutes } from './mutes'

/** Maximum number of alarms, reminders and `ended` events at a time. */
export const MAX_REPORTS = 100

/** What is to be reported: collected until it is taken. */
export class ReportsDue {
  readonly #clock: Clock
  readonly #remindMs: number
  readonly #mutes: Mutes
  readonly #history: History
  /** What commands have done, and mutes that are over. */
  #notices: Report[] = []
  #normal: Report[] = []
  #ended: Report[] = []
  /** How many alarms that were over before a mute began were too many to be held back. */
  #notHeld = 0
  /** The alarms that were too many for the last message. */
  readonly #leftOut = new Set<Condition>()

  /** @param remindMs time between reminders; 0 for none */
  constructor(clock: Clock, remindMs: number, mutes: Mutes, history: History) {
    this.#clock = clock
    this.#remindMs = remindMs
    this.#mutes = mutes
    this.#history = history
  }

  addNotices(reports: readonly Report[]): void {
    this.#notices.push(...reports)
  }

  addNormal(report: Report): void {
    this.#normal.push(report)
  }

  addEnded(report: Report): void {
    this.#ended.push(report)
  }

  addNotHeld(): void {
    this.#notHeld++
  }

  /**
   * What is reported now. Alarms that are muted follow later, as long as they last, and those that are left out with the
   * next message.
   * @param open the conditions that last
   * @param toReport reports one
   * @param isByClock whether only time has passed
   */
  take(open: Iterable<Condition>, toReport: (condition: Condition) => Report, isByClock: boolean): Report[] {
    if (!isByClock) this.#leftOut.clear()
    const due: Condition[] = []
    for (const condition of open)
      if (!this.#leftOut.has(condition) && this.#isDue(condition)) due.push(condition)
    for (const condition of due.slice(MAX_REPORTS)) this.#leftOut.add(condition)
    const reported = due.slice(0, MAX_REPORTS).map(toReport)
    const isMuted = ({ event }: Report) => this.#mutes.since(event.serial ?? undefined) !== undefined
    const released = this.#history.release(isMuted)
    const notHeld = released.length > 0 ? this.#notHeld : 0
    const all = [...released, ...this.#ended]
    const ended = all.slice(0, MAX_REPORTS - reported.length)
    const leftOut = all.length + due.length - ended.length - reported.length + notHeld
    const others = leftOut > 0 ? [toLeftOut(leftOut)] : []
    const reports = [...this.#notices, ...this.#normal, ...ended, ...reported, ...others]
    this.#notices = []
    this.#normal = []
    this.#ended = []
    this.#notHeld -= notHeld
    return reports
  }

  #isDue(condition: Condition): boolean {
    const { alarm, about, reportedAt, isCovered } = condition
    if (!alarm?.isAlarm || isCovered) return false
    const remindsNow = this.#remindMs > 0 && this.#clock.monotonic() - reportedAt >= this.#remindMs
    if (this.#mutes.since(about.device?.serial) !== undefined) {
      // A reminder that falls into the mute is left out, not sent at its end.
      if (remindsNow) condition.reportedAt = this.#clock.monotonic()
      return false
    }
    return alarm.reportedAt === null || (remindsNow && !this.#isQuiet(condition))
  }

  /** Whether an alarm is acknowledged, and its reminders do not go on yet. */
  #isQuiet({ alarm, acknowledgedAt }: Condition): boolean {
    if (!alarm?.acknowledged) return false
    const { ms } = alarm.acknowledged
    return ms === null || this.#clock.monotonic() - acknowledgedAt < ms
  }
}
