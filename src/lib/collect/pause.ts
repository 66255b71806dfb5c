import { DAY_MS } from '../../shared/local-clock'

/** The first pause after a device was refused, or a page of missing records failed. Each further one doubles it. */
export const FIRST_PAUSE_MS = 600_000
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
