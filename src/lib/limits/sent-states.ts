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
    const states = this.#takeNew('sentState', ({ isAlarm }) => isAlarm)
    const latched = this.#takeNew('sentLatched', (condition) => this.isLatched(condition))
    this.#changed = []
    return { states, latched }
  }

  isLatched(condition: Condition): boolean {
    const covering = condition.coveredBy?.alarm
    const isWaiting = covering != null && covering.reportedAt !== null && covering.acknowledged === null
    return condition.isAlarm || isWaiting || this.#history.lastWaiting(condition) !== undefined
  }

  #takeNew(sent: 'sentState' | 'sentLatched', stateOf: (condition: Condition) => boolean): Condition[] {
    return this.#changed.filter((condition) => {
      const state = stateOf(condition)
      const isNew = condition[sent] !== state
      condition[sent] = state
      return isNew
    })
  }
}
