import type { Clock } from '../../../lib/clock'
import { deviceKey, type ResolvedDevice } from '../../../lib/collect/devices'

/** How long a refused device is left out; each further refusal doubles it. */
const FIRST_PAUSE_MS = 600_000
const MAX_PAUSE_MS = 86_400_000

/**
 * Devices that the service refused, because some models have no such data: with all devices chosen, a node would be
 * refused each time (docs/collecting.md, *Refused devices*). A deploy empties it.
 */
export class RefusedDevices {
  readonly #clock: Clock
  readonly #pauses = new Map<string, { serial: string; pauseMs: number; until: number }>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** @returns when it is to be requested again, ms since 1970 UTC */
  add(device: ResolvedDevice): number {
    const key = deviceKey(device)
    const before = this.#pauses.get(key)
    const pauseMs = before ? Math.min(MAX_PAUSE_MS, 2 * before.pauseMs) : FIRST_PAUSE_MS
    const until = this.#clock.monotonic() + pauseMs
    this.#pauses.set(key, { serial: device.serial, pauseMs, until })
    return this.#clock.now() + pauseMs
  }

  /** The service has answered: its pauses start over. */
  succeed(device: ResolvedDevice): void {
    this.#pauses.delete(deviceKey(device))
  }

  /** Whether the device is left out now. */
  has(device: ResolvedDevice): boolean {
    const { until = Number.NEGATIVE_INFINITY } = this.#pauses.get(deviceKey(device)) ?? {}
    return this.#clock.monotonic() < until
  }

  forget(serials: readonly string[] | 'all'): void {
    for (const [key, { serial }] of this.#pauses)
      if (serials === 'all' || serials.includes(serial)) this.#pauses.delete(key)
  }
}
