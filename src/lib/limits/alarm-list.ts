import { isAmong } from '../../shared/action'
import { DAY_MS } from '../../shared/local-clock'
import type { Clock } from '../clock'
import { type Condition, LimitCondition, type WatchedDevice } from './condition'
import { type Report, toLeftOut, toReport } from './event'
import { type Run, startRun } from './judge'

/** Maximum number of alarms, reminders and `ended` events at a time. */
const MAX_REPORTS = 100
export const MAX_MUTE_MS = 7 * DAY_MS

export interface AlarmSettings {
  /** Times after which a missing value and silence are alarms. Infinite if they are not watched. */
  errorAfterMs: number
  silentAfterMs: number
  /** Whether batteries are watched. */
  battery: boolean
  /** Time between reminders; 0 for none. */
  remindMs: number
}

/** What has changed since the last time. */
export interface Changes {
  reports: Report[]
  /** Conditions whose state was judged for the first time, or has changed. */
  states: readonly Condition[]
}

/** The conditions with a run, and what is reported of them. Those that are not watched never have one. */
export class AlarmList {
  /** Ends of mutes by serial, or blank for all devices, ms since 1970 UTC. */
  readonly mutes = new Map<string, number>()
  /** Whether something has changed that must be written before it is sent. */
  mustSave = false
  readonly #clock: Clock
  readonly #settings: AlarmSettings
  readonly #open = new Set<Condition>()
  /** Alarms that began since the last `collect`. */
  #raised = new Set<Run>()
  #normal: Report[] = []
  #ended: Report[] = []
  #changed = new Set<Condition>()
  /** The alarms that were too many for the last message. */
  readonly #leftOut = new Set<Condition>()

  constructor(clock: Clock, settings: AlarmSettings) {
    this.#clock = clock
    this.#settings = settings
  }

  get open(): Iterable<Condition> {
    return this.#open
  }

  /** Continues with a saved run. */
  resume(condition: Condition, run: Run | undefined): void {
    if (!this.#watches(condition)) return
    condition.run = run
    condition.sentState = condition.isAlarm
    condition.since = this.#clock.monotonic()
    if (!run) return
    this.#open.add(condition)
    const now = this.#clock.now()
    // A clock that was set back must not put off reminders.
    condition.reportedAt = condition.since - Math.max(0, now - (run.reportedAt ?? now))
  }

  /** Begins a run that is not yet an alarm. */
  begin(condition: Condition, from: number, detail: string | null = null): void {
    if (!this.#watches(condition)) return
    condition.run = { ...startRun(from), detail }
    condition.since = this.#clock.monotonic()
    this.#open.add(condition)
    this.mustSave = true
  }

  raise(condition: Condition): void {
    if (!condition.run) return
    condition.run.isAlarm = true
    this.noteState(condition)
    this.mustSave = true
  }

  /** Ends the run of a condition, if it has one. @param until ms since 1970 UTC */
  end(condition: Condition, until: number): void {
    const { run } = condition
    this.close(condition)
    // A clock that was set back shows earlier times.
    if (run) this.noteEnd(condition, run, Math.max(until, run.from))
  }

  /** Ends the run of a condition without a word. */
  close(condition: Condition): void {
    condition.run = undefined
    this.#open.delete(condition)
    this.#leftOut.delete(condition)
    this.noteState(condition)
  }

  /** Adds or removes a limit whose values were judged. @param before its run before that */
  update(condition: LimitCondition, before: Run | undefined, wasAlarm: boolean): void {
    const { run } = condition
    if (run && condition.isAlarm && !(wasAlarm && run === before)) {
      this.#raised.add(run)
      if (condition.wasReported(run.from)) run.reportedAt = this.#clock.now()
      this.mustSave = true
    }
    if (run !== before) {
      if (run) this.#open.add(condition)
      else this.#open.delete(condition)
      this.mustSave = true
    }
    this.noteState(condition)
  }

  /** Reports the end of a run if its beginning was reported, or if the run is an alarm that was not known before. */
  noteEnd(condition: Condition, run: Run, until: number, value: number | null = null): void {
    this.mustSave = true
    if (run.reportedAt === null) {
      if (this.#raised.has(run)) this.noteEnded(condition as LimitCondition, run, { until, value })
      return
    }
    if (condition instanceof LimitCondition) condition.remember(run.from, until)
    this.#normal.push(toReport(condition, { run, state: 'normal', until, value }, this.#clock.now()))
  }

  /** Reports an alarm that was over when it became known, unless that was before its channel was first seen. */
  noteEnded(
    condition: LimitCondition,
    run: Run,
    details: { until?: number; value?: number | null; late?: boolean },
  ): void {
    const { device, channel } = condition.about
    const { until = run.at } = details
    run.reportedAt = this.#clock.now()
    this.mustSave = true
    const isPast = until <= (channel?.first ?? Number.NEGATIVE_INFINITY)
    if (isPast || condition.wasReported(run.from) || this.#isMuted(device)) return
    condition.remember(run.from, until)
    this.#ended.push(toReport(condition, { run, state: 'ended', ...details }, this.#clock.now()))
  }

  /** Remembers to send the state of a condition if it is new. */
  noteState(condition: Condition): void {
    if (this.#watches(condition) && condition.sentState !== condition.isAlarm) this.#changed.add(condition)
  }

  /**
   * What is to be sent after measurements, a command or the passing of time. Alarms that are muted are collected later,
   * as long as they last, and those that are left out with the next message.
   * @param isByClock whether only time has passed
   */
  collect(isByClock = false): Changes {
    if (!isByClock) this.#leftOut.clear()
    const due: Condition[] = []
    for (const condition of this.#open)
      if (!this.#leftOut.has(condition) && this.#isDue(condition)) due.push(condition)
    for (const condition of due.slice(MAX_REPORTS)) this.#leftOut.add(condition)
    const reported = due.slice(0, MAX_REPORTS).map((condition) => this.#report(condition))
    const ended = this.#ended.slice(0, MAX_REPORTS - reported.length)
    const leftOut = this.#ended.length + due.length - ended.length - reported.length
    const reports = [...this.#normal, ...ended, ...reported, ...(leftOut > 0 ? [toLeftOut(leftOut)] : [])]
    const states = [...this.#changed].filter(({ sentState, isAlarm }) => sentState !== isAlarm)
    for (const condition of states) condition.sentState = condition.isAlarm
    this.#normal = []
    this.#ended = []
    this.#changed = new Set()
    this.#raised = new Set()
    return { reports, states }
  }

  /** All alarms, as reminders. */
  alarms(): Report[] {
    const alarms = [...this.#open].flatMap((condition) =>
      condition.run?.isAlarm
        ? [toReport(condition, { run: condition.run, state: 'reminder' }, this.#clock.now())]
        : [],
    )
    const leftOut = alarms.length - MAX_REPORTS
    return leftOut > 0 ? [...alarms.slice(0, MAX_REPORTS), toLeftOut(leftOut)] : alarms
  }

  /** Ends the reminders of the alarms that last now. */
  acknowledge(serials: readonly string[] | 'all'): void {
    for (const { run, about } of this.#open)
      if (run?.isAlarm && isAmong(about.device?.serial, serials)) run.isAcknowledged = true
    this.mustSave = true
  }

  /** Holds back alarms and reminders for a time; 0 ends that. */
  mute(ms: number, serials: readonly string[] | 'all'): void {
    if (serials === 'all' && ms === 0) this.mutes.clear()
    for (const serial of serials === 'all' ? [''] : serials) {
      if (ms === 0) this.mutes.delete(serial)
      else this.mutes.set(serial, this.#clock.now() + ms)
    }
    this.mustSave = true
  }

  /** Ends mutes whose time is over. A clock that was set back must not lengthen them. */
  endMutes(): void {
    const now = this.#clock.now()
    for (const [serial, until] of this.mutes)
      if (until <= now || until > now + MAX_MUTE_MS) this.mutes.delete(serial)
  }

  /** Number of alarms and of other runs, and the beginning of the oldest alarm, ms since 1970 UTC. */
  count(): { alarms: number; pending: number; since: number } {
    let alarms = 0
    let since = Number.POSITIVE_INFINITY
    for (const { run } of this.#open) {
      if (!run?.isAlarm) continue
      alarms++
      since = Math.min(since, run.from)
    }
    return { alarms, since, pending: this.#open.size - alarms }
  }

  #watches({ kind }: Condition): boolean {
    const { errorAfterMs, silentAfterMs, battery } = this.#settings
    if (kind === 'error') return errorAfterMs < Number.POSITIVE_INFINITY
    if (kind === 'silent' || kind === 'no-data') return silentAfterMs < Number.POSITIVE_INFINITY
    return kind !== 'battery' || battery
  }

  #isMuted(device: WatchedDevice | undefined): boolean {
    const now = this.#clock.now()
    return ['', device?.serial ?? ''].some((serial) => (this.mutes.get(serial) ?? 0) > now)
  }

  #isDue(condition: Condition): boolean {
    const { run, about, reportedAt } = condition
    if (!run?.isAlarm) return false
    const { remindMs } = this.#settings
    const remindsNow = remindMs > 0 && this.#clock.monotonic() - reportedAt >= remindMs
    if (this.#isMuted(about.device)) {
      // No reminder is made up for at the end.
      if (remindsNow) condition.reportedAt = this.#clock.monotonic()
      return false
    }
    return run.reportedAt === null || (remindsNow && !run.isAcknowledged)
  }

  #report(condition: Condition): Report {
    const run = condition.run as Run
    const state = run.reportedAt === null ? 'alarm' : 'reminder'
    run.reportedAt = this.#clock.now()
    condition.reportedAt = this.#clock.monotonic()
    this.mustSave = true
    return toReport(condition, { run, state }, this.#clock.now())
  }
}
