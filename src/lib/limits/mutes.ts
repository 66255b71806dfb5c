import { DAY_MS } from '../../shared/local-clock'
import type { Clock } from '../clock'

export const MAX_MUTE_MS = 7 * DAY_MS

/** By serial number, or blank for all devices: beginning and end, ms since 1970 UTC. */
export type SavedMutes = readonly (readonly [serial: string, since: number, until: number])[]

interface Mute {
  /** ms since 1970 UTC. */
  since: number
  /** Monotonic ms, because the system clock may be set. */
  end: number
}

/** The devices whose alarms are held back for a time. */
export class Mutes {
  readonly #clock: Clock
  /** By serial number, or blank for all devices. */
  readonly #mutes = new Map<string, Mute>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Mutes devices for a time; 0 ends that. A mute that lasts is made longer or shorter. */
  set(ms: number, serials: readonly string[] | 'all'): void {
    if (serials === 'all' && ms === 0) this.#mutes.clear()
    const [now, end] = [this.#clock.now(), this.#clock.monotonic() + ms]
    for (const serial of serials === 'all' ? [''] : serials) {
      if (ms === 0) this.#mutes.delete(serial)
      else this.#mutes.set(serial, { since: this.#mutes.get(serial)?.since ?? now, end })
    }
  }

  /** Since when a device is muted, ms since 1970 UTC; `undefined` if it is not. */
  since(serial: string | undefined): number | undefined {
    const times = ['', serial ?? ''].flatMap((key) => {
      const mute = this.#mutes.get(key)
      return mute && mute.end > this.#clock.monotonic() ? [mute.since] : []
    })
    return times.length > 0 ? Math.min(...times) : undefined
  }

  /** When the mute of all devices ends, ms since 1970 UTC; `null` if they are not muted. */
  get until(): number | null {
    const mute = this.#mutes.get('')
    return mute ? this.#clock.now() + mute.end - this.#clock.monotonic() : null
  }

  /** Forgets mutes that are over. */
  passTime(): void {
    for (const [serial, { end }] of this.#mutes)
      if (end <= this.#clock.monotonic()) this.#mutes.delete(serial)
  }

  toSave(): SavedMutes {
    const ahead = this.#clock.now() - this.#clock.monotonic()
    return Array.from(this.#mutes, ([serial, { since, end }]) => [serial, since, Math.round(end + ahead)])
  }

  restore(saved: SavedMutes): void {
    const now = this.#clock.now()
    for (const [serial, since, until] of saved) {
      // A clock that was set back must not lengthen it.
      const left = Math.min(until - now, until - since, MAX_MUTE_MS)
      if (left > 0) this.#mutes.set(serial, { since, end: this.#clock.monotonic() + left })
    }
  }
}
