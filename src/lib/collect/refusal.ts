import { DAY_MS } from '../../shared/local-clock'

/** The first pause after a device was refused, or a page of missing records failed. Each further one doubles it. */
const FIRST_PAUSE_MS = 600_000
const MAX_PAUSE_MS = DAY_MS

/** The pause after one of this length, ms; the first one if there was none. */
export const nextPauseMs = (pauseMs: number) => Math.min(MAX_PAUSE_MS, Math.max(FIRST_PAUSE_MS, 2 * pauseMs))

/** The pause after the service has refused a device. Times are monotonic ms. */
export class Refusal {
  #pauseMs = 0
  #until = Number.NEGATIVE_INFINITY
  /** Whether the device probably has no alerts. Then the pause outlives deploys and restarts. */
  #isLasting = false

  /**
   * Begins a pause, which is twice as long as the last one.
   * @param isLasting whether the device probably has no alerts, which allow few requests
   * @returns its length, ms
   */
  begin(now: number, isLasting: boolean): number {
    this.#isLasting = isLasting
    return this.#pause(now, isLasting ? MAX_PAUSE_MS : nextPauseMs(this.#pauseMs))
  }

  /** Continues a lasting pause of an earlier process. @param ms what is left of it */
  resume(now: number, ms: number): void {
    this.#isLasting = true
    this.#pause(now, ms)
  }

  /** How long the pause still lasts, ms; 0 if it is over. */
  left(now: number): number {
    return Math.max(0, this.#until - now)
  }

  /** What is left of a pause that is saved, ms; 0 for none. */
  leftToSave(now: number): number {
    return this.#isLasting ? this.left(now) : 0
  }

  /** Ends the pause. The next one has its initial length again. */
  end(): void {
    this.#pauseMs = 0
    this.#until = Number.NEGATIVE_INFINITY
  }

  deploy(): void {
    if (!this.#isLasting) this.end()
  }

  #pause(now: number, ms: number): number {
    this.#pauseMs = Math.min(MAX_PAUSE_MS, ms)
    this.#until = now + this.#pauseMs
    return this.#pauseMs
  }
}
