/** The devices of the account by serial number. */
import type { EndpointName } from '../endpoints'
import { OptionError } from '../option-error'
import type { DeviceDefinition } from './definition'
import { createDevice, type Device, isRemote } from './device'

export interface Directory {
  devices: readonly Device[]
  /** finds a remote unit by its serial and the serial of its base unit, or a standalone device by its serial */
  find(serial: string, base?: string): Device | undefined
  /** whether any device has this serial, under any base unit */
  knows(serial: string): boolean
}

export function createDirectory(
  definitions: readonly DeviceDefinition[],
  seed: number | string,
  startTime: number,
): Directory {
  const byKey = new Map<string, Device>()
  const serials = new Set<string>()
  const devices = definitions.map((definition) => {
    const device = createDevice(definition, seed, startTime)
    const key = toKey(device.serial, device.base.serial)
    if (byKey.has(key))
      throw new OptionError(`fleet: ${device.serial} is listed twice under ${device.base.serial}`)
    byKey.set(key, device)
    serials.add(device.serial)
    return device
  })
  return {
    devices,
    find: (serial, base) => byKey.get(toKey(serial, base ?? serial)),
    knows: (serial) => serials.has(serial),
  }
}

function toKey(serial: string, base: string): string {
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
  return ['current', ...served[device.kind].filter((endpoint) => isServed(device, endpoint))]
}

function isServed(device: Device, endpoint: EndpointName): boolean {
  if (!isRemote(device.kind)) return true
  if (device.base.sends === 'ftp') return false
  return device.base.relayEndpoints || endpoint === 'alert'
}
