import { DAY_MS } from '../../shared/local-clock'
import type { EnvlogError } from '../errors'

/** The first pause after a device was refused, or a page of missing records failed. Each further one doubles it. */
const FIRST_PAUSE_MS = 600_000
export const MAX_PAUSE_MS = DAY_MS

/** The pauses after failures that are likely to persist. Times are monotonic ms. */
export class Pause {
  #ms = 0
  #until = Number.NEGATIVE_INFINITY

  /** @returns the length of the pause, ms */
  begin(now: number, minMs = FIRST_PAUSE_MS): number {
    return this.resume(now, Math.max(minMs, 2 * this.#ms))
  }

  /** Continues a pause that began in an earlier process. @returns its length, ms */
  resume(now: number, ms: number): number {
    this.#ms = Math.min(MAX_PAUSE_MS, ms)
    this.#until = now + this.#ms
    return this.#ms
  }

  /** How long it still lasts, ms; 0 if it is over. */
  left(now: number): number {
    return Math.max(0, this.#until - now)
  }

  /** Ends the pause. The next one has its initial length again. */
  end(): void {
    this.#ms = 0
    this.#until = Number.NEGATIVE_INFINITY
  }
}

/** A gateway may fail for hours, so a hole is given up only after its page has failed this often over this time. */
const GIVE_UP_AFTER = { count: 3, ms: DAY_MS }
/** After this many failures in a row because pages contradict each other, the records of the page are accepted. */
const MAX_CONTRADICTIONS = 2

/** The failures of a hole since a page of it was last received. Times are monotonic ms. */
export class HoleFailures extends Pause {
  #count = 0
  #firstAt = 0
  #contradictions = 0

  /** Whether a page is accepted even if it contradicts its neighbour. */
  get acceptsContradiction(): boolean {
    return this.#contradictions >= MAX_CONTRADICTIONS
  }

  /** @returns after how many ms the page is requested again; `undefined` if the hole is given up */
  add(error: EnvlogError, now: number): number | undefined {
    if (this.#count === 0) this.#firstAt = now
    this.#count++
    this.#contradictions = error.reason === 'response-lacks-record' ? this.#contradictions + 1 : 0
    const isPersistent = this.#count >= GIVE_UP_AFTER.count && now - this.#firstAt >= GIVE_UP_AFTER.ms
    return isPersistent ? undefined : this.begin(now)
  }
}
