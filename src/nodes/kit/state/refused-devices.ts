import type { Clock } from '../../../lib/clock'
import { deviceKey, type ResolvedDevice } from '../../../lib/collect/devices'

/** A refused device is requested again after so long. */
const REFUSAL_MS = 86_400_000

/**
 * Devices that the service refused, because some models have no such data: with all devices chosen, a node would be
 * refused each time (docs/collecting.md, *Refused devices*). A deploy empties it.
 */
export interface RefusedDevices {
  add(device: ResolvedDevice): void
  has(device: ResolvedDevice): boolean
  forget(serials: readonly string[] | 'all'): void
}

export function createRefusedDevices(clock: Clock): RefusedDevices {
  const refusals = new Map<string, { serial: string; at: number }>()
  const isExpired = (at: number) => clock.monotonic() - at >= REFUSAL_MS
  return {
    add(device) {
      for (const [key, { at }] of refusals) if (isExpired(at)) refusals.delete(key)
      refusals.set(deviceKey(device), { serial: device.serial, at: clock.monotonic() })
    },
    has(device) {
      const refusal = refusals.get(deviceKey(device))
      return refusal !== undefined && !isExpired(refusal.at)
    },
    forget(serials) {
      for (const [key, { serial }] of refusals) {
        if (serials === 'all' || serials.includes(serial)) refusals.delete(key)
      }
    },
  }
}
