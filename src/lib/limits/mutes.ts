import { DAY_MS } from '../../shared/local-clock'
import type { Clock } from '../clock'

export const MAX_MUTE_MS = 7 * DAY_MS

/** By serial number, or blank for all devices: beginning and end, ms since 1970 UTC. */
export type SavedMutes = readonly (readonly [serial: string, since: number, until: number])[]

/** Beginning and end, monotonic ms, because the system clock may be set. */
interface Mute {
  begin: number
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
    this.passTime()
    if (serials === 'all' && ms === 0) this.#mutes.clear()
    const now = this.#clock.monotonic()
    for (const serial of serials === 'all' ? [''] : serials) {
      if (ms === 0) this.#mutes.delete(serial)
      else this.#mutes.set(serial, { begin: this.#mutes.get(serial)?.begin ?? now, end: now + ms })
    }
  }

  /** Since when a device is muted, ms since 1970 UTC; `undefined` if it is not. */
  since(serial: string | undefined): number | undefined {
    const times = ['', serial ?? ''].flatMap((key) => {
      const mute = this.#mutes.get(key)
      return mute && mute.end > this.#clock.monotonic() ? [mute.begin] : []
    })
    return times.length > 0 ? this.#toTime(Math.min(...times)) : undefined
  }

  /** When the mute of all devices ends, ms since 1970 UTC; `null` if they are not muted. */
  get until(): number | null {
    const mute = this.#mutes.get('')
    return mute && mute.end > this.#clock.monotonic() ? this.#toTime(mute.end) : null
  }

  /** Forgets mutes that are over. */
  passTime(): void {
    for (const [serial, { end }] of this.#mutes)
      if (end <= this.#clock.monotonic()) this.#mutes.delete(serial)
  }

  toSave(): SavedMutes {
    return Array.from(this.#mutes, ([serial, { begin, end }]) => [
      serial,
      this.#toTime(begin),
      this.#toTime(end),
    ])
  }

  restore(saved: SavedMutes): void {
    const [now, monotonic] = [this.#clock.now(), this.#clock.monotonic()]
    for (const [serial, since, until] of saved) {
      // A clock that was set back must not lengthen it.
      const left = Math.min(until - now, until - since, MAX_MUTE_MS)
      if (left > 0)
        this.#mutes.set(serial, { begin: monotonic - Math.max(0, now - since), end: monotonic + left })
    }
  }

  /** A monotonic time in ms since 1970 UTC, by the clock as it is set now. */
  #toTime(monotonic: number): number {
    return Math.round(this.#clock.now() - this.#clock.monotonic() + monotonic)
  }
}
