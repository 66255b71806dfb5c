import { EnvlogError } from '../errors'
import type { Asker } from '../quota/asker'
import type { Directory } from './directory'

/** A device as a user names it; without `base` the directory tells it, all of several. */
export interface NamedDevice {
  serial: string
  base?: string
}

/** A named device; absent and empty bases are left out. */
export function nameDevice(serial: string, base: string | null | undefined): NamedDevice {
  return base ? { serial, base } : { serial }
}

/** Which devices a node is to ask: all of the account, or those named and those under the named base units. */
export type Selection = 'all' | { devices: readonly NamedDevice[]; bases: readonly string[] }

/** A device that can be asked: which endpoint serves it follows from `base`. */
export interface Target {
  serial: string
  /** Equal to `serial` for a standalone device. */
  base: string
  /** Of the directory, where it was asked. */
  name?: string
  group?: string
}

/** Names a target among those of an account: a serial may stand under several base units. */
export function targetKey({ serial, base }: Target): string {
  return `${base}/${serial}`
}

/** What concerns one device alone. */
export interface DeviceFailure {
  device: NamedDevice
  error: EnvlogError
}

export interface Resolved {
  targets: Target[]
  /** Devices the account does not have. */
  unknown: DeviceFailure[]
}

/** The devices of a selection, each once, in the order named; excluded serials are never among them. */
export async function resolveDevices(
  selection: Selection,
  exclude: readonly string[],
  directory: Directory,
  asker: Asker,
): Promise<Resolved> {
  const unknown: Resolved['unknown'] = []
  const targets = new Map<string, Target>()
  const skipped = new Set(exclude)
  const add = ({ serial, base, name, group }: Target) => {
    if (skipped.has(serial)) return
    const told = name === undefined || group === undefined ? {} : { name, group }
    targets.set(targetKey({ serial, base }), { serial, base, ...told })
  }

  if (selection === 'all') for (const entry of await directory.all(asker)) add(entry)
  else {
    for (const device of selection.devices) {
      if (skipped.has(device.serial)) continue
      const { serial, base } = device
      if (base !== undefined) add({ serial, base })
      else {
        const found = await directory.find(serial, asker)
        found.forEach(add)
        if (found.length === 0) unknown.push(unknownDevice(serial))
      }
    }
    for (const base of selection.bases) {
      const under = (await directory.all(asker)).filter((entry) => entry.base === base)
      under.forEach(add)
      if (under.length === 0) unknown.push(unknownDevice(base, base))
    }
  }
  return { targets: [...targets.values()], unknown }
}

export function isStandalone({ serial, base }: Target): boolean {
  return serial === base
}

export function unknownDevice(serial: string, base?: string): DeviceFailure {
  const device = nameDevice(serial, base)
  return { device, error: new EnvlogError('device-unknown', { serial }, device) }
}
