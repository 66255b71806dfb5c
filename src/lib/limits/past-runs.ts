import type { Clock } from '../clock'
import { type Alarm, type LimitCondition, type PastAlarm, toAlarm } from './condition'
import { type Report, toReport } from './event'
import type { History } from './history'
import type { Ended, Run } from './judge'
import type { Mutes } from './mutes'
import type { ReportsDue } from './reports-due'

/** Reports the runs of limits that are over, once, and corrects what late values change (docs/judging.md, *Late values*). */
export class PastRuns {
  readonly #clock: Clock
  readonly #mutes: Mutes
  readonly #history: History
  readonly #due: ReportsDue

  constructor(clock: Clock, mutes: Mutes, history: History, due: ReportsDue) {
    this.#clock = clock
    this.#mutes = mutes
    this.#history = history
    this.#due = due
  }

  /**
   * Reports the end of a run if it was reported, or is an alarm that was not known, or that was known differently.
   * @param past what was reported of the condition, which is changed
   * @param newest the newest time before, ms since 1970 UTC
   * @returns whether something was not known
   */
  noteOver(condition: LimitCondition, past: PastAlarm[], one: Ended, newest: number): boolean {
    const { run, time, value } = one
    const lasting = reportedIn(condition.alarm, one)
    const known = lasting ? undefined : findIn(past, one)
    const before = lasting ?? known?.alarm
    if (known ? isSame(known, one) : !lasting && !isNew(one, condition)) return false
    const begun = toAlarm({
      from: run.from,
      ...acknowledgedIn(condition.alarm, one),
      reportedAt: this.#clock.now(),
    })
    const alarm = { ...(before ?? begun), ...run }
    const over = { alarm, time, value }
    past.splice(known ? past.indexOf(known) : past.length, 1, over)
    const late = time <= newest
    const isNormal = lasting !== undefined && run.isAlarm && !late
    const revised = before !== undefined && !isNormal
    const report = this.#toReport(condition, over, { isNormal, late, revised })
    if (isNormal) this.#noteNormal(report, condition)
    else if (known && this.#isUntold(report, alarm)) this.#change(report, condition, over, past)
    else this.#noteEnded(report, over, condition)
    return true
  }

  #noteNormal(report: Report, condition: LimitCondition): void {
    this.#due.addNormal(report)
    this.#history.keep(report, condition, { isReported: true })
  }

  /** Whether a mute holds an alarm back, or held it back for ever. */
  #isUntold({ event }: Report, { reportedAt }: Alarm): boolean {
    return reportedAt === null || this.#history.isHeld(event.id)
  }

  /** Puts right what was not told. What is held back and no longer an alarm is forgotten. */
  #change(report: Report, condition: LimitCondition, over: PastAlarm, past: PastAlarm[]): void {
    const { event } = report
    const isHeld = this.#history.isHeld(event.id)
    if (over.alarm.isAlarm)
      this.#history.keep({ ...report, event: { ...event, revised: false } }, condition, { isHeld })
    else {
      this.#history.remove(event.id)
      if (isHeld) past.splice(past.indexOf(over), 1)
    }
  }

  /** An alarm that is over, with the acknowledgment that came after its end. */
  #toReport(
    condition: LimitCondition,
    { alarm, time, value }: PastAlarm,
    { isNormal, late, revised }: { isNormal: boolean; late: boolean; revised: boolean },
  ): Report {
    const state = isNormal ? 'normal' : 'ended'
    const details = { alarm, state, until: time, value, late, revised } as const
    const { event, utcOffset } = toReport(condition, details, this.#clock.now())
    const kept = this.#history.find(event.id)?.report.event
    return { event: { ...event, acknowledged: event.acknowledged ?? kept?.acknowledged ?? null }, utcOffset }
  }

  /** Reports what is over, unless that is held back by a mute: what was outside while it lasted, is not reported. */
  #noteEnded(report: Report, { alarm, time }: PastAlarm, condition: LimitCondition): void {
    const mutedSince = this.#mutes.since(condition.about.device?.serial)
    const isReported = report.event.revised || mutedSince === undefined
    const isEarlier = !isReported && time <= mutedSince
    const isHeld = isEarlier && this.#history.hasRoomForHeld
    if (isReported) this.#due.addEnded(report)
    else if (!isEarlier) alarm.reportedAt = null
    else if (!isHeld) this.#due.addNotHeld()
    this.#history.keep(report, condition, { isReported, isHeld })
  }
}

/** Whether an alarm that was reported is part of a run: the value with which it began lies in it. */
export const isPartOf = ({ key }: Alarm, { run, time }: Ended) => key >= run.from && key < time

/** The alarm that lasted until now, if it was reported and is part of a run. */
const reportedIn = (alarm: Alarm | undefined, one: Ended) =>
  alarm && alarm.reportedAt !== null && isPartOf(alarm, one) ? alarm : undefined

/** Who acknowledged the alarm that lasted until now, also if it was held back, if it is part of a run. */
const acknowledgedIn = (alarm: Alarm | undefined, one: Ended) =>
  alarm?.acknowledged && isPartOf(alarm, one) && { key: alarm.key, acknowledged: alarm.acknowledged }

/** Whether a run was an alarm that was not over before its channel was first seen. */
const isNew = ({ run, time }: Ended, { about }: LimitCondition) =>
  run.isAlarm && time > (about.channel?.first ?? Number.NEGATIVE_INFINITY)

/** What was reported of a run. One that was put right to less than an alarm counts only if there is no other. */
function findIn(past: readonly PastAlarm[], one: Ended): PastAlarm | undefined {
  const found = past.filter(({ alarm }) => isPartOf(alarm, one))
  return found.find(({ alarm }) => alarm.isAlarm) ?? found[0]
}

const isSame = ({ alarm, time }: PastAlarm, { run, time: until }: Ended) =>
  alarm.from === run.from && time === until && alarm.extreme === run.extreme

/** The alarm of a run that lasts, which goes on if it was reported or acknowledged. */
export function goOn(alarm: Alarm | undefined, run: Run): Alarm {
  const isKnown = alarm !== undefined && (alarm.reportedAt !== null || alarm.acknowledged !== null)
  return isKnown && alarm.key >= run.from ? { ...alarm, ...run } : toAlarm(run)
}
