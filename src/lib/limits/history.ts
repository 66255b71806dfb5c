import type { createFilter } from './acknowledgment'
import type { Acknowledgment, Condition } from './condition'
import { type LimitEvent, type Report, toAcknowledged } from './event'

/** Maximum number of alarms that are over, and of those among them that a mute holds back. */
export const MAX_OVER = 200
export const MAX_HELD = 100

/** An alarm that is over. */
export interface Over {
  /** Of state `ended`, as last reported. */
  report: Report
  /** What it was about, as far as that is still watched. */
  conditions: readonly Condition[]
  /** Whether it was reported, and nobody has acknowledged it. */
  isWaiting: boolean
  /** Whether it is reported when a mute is over. */
  isHeld: boolean
}

/** The last alarms that are over (docs/limits.md, *History*). */
export class History {
  readonly #noteLatch: (condition: Condition) => void
  /** In the order in which they were over, or became known. */
  #all: Over[] = []

  /** @param noteLatch is called for conditions about which an alarm begins or ceases to wait */
  constructor(noteLatch: (condition: Condition) => void) {
    this.#noteLatch = noteLatch
  }

  get all(): readonly Over[] {
    return this.#all
  }

  /** Number of alarms that nobody has acknowledged. */
  get waitingCount(): number {
    return this.#all.filter(({ isWaiting }) => isWaiting).length
  }

  get hasRoomForHeld(): boolean {
    return this.#all.filter(({ isHeld }) => isHeld).length < MAX_HELD
  }

  find(id: string | null): Over | undefined {
    return this.#all.find(({ report }) => report.event.id === id)
  }

  isHeld(id: string | null): boolean {
    return this.find(id)?.isHeld ?? false
  }

  /** The last alarm of a condition that nobody has acknowledged. */
  lastWaiting(condition: Condition): Over | undefined {
    return this.#all.findLast(({ isWaiting, conditions }) => isWaiting && conditions.includes(condition))
  }

  /** The alarms that were over at a time or later, the oldest first. @param time ms since 1970 UTC */
  since(time: number): Report[] {
    const timeOf = ({ event }: Report) => Date.parse(event.until ?? '')
    return this.#all
      .map(({ report }) => report)
      .filter((report) => timeOf(report) >= time)
      .sort((a, b) => timeOf(a) - timeOf(b))
  }

  /** Adds an alarm that is over, or replaces what is known of it. */
  keep(
    report: Report,
    condition: Condition,
    { isReported = false, isHeld = false }: { isReported?: boolean; isHeld?: boolean },
  ): void {
    const event: LimitEvent = { ...report.event, state: 'ended' }
    const over = {
      report: { event, utcOffset: report.utcOffset },
      conditions: condition.about.base?.silences ?? [condition],
      isWaiting: isReported && event.acknowledged === null,
      isHeld,
    }
    const index = this.#all.findIndex(({ report }) => report.event.id === event.id)
    this.#all.splice(index < 0 ? this.#all.length : index, 1, over)
    this.#note(over)
    if (this.#all.length > MAX_OVER) this.#drop()
  }

  remove(id: string | null): void {
    this.#all = this.#all.filter(({ report }) => report.event.id !== id)
  }

  /** @returns the alarms that nobody had acknowledged and that are meant, as events of state `acknowledged` */
  acknowledge(isMeant: ReturnType<typeof createFilter>, acknowledged: Acknowledgment): Report[] {
    const found = this.#all.filter(({ report: { event }, isWaiting }) => {
      const isAcknowledged = event.acknowledged !== null
      return !isAcknowledged && isMeant({ event, isReported: isWaiting, isAcknowledged })
    })
    return found.map((over) => {
      const { event, utcOffset } = over.report
      over.report = { event: { ...event, acknowledged: toAcknowledged(acknowledged) }, utcOffset }
      over.isWaiting = false
      this.#note(over)
      return { ...over.report, event: { ...over.report.event, state: 'acknowledged' } }
    })
  }

  /** No longer holds back those whose mute is over. @returns these */
  release(isMuted: (report: Report) => boolean): Report[] {
    const released = this.#all.filter(({ isHeld, report }) => isHeld && !isMuted(report))
    return released.map((over) => {
      over.isHeld = false
      over.isWaiting = over.report.event.acknowledged === null && over.conditions.length > 0
      this.#note(over)
      return over.report
    })
  }

  /** A condition is no longer watched: nothing about it waits. */
  retire(condition: Condition): void {
    for (const over of this.#all) {
      if (!over.conditions.includes(condition)) continue
      over.conditions = over.conditions.filter((one) => one !== condition)
      over.isWaiting &&= over.conditions.length > 0
      this.#noteLatch(condition)
    }
  }

  /** Does not report what is held back about devices. */
  dropHeld(isMeant: (report: Report) => boolean): void {
    for (const over of this.#all) over.isHeld &&= !isMeant(over.report)
  }

  /** Continues with saved alarms, whose conditions follow. */
  restore(saved: readonly Over[]): void {
    this.#all = [...saved]
  }

  /** Drops the oldest alarm, but rather one that is not the last reason why a state is kept, and none that is held back. */
  #drop(): void {
    const last = new Map<Condition, Over>()
    for (const over of this.#all)
      if (over.isWaiting) for (const condition of over.conditions) last.set(condition, over)
    const needed = new Set(last.values())
    const index = this.#all.findIndex((over) => !over.isHeld && !needed.has(over))
    const [dropped] = this.#all.splice(index < 0 ? this.#all.findIndex(({ isHeld }) => !isHeld) : index, 1)
    if (dropped) this.#note(dropped)
  }

  #note({ conditions }: Over): void {
    for (const condition of conditions) this.#noteLatch(condition)
  }
}
