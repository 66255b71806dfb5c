import type { Clock } from '../../../lib/clock'
import { deviceKey, type ResolvedDevice } from '../../../lib/collect/devices'

const A_DAY_MS = 86_400_000

/**
 * Devices that the service refused: with all devices chosen, some kinds have no such data. They are asked again
 * once a day, after a deploy, and when the node is told to forget.
 */
export interface RefusedDevices {
  add(target: ResolvedDevice): void
  has(target: ResolvedDevice): boolean
  forget(serials: readonly string[] | 'all'): void
}

export function createRefusedDevices(clock: Clock): RefusedDevices {
  const since = new Map<string, { serial: string; at: number }>()
  return {
    add(target) {
      for (const [key, { at }] of since) if (clock.monotonic() - at >= A_DAY_MS) since.delete(key)
      since.set(deviceKey(target), { serial: target.serial, at: clock.monotonic() })
    },
    has(target) {
      const refused = since.get(deviceKey(target))
      return refused !== undefined && clock.monotonic() - refused.at < A_DAY_MS
    },
    forget(serials) {
      for (const [key, { serial }] of since) {
        if (serials === 'all' || serials.includes(serial)) since.delete(key)
      }
    },
  }
}
