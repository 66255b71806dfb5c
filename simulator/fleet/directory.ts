/** The devices of the account, found by serial. */

import type { EndpointName } from '../endpoints'
import { OptionError } from '../option-error'
import type { DeviceDefinition } from './definition'
import { type Device, deviceFrom, isRemote } from './device'

export interface Directory {
  devices: readonly Device[]
  /** a device by its serial and that of its base unit; without the latter, a standalone device */
  find(serial: string, base?: string): Device | undefined
  /** whether any device has this serial */
  knows(serial: string): boolean
}

export function directoryOf(
  definitions: readonly DeviceDefinition[],
  seed: number | string,
  startTime: number,
): Directory {
  const byKey = new Map<string, Device>()
  const serials = new Set<string>()
  const devices = definitions.map((definition) => {
    const device = deviceFrom(definition, seed, startTime)
    const key = keyOf(device.serial, device.base.serial)
    if (byKey.has(key))
      throw new OptionError(`fleet: ${device.serial} stands twice under ${device.base.serial}`)
    byKey.set(key, device)
    serials.add(device.serial)
    return device
  })
  return {
    devices,
    find: (serial, base) => byKey.get(keyOf(serial, base ?? serial)),
    knows: (serial) => serials.has(serial),
  }
}

function keyOf(serial: string, base: string): string {
  return JSON.stringify([serial, base])
}

/** The endpoints that serve each kind of device (docs/service.md, *Requests*), except `current`, which serves all. */
const served: Readonly<Record<Device['kind'], readonly EndpointName[]>> = {
  'standalone-1': ['latest-data', 'data', 'alert'],
  'standalone-2': ['latest-data', 'data'],
  remote: ['latest-data-relay', 'data-relay', 'alert'],
  'older-remote': [],
  'other-standalone': [],
}

export function endpointsOf(device: Device): readonly EndpointName[] {
  return ['current', ...served[device.kind].filter((endpoint) => allows(device, endpoint))]
}

function allows(device: Device, endpoint: EndpointName): boolean {
  if (!isRemote(device.kind)) return true
  if (device.base.sends === 'ftp') return false
  return device.base.relayEndpoints || endpoint === 'alert'
}
