import { isAmong } from '../../shared/action'
import type { Clock } from '../clock'
import { type Alarm, type Condition, LimitCondition, type PastAlarm, toAlarm } from './condition'
import { type Report, toLeftOut, toReport } from './event'
import type { Ended, Run } from './judge'
import { Mutes } from './mutes'
import type { Added } from './pieces'

/** Maximum number of alarms, reminders and `ended` events at a time. */
export const MAX_REPORTS = 100

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
  #normal: Report[] = []
  #ended: Report[] = []
  /** Alarms that were over before a mute began during which they became known. */
  #held: Report[] = []
  /** How many more there were. */
  #notHeld = 0
  /** Conditions whose state may be new. */
  #changed: Condition[] = []
  /** The alarms that were too many for the last message. */
  readonly #leftOut = new Set<Condition>()
  #save: Save | undefined

  constructor(clock: Clock, settings: AlarmSettings) {
    this.#clock = clock
    this.#settings = settings
    this.mutes = new Mutes(clock)
  }

  get open(): Iterable<Condition> {
    return this.#open
  }

  get held(): readonly Report[] {
    return this.#held
  }

  /** Continues with a saved alarm. One that is no longer watched is over. */
  resume(condition: Condition, alarm: Alarm | undefined): void {
    condition.sentState = alarm?.isAlarm ?? (this.#watches(condition) ? false : undefined)
    condition.since = this.#clock.monotonic()
    this.#set(condition, this.#watches(condition) ? alarm : undefined)
    const now = this.#clock.now()
    // A clock that was set back must not put off reminders.
    condition.reportedAt = condition.since - Math.max(0, now - (alarm?.reportedAt ?? now))
  }

  resumeHeld(held: readonly Report[]): void {
    this.#held = [...held]
  }

  /** Forgets what is held back about devices. */
  forgetHeld(serials: readonly string[] | 'all'): void {
    this.#held = this.#held.filter(({ event }) => !isAmong(event.serial ?? undefined, serials))
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
    if (!alarm) return
    this.close(condition)
    // A clock that was set back shows earlier times.
    if (alarm.reportedAt !== null)
      this.#normal.push(this.#toReport(condition, alarm, 'normal', { until: Math.max(until, alarm.from) }))
  }

  /** Ends what a condition has begun without a word. */
  close(condition: Condition): void {
    if (condition.alarm) this.#set(condition, undefined)
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
    for (const one of ended) this.#noteOver(condition, past, one, newest)
    if (run || condition.alarm) this.#set(condition, run && goOn(condition.alarm, run))
    else this.noteState(condition)
    if (changeable)
      condition.past = past.filter(({ alarm }) => changeable.some((one) => isPartOf(alarm, one)))
    if (isLate) this.#save = 'now'
    else if (hasChanged) this.#save ??= 'soon'
  }

  /** Remembers to send the state of a condition if it is new. */
  noteState(condition: Condition): void {
    const { sentState, isAlarm, about } = condition
    if (about.base !== undefined) return
    if (sentState !== isAlarm && (this.#watches(condition) || sentState)) this.#changed.push(condition)
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
    if (!isByClock) this.#leftOut.clear()
    const due: Condition[] = []
    for (const condition of this.#open)
      if (!this.#leftOut.has(condition) && this.#isDue(condition)) due.push(condition)
    for (const condition of due.slice(MAX_REPORTS)) this.#leftOut.add(condition)
    const reported = due.slice(0, MAX_REPORTS).map((condition) => this.#report(condition))
    const released = this.#releaseHeld()
    const notHeld = released.length > 0 ? this.#notHeld : 0
    const all = [...released, ...this.#ended]
    const ended = all.slice(0, MAX_REPORTS - reported.length)
    const leftOut = all.length + due.length - ended.length - reported.length + notHeld
    const reports = [...this.#normal, ...ended, ...reported, ...(leftOut > 0 ? [toLeftOut(leftOut)] : [])]
    const states = this.#changed.filter((condition) => {
      const isNew = condition.sentState !== condition.isAlarm
      condition.sentState = condition.isAlarm
      return isNew
    })
    const save = reports.length > 0 ? 'now' : this.#save
    this.#normal = []
    this.#ended = []
    this.#changed = []
    this.#notHeld -= notHeld
    this.#save = undefined
    return { reports, states, save }
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

  /** Ends the reminders of the alarms that last now. */
  acknowledge(serials: readonly string[] | 'all'): void {
    for (const condition of this.#open) {
      const { alarm, about } = condition
      if (alarm?.isAlarm && isAmong(about.device?.serial ?? about.base?.serial, serials))
        this.#set(condition, { ...alarm, isAcknowledged: true })
    }
  }

  /** Holds back alarms and reminders for a time; 0 ends that. */
  mute(ms: number, serials: readonly string[] | 'all'): void {
    this.mutes.set(ms, serials)
    this.noteChange()
  }

  /** Number of alarms and of other runs, and the beginning of the oldest alarm, ms since 1970 UTC. */
  count(): { alarms: number; pending: number; since: number } {
    let [alarms, pending] = [0, 0]
    let since = Number.POSITIVE_INFINITY
    for (const { alarm, isCovered } of this.#open) {
      if (!alarm || isCovered) continue
      if (!alarm.isAlarm) pending++
      else {
        alarms++
        since = Math.min(since, alarm.from)
      }
    }
    return { alarms, since, pending }
  }

  /** The only place that changes an alarm: here it is decided what must be saved. */
  #set(condition: Condition, alarm: Alarm | undefined): void {
    const before = condition.alarm
    condition.alarm = alarm
    if (alarm) this.#open.add(condition)
    else {
      this.#open.delete(condition)
      this.#leftOut.delete(condition)
    }
    this.noteState(condition)
    if (hasChanged(before, alarm)) this.#save = 'now'
    else if (hasGrown(condition, alarm)) this.#save ??= 'soon'
    else return
    condition.savedExtreme = alarm?.extreme ?? null
  }

  /** Reports the end of a run if it was reported, or is an alarm that was not known, or that was known differently. */
  #noteOver(condition: LimitCondition, past: PastAlarm[], one: Ended, newest: number): void {
    const { run, time, value } = one
    const lasting = reportedIn(condition.alarm, one)
    const known = lasting ? undefined : findIn(past, one)
    const before = lasting ?? known?.alarm
    const isNew = run.isAlarm && time > (condition.about.channel?.first ?? Number.NEGATIVE_INFINITY)
    if (known ? isSame(known, one) : !lasting && !isNew) return
    this.noteChange()
    const alarm = { ...(before ?? toAlarm({ from: run.from, reportedAt: this.#clock.now() })), ...run }
    const over = { alarm, time, value }
    past.splice(known ? past.indexOf(known) : past.length, 1, over)
    const late = time <= newest
    const isNormal = lasting !== undefined && run.isAlarm && !late
    const revised = before !== undefined && !isNormal
    const state = isNormal ? 'normal' : 'ended'
    const report = this.#toReport(condition, alarm, state, { until: time, value, late, revised })
    if (isNormal) this.#normal.push(report)
    else if (!this.#changeHeld(report, over, past)) this.#noteEnded(report, over, condition)
  }

  /** Puts right what is held back. What is no longer an alarm is forgotten. @returns whether it is held back */
  #changeHeld(report: Report, over: PastAlarm, past: PastAlarm[]): boolean {
    const held = this.#held.findIndex(({ event }) => event.id === report.event.id)
    if (held < 0) return false
    const { isAlarm } = over.alarm
    const changed = { ...report, event: { ...report.event, revised: false } }
    this.#held.splice(held, 1, ...(isAlarm ? [changed] : []))
    if (!isAlarm) past.splice(past.indexOf(over), 1)
    return true
  }

  /** Reports what is over, unless that is held back by a mute: what was outside while it lasted, is not reported. */
  #noteEnded(report: Report, { alarm, time }: PastAlarm, { about }: LimitCondition): void {
    const mutedSince = this.mutes.since(about.device?.serial)
    if (alarm.reportedAt === null) return
    else if (report.event.revised || mutedSince === undefined) this.#ended.push(report)
    else if (time > mutedSince) alarm.reportedAt = null
    else if (this.#held.length < MAX_REPORTS) this.#held.push(report)
    else this.#notHeld++
  }

  /** The reports whose mute is over. */
  #releaseHeld(): Report[] {
    const isMuted = ({ event }: Report) => this.mutes.since(event.serial ?? undefined) !== undefined
    const released = this.#held.filter((report) => !isMuted(report))
    this.#held = this.#held.filter(isMuted)
    return released
  }

  #watches({ kind }: Condition): boolean {
    const { errorAfterMs, silentAfterMs, battery } = this.#settings
    if (kind === 'error') return errorAfterMs < Number.POSITIVE_INFINITY
    if (kind === 'silent' || kind === 'no-data') return silentAfterMs < Number.POSITIVE_INFINITY
    return kind !== 'battery' || battery
  }

  #isDue(condition: Condition): boolean {
    const { alarm, about, reportedAt, isCovered } = condition
    if (!alarm?.isAlarm || isCovered) return false
    const { remindMs } = this.#settings
    const remindsNow = remindMs > 0 && this.#clock.monotonic() - reportedAt >= remindMs
    if (this.mutes.since(about.device?.serial) !== undefined) {
      // No reminder is made up for at the end.
      if (remindsNow) condition.reportedAt = this.#clock.monotonic()
      return false
    }
    return alarm.reportedAt === null || (remindsNow && !alarm.isAcknowledged)
  }

  #report(condition: Condition): Report {
    const before = condition.alarm as Alarm
    const alarm = { ...before, reportedAt: this.#clock.now() }
    this.#set(condition, alarm)
    condition.reportedAt = this.#clock.monotonic()
    return this.#toReport(condition, alarm, before.reportedAt === null ? 'alarm' : 'reminder')
  }

  #toReport(
    condition: Condition,
    alarm: Alarm,
    state: Report['event']['state'],
    details: { until?: number; value?: number; late?: boolean; revised?: boolean } = {},
  ): Report {
    return toReport(condition, { alarm, state, ...details }, this.#clock.now())
  }
}

/** Whether an alarm that was reported is part of a run: the value with which it began lies in it. */
const isPartOf = ({ key }: Alarm, { run, time }: Ended) => key >= run.from && key < time

/** The alarm that lasted until now, if it was reported and is part of a run. */
const reportedIn = (alarm: Alarm | undefined, one: Ended) =>
  alarm && alarm.reportedAt !== null && isPartOf(alarm, one) ? alarm : undefined

/** What was reported of a run. One that was put right to less than an alarm counts only if there is no other. */
function findIn(past: readonly PastAlarm[], one: Ended): PastAlarm | undefined {
  const found = past.filter(({ alarm }) => isPartOf(alarm, one))
  return found.find(({ alarm }) => alarm.isAlarm) ?? found[0]
}

const isSame = ({ alarm, time }: PastAlarm, { run, time: until }: Ended) =>
  alarm.from === run.from && time === until && alarm.extreme === run.extreme

/** The alarm of a run that lasts, which goes on if it was reported. */
function goOn(alarm: Alarm | undefined, run: Run): Alarm {
  const isReported = alarm !== undefined && alarm.reportedAt !== null
  return isReported && alarm.key >= run.from && alarm.key <= run.at ? { ...alarm, ...run } : toAlarm(run)
}

/** Whether a change must be saved before anything is sent. */
function hasChanged(before: Alarm | undefined, alarm: Alarm | undefined): boolean {
  if (!before || !alarm) return before !== alarm
  return (['from', 'isAlarm', 'reportedAt', 'isAcknowledged', 'detail'] as const).some(
    (property) => before[property] !== alarm[property],
  )
}

/** Whether the furthest value is so far from the saved one that it must be saved, too. */
function hasGrown(condition: Condition, alarm: Alarm | undefined): boolean {
  const { savedExtreme } = condition
  if (!(condition instanceof LimitCondition) || savedExtreme === null || !alarm?.isAlarm) return false
  return Math.abs((alarm.extreme ?? savedExtreme) - savedExtreme) >= Math.max(1, condition.limit.margin)
}
