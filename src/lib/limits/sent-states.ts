import type { Condition } from './condition'
import type { History } from './history'

/** The states of conditions that were sent last (docs/limits.md, *States*). */
export class SentStates {
  readonly #history: History
  /** Conditions whose state may be new. */
  #changed: Condition[] = []

  constructor(history: History) {
    this.#history = history
  }

  note(condition: Condition): void {
    this.#changed.push(condition)
  }

  /** The conditions whose plain state, and whose latched one, is not the one that was sent. */
  take(): { states: Condition[]; latched: Condition[] } {
    const states: Condition[] = []
    const latched: Condition[] = []
    for (const condition of this.#changed) {
      const { isAlarm } = condition
      if (condition.sentState !== isAlarm) states.push(condition)
      condition.sentState = isAlarm
      const isLatched = this.isLatched(condition)
      if (condition.sentLatched !== isLatched) latched.push(condition)
      condition.sentLatched = isLatched
    }
    this.#changed = []
    return { states, latched }
  }

  isLatched(condition: Condition): boolean {
    if (condition.isAlarm) return true
    const covering = condition.coveredBy?.alarm
    const isWaiting = covering != null && covering.reportedAt !== null && covering.acknowledged === null
    return isWaiting || this.#history.lastWaiting(condition) !== undefined
  }
}
