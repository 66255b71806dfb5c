import type { Serials } from '../../shared/action'
import { DAY_MS } from '../../shared/local-clock'
import type { Clock } from '../clock'
import { EnvlogError } from '../errors'
import { type Signature, sign } from './acknowledgment'
import type { Acknowledgment, WatchedDevice } from './condition'
import { type Report, toMuteReport } from './event'

export const MAX_MUTE_MS = 7 * DAY_MS
/** Maximum number of devices that are muted one by one. */
export const MAX_MUTED_DEVICES = 1000

/** By serial number, or blank for all devices: beginning and end, ms since 1970 UTC. */
export type SavedMutes = readonly (readonly [serial: string, since: number, until: number])[]

/** Beginning and end, monotonic ms, because the system clock may be set. */
interface Mute {
  begin: number
  end: number
}

/** The two clocks differ by a little more or less each time that they are read. */
const CLOCK_JITTER_MS = 1000

/** Stands for all devices. */
const ALL = ''

/** The devices whose alarms are held back for a time. */
export class Mutes {
  readonly #clock: Clock
  readonly #findDevice: (serial: string) => WatchedDevice | undefined
  /** By serial number, or `ALL`. */
  readonly #mutes = new Map<string, Mute>()
  /** The end of the mute of all devices as last told, ms since 1970 UTC. */
  #until = 0

  /** @param findDevice finds a device by its serial number */
  constructor(clock: Clock, findDevice: (serial: string) => WatchedDevice | undefined) {
    this.#clock = clock
    this.#findDevice = findDevice
  }

  /**
   * Mutes devices for a time. A mute that lasts is made longer or shorter.
   * @returns an event for each
   * @throws EnvlogError `too-many-mutes`
   */
  begin(ms: number, serials: Serials, signature: Signature): Report[] {
    const now = this.#clock.monotonic()
    const keys = new Set(serials === 'all' ? [ALL] : serials)
    const devices = new Set([...this.#mutes.keys(), ...keys])
    devices.delete(ALL)
    if (devices.size > MAX_MUTED_DEVICES) throw new EnvlogError('too-many-mutes', { most: MAX_MUTED_DEVICES })
    const acknowledged = sign(signature, this.#clock.now())
    return Array.from(keys, (key) => {
      const mute = { begin: this.#mutes.get(key)?.begin ?? now, end: now + ms }
      this.#mutes.set(key, mute)
      return this.#toReport('muted', key, mute, acknowledged)
    })
  }

  /** Ends mutes now; with `all`, also those of single devices. @returns an event for each */
  end(serials: Serials, signature: Signature): Report[] {
    const end = this.#clock.monotonic()
    const acknowledged = sign(signature, this.#clock.now())
    const ended = this.#remove((key) => serials === 'all' || serials.includes(key))
    return ended.map(([key, { begin }]) => this.#toReport('unmuted', key, { begin, end }, acknowledged))
  }

  /** Forgets the mutes whose time is over. @returns an event for each */
  passTime(): Report[] {
    const ended = this.#remove((_, mute) => !this.#lasts(mute))
    return ended.map(([key, mute]) => this.#toReport('unmuted', key, mute, null))
  }

  /** Since when a device is muted, ms since 1970 UTC; `undefined` if it is not. */
  since(serial: string | undefined): number | undefined {
    const times = [ALL, serial ?? ALL].flatMap((key) => {
      const mute = this.#mutes.get(key)
      return mute && this.#lasts(mute) ? [mute.begin] : []
    })
    return times.length > 0 ? this.#toTime(Math.min(...times)) : undefined
  }

  /** When the mute of all devices ends, ms since 1970 UTC; `null` if they are not muted. */
  get until(): number | null {
    const mute = this.#mutes.get(ALL)
    if (!mute || !this.#lasts(mute)) return null
    const until = this.#toTime(mute.end)
    if (Math.abs(until - this.#until) >= CLOCK_JITTER_MS) this.#until = until
    return this.#until
  }

  /** Number of devices that are muted one by one. */
  get deviceCount(): number {
    let count = 0
    for (const [key, mute] of this.#mutes) if (key !== ALL && this.#lasts(mute)) count++
    return count
  }

  toSave(): SavedMutes {
    return Array.from(this.#mutes, ([serial, { begin, end }]) => [
      serial,
      this.#toTime(begin),
      this.#toTime(end),
    ])
  }

  /** Continues with saved mutes, also with those whose time is over, of which nobody knows yet. */
  restore(saved: SavedMutes): void {
    const [now, monotonic] = [this.#clock.now(), this.#clock.monotonic()]
    for (const [serial, since, until] of saved) {
      // A clock that was set back must not lengthen it.
      const left = Math.min(until - now, until - since, MAX_MUTE_MS)
      this.#mutes.set(serial, { begin: monotonic - Math.max(0, now - since), end: monotonic + left })
    }
  }

  #lasts({ end }: Mute): boolean {
    return end > this.#clock.monotonic()
  }

  #remove(isOver: (key: string, mute: Mute) => boolean): [key: string, mute: Mute][] {
    const removed = [...this.#mutes].filter(([key, mute]) => isOver(key, mute))
    for (const [key] of removed) this.#mutes.delete(key)
    return removed
  }

  #toReport(
    state: 'muted' | 'unmuted',
    key: string,
    { begin, end }: Mute,
    acknowledged: Acknowledgment | null,
  ): Report {
    const serial = key === ALL ? null : key
    const device = this.#findDevice(key)
    const times = { from: this.#toTime(begin), until: this.#toTime(end) }
    return toMuteReport({ state, serial, device, ...times, acknowledged }, this.#clock.now())
  }

  /** A monotonic time in ms since 1970 UTC, by the clock as it is set now. */
  #toTime(monotonic: number): number {
    return Math.round(this.#clock.now() - this.#clock.monotonic() + monotonic)
  }
}
