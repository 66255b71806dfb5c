import { isAmong, type Serials } from '../../shared/action'
import type { Clock } from '../clock'
import { createFilter, type Signature, sign } from './acknowledgment'
import { type AlarmSettings, watches } from './alarm-settings'
import {
  type Alarm,
  type Condition,
  hasChanged,
  hasGrown,
  type LimitCondition,
  toAlarm,
  type WatchedDevice,
} from './condition'
import { type Report, toLeftOut, toReport, toState } from './event'
import { History, type Over } from './history'
import { Mutes } from './mutes'
import { goOn, isPartOf, PastRuns } from './past-runs'
import type { Added } from './pieces'
import { MAX_REPORTS, ReportsDue } from './reports-due'
import { SentStates } from './sent-states'

/** What has changed since the last time. */
export interface Changes {
  reports: Report[]
  /** Conditions whose state was judged for the first time, or has changed: the plain one, and the one of `isLatched`. */
  states: readonly Condition[]
  latched: readonly Condition[]
  /** When the state must be written: before anything is sent, or within half a minute. */
  save: Save | undefined
}

type Save = 'now' | 'soon'

/** The conditions that last, and what is reported of them. Those that are not watched never last. */
export class AlarmList {
  readonly mutes: Mutes
  readonly #clock: Clock
  readonly #settings: AlarmSettings
  readonly #open = new Set<Condition>()
  readonly #history = new History((condition) => this.#states.note(condition))
  readonly #states = new SentStates(this.#history)
  readonly #due: ReportsDue
  readonly #past: PastRuns
  #save: Save | undefined

  /** @param findDevice finds a device by its serial number */
  constructor(
    clock: Clock,
    settings: AlarmSettings,
    findDevice: (serial: string) => WatchedDevice | undefined,
  ) {
    this.#clock = clock
    this.#settings = settings
    this.mutes = new Mutes(clock, findDevice)
    this.#due = new ReportsDue(clock, settings.remindMs, this.mutes, this.#history)
    this.#past = new PastRuns(clock, this.mutes, this.#history, this.#due)
  }

  get open(): Iterable<Condition> {
    return this.#open
  }

  /** The alarms that are over, in the order in which they became known. */
  get over(): readonly Over[] {
    return this.#history.all
  }

  /** Continues with a saved alarm. One that is no longer watched is over. */
  resume(condition: Condition, alarm: Alarm | undefined): void {
    condition.sentState = alarm?.isAlarm ?? (this.#watches(condition) ? false : undefined)
    condition.sentLatched = condition.sentState
    condition.since = this.#clock.monotonic()
    this.#set(condition, this.#watches(condition) ? alarm : undefined)
    const now = this.#clock.now()
    // A clock that was set back must not put off reminders.
    const ago = (time = now) => condition.since - Math.max(0, now - time)
    condition.reportedAt = ago(alarm?.reportedAt ?? now)
    condition.acknowledgedAt = ago(alarm?.acknowledged?.at)
  }

  /** Continues with saved alarms that are over. Those that are no longer watched do not wait. */
  resumeOver(saved: readonly Over[]): void {
    this.#history.restore(saved)
    for (const { isWaiting, conditions } of saved)
      for (const condition of conditions) {
        if (isWaiting) condition.sentLatched = true
        condition.sentState ??= condition.isAlarm
        if (!this.#watches(condition)) this.#history.retire(condition)
      }
  }

  /** Forgets what is held back about devices. */
  forgetHeld(serials: Serials): void {
    this.#history.dropHeld(({ event }) => isAmong(event.serial ?? undefined, serials))
  }

  /** Begins what is not yet an alarm. */
  begin(condition: Condition, from: number, detail: string | null = null): void {
    if (!this.#watches(condition)) return
    condition.since = this.#clock.monotonic()
    this.#set(condition, toAlarm({ from, detail }))
  }

  /** Begins what is an alarm at once. */
  beginAlarm(condition: Condition, from: number, detail: string | null = null): void {
    this.begin(condition, from, detail)
    this.raise(condition)
  }

  raise(condition: Condition): void {
    if (condition.alarm) this.#set(condition, { ...condition.alarm, isAlarm: true })
  }

  /** Changes what an alarm is about. */
  setDetail(condition: Condition, detail: string | null): void {
    if (condition.alarm) this.#set(condition, { ...condition.alarm, detail })
  }

  /** Ends what a condition has begun. @param until ms since 1970 UTC */
  end(condition: Condition, until: number): void {
    const { alarm } = condition
    this.close(condition)
    if (!alarm?.isAlarm) return
    // A clock that was set back shows earlier times.
    const report = this.#toReport(condition, alarm, 'normal', Math.max(until, alarm.from))
    const isReported = alarm.reportedAt !== null
    if (isReported) this.#due.addNormal(report)
    if (isReported || !condition.isCovered) this.#history.keep(report, condition, { isReported })
  }

  /** Ends what a condition has begun, without an event. */
  close(condition: Condition): void {
    if (condition.alarm) this.#set(condition, undefined)
  }

  /** Ends what a condition has begun, without an event, because it is no longer watched. */
  retire(condition: Condition): void {
    this.close(condition)
    this.#history.retire(condition)
  }

  /** Takes over what measurements have shown about a limit. @param newest the newest time before, ms since 1970 UTC */
  judged(
    condition: LimitCondition,
    { ended, run, changeable, isLate, hasChanged }: Added,
    newest: number,
  ): void {
    // Nearly all messages of nearly all channels.
    const isNormal = !run && !condition.alarm && ended.length === 0 && !changeable
    if (isNormal && condition.sentState === false) return
    const past = [...condition.past]
    for (const one of ended) if (this.#past.noteOver(condition, past, one, newest)) this.noteChange()
    this.#set(condition, run && goOn(condition.alarm, run))
    if (changeable)
      condition.past = past.filter(({ alarm }) => changeable.some((one) => isPartOf(alarm, one)))
    if (isLate) this.#save = 'now'
    else if (hasChanged) this.#save ??= 'soon'
  }

  /** Remembers to send the state of a condition if it is new. */
  noteState(condition: Condition): void {
    const { sentState } = condition
    if (sentState === condition.isAlarm || condition.about.base !== undefined) return
    if (this.#watches(condition) || sentState) this.#states.note(condition)
  }

  /** Something other than an alarm has changed that must be saved. */
  noteChange(): void {
    this.#save = 'now'
  }

  /**
   * What is to be sent after measurements, a command or the passing of time. Alarms that are muted are collected later,
   * as long as they last, and those that are left out with the next message.
   * @param isByClock whether only time has passed
   */
  collect(isByClock = false): Changes {
    this.#due.addNotices(this.mutes.passTime())
    const reports = this.#due.take(this.#open, (condition) => this.#report(condition), isByClock)
    const save = reports.length > 0 ? 'now' : this.#save
    this.#save = undefined
    return { reports, ...this.#states.take(), save }
  }

  /** Whether a condition is in alarm, or was, and nobody has acknowledged what was reported. */
  isLatched(condition: Condition): boolean {
    return this.#states.isLatched(condition)
  }

  /** The alarm of a condition that lasts, or what the condition is about. */
  toState(condition: Condition): Report {
    return toState(condition, this.#clock.now())
  }

  /** The same, but also of an alarm that is over and waits for its acknowledgment. */
  toLatchedState(condition: Condition): Report {
    const over = condition.isAlarm ? undefined : this.#history.lastWaiting(condition)
    return over?.report ?? this.toState(condition)
  }

  /** The alarms that were over at a time or later, the oldest first. @param sinceMs ms since 1970 UTC */
  history(sinceMs: number): Report[] {
    return this.#history.since(sinceMs)
  }

  /** All alarms, as reminders. */
  alarms(): Report[] {
    const alarms = [...this.#open].flatMap((condition) =>
      condition.alarm?.isAlarm && !condition.isCovered
        ? [this.#toReport(condition, condition.alarm, 'reminder')]
        : [],
    )
    const leftOut = alarms.length - MAX_REPORTS
    return leftOut > 0 ? [...alarms.slice(0, MAX_REPORTS), toLeftOut(leftOut)] : alarms
  }

  /**
   * Acknowledges alarms that were reported and last, or are over: all that nobody has acknowledged, or those with these
   * ids, of these devices or of these silent base units.
   * @param details reminders go on after `ms`; never if it is `null`
   */
  acknowledge(of: Serials, details: Signature & { ms: number | null }): void {
    const acknowledged = sign(details, this.#clock.now(), details.ms)
    const isMeant = createFilter(of)
    for (const condition of this.#open) {
      const { alarm } = condition
      if (!alarm?.isAlarm) continue
      const next = { ...alarm, acknowledged }
      const report = this.#toReport(condition, next, 'acknowledged')
      const [isReported, isAcknowledged] = [alarm.reportedAt !== null, alarm.acknowledged !== null]
      if (!isMeant({ event: report.event, isReported, isAcknowledged })) continue
      this.#set(condition, next)
      condition.acknowledgedAt = this.#clock.monotonic()
      this.#due.addNotices([report])
    }
    this.#due.addNotices(this.#history.acknowledge(isMeant, acknowledged))
  }

  /**
   * Holds back alarms and reminders for a time; 0 ends that.
   * @throws EnvlogError `too-many-mutes`
   */
  mute(ms: number, serials: Serials, signature: Signature): void {
    this.#due.addNotices(this.mutes.passTime())
    this.#due.addNotices(
      ms > 0 ? this.mutes.begin(ms, serials, signature) : this.mutes.end(serials, signature),
    )
  }

  /** Numbers of alarms, of other runs and of alarms that wait, and the beginning of the oldest alarm, ms since 1970 UTC; `null` without one. */
  count(): { alarms: number; unacknowledged: number; pending: number; since: number | null } {
    let [alarms, pending, unacknowledged] = [0, 0, this.#history.waitingCount]
    let since: number | null = null
    for (const { alarm, isCovered } of this.#open) {
      if (!alarm) continue
      if (alarm.isAlarm && alarm.reportedAt !== null && !alarm.acknowledged) unacknowledged++
      if (isCovered) continue
      if (!alarm.isAlarm) pending++
      else {
        alarms++
        since = Math.min(since ?? alarm.from, alarm.from)
      }
    }
    return { alarms, unacknowledged, since, pending }
  }

  /** The only place that changes an alarm: here it is decided what must be saved. */
  #set(condition: Condition, alarm: Alarm | undefined): void {
    const before = condition.alarm
    condition.alarm = alarm
    if (alarm) this.#open.add(condition)
    else this.#open.delete(condition)
    this.noteState(condition)
    if (hasChanged(before, alarm)) this.#save = 'now'
    else if (hasGrown(condition, alarm)) this.#save ??= 'soon'
    else return
    condition.savedExtreme = alarm?.extreme ?? null
  }

  #watches({ kind }: Condition): boolean {
    return watches(this.#settings, kind)
  }

  #report(condition: Condition): Report {
    const before = condition.alarm as Alarm
    const alarm = { ...before, reportedAt: this.#clock.now() }
    this.#set(condition, alarm)
    condition.reportedAt = this.#clock.monotonic()
    return this.#toReport(condition, alarm, before.reportedAt === null ? 'alarm' : 'reminder')
  }

  #toReport(condition: Condition, alarm: Alarm, state: Report['event']['state'], until?: number): Report {
    return toReport(condition, { alarm, state, until }, this.#clock.now())
  }
}
