import { DAY_MS } from '../../shared/local-clock'
import { Pause } from './pause'

/** Alerts allow few requests, so a device that probably has none is skipped for this time. */
const NO_ALERTS_PAUSE_MS = DAY_MS

/** How long a device is skipped because the service has refused it. Times are monotonic ms. */
export class Refusal {
  readonly #pause = new Pause()
  /** Whether the device probably has no alerts. Then the pause outlives deploys and restarts. */
  #lacksAlerts = false

  /** @returns the length of the pause, ms */
  begin(now: number, lacksAlerts: boolean): number {
    this.#lacksAlerts = lacksAlerts
    return lacksAlerts ? this.#pause.begin(now, NO_ALERTS_PAUSE_MS) : this.#pause.begin(now)
  }

  /** How long the device is still skipped, ms; 0 if it is not. */
  left(now: number): number {
    return this.#pause.left(now)
  }

  /** Ends the pause. The next one has its initial length again. */
  end(): void {
    this.#pause.reset()
    this.#lacksAlerts = false
  }

  /** Call this when the node is created again in the same process. */
  deploy(): void {
    if (!this.#lacksAlerts) this.end()
  }

  /** The rest of the pause, if it has to be saved, ms; 0 otherwise. */
  toSave(now: number): number {
    return this.#lacksAlerts ? this.left(now) : 0
  }

  /** Restores what `toSave` has returned. */
  restore(now: number, ms: number): void {
    if (ms <= 0) return
    this.#lacksAlerts = true
    this.#pause.resume(now, ms)
  }
}
