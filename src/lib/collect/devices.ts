import { EnvlogError } from '../errors'
import type { RequestContext } from '../request'
import type { AccountDevice, AccountDevices } from './account-devices'

/** A device as specified by a user; without `base`, the device under each of its base units. */
export interface NamedDevice {
  serial: string
  base?: string
  /** Whether the user has named it as a remote unit. */
  isRemote?: true
}

/** @param base omitted if absent or empty */
export function nameDevice(serial: string, base: string | null | undefined): NamedDevice {
  return base ? { serial, base } : { serial }
}

/**
 * The devices of a node: all devices of the account, or individual devices, all devices under base units, and all
 * devices in groups.
 */
export type Selection = 'all' | NamedSelection

export interface NamedSelection {
  devices: readonly NamedDevice[]
  /** Serials of base units. */
  bases: readonly string[]
  /** Names of groups. */
  groups: readonly string[]
}

/** A device that can be requested; `base` determines which endpoint serves it. */
export interface ResolvedDevice {
  serial: string
  /** Equal to `serial` if the device is standalone. */
  base: string
}

/** `base/serial`, because a serial can exist under several base units of an account. */
export function deviceKey({ serial, base }: ResolvedDevice): string {
  return `${base}/${serial}`
}

/** The device with a key of `deviceKey`. */
export function deviceOfKey(key: string): { base: string; serial: string } {
  const slash = key.lastIndexOf('/')
  return { base: key.slice(0, slash), serial: key.slice(slash + 1) }
}

/** A failure of a single device, or of a group that no device belongs to. */
export interface DeviceFailure {
  device: NamedDevice | { group: string }
  error: EnvlogError
}

/**
 * Resolves a selection to devices, in the specified order, without duplicates and excluded serials. `unknown` lists
 * devices and groups that the account does not have.
 * @throws EnvlogError if the request for the account's list fails
 */
export async function resolveDevices(
  selection: Selection,
  exclude: readonly string[],
  list: AccountDevices,
  context: RequestContext,
): Promise<{ devices: ResolvedDevice[]; unknown: DeviceFailure[] }> {
  const excluded = new Set(exclude)
  const { found, unknown } =
    selection === 'all'
      ? { found: await list.all(context), unknown: [] }
      : await findNamed(selection, excluded, list, context)
  const devices = new Map<string, ResolvedDevice>()
  for (const device of found) if (!excluded.has(device.serial)) devices.set(deviceKey(device), device)
  return { devices: [...devices.values()], unknown }
}

/** The devices of a selection, and those that the account does not have. Some may be excluded, or appear twice. */
async function findNamed(
  { devices, bases, groups }: NamedSelection,
  excluded: ReadonlySet<string>,
  list: AccountDevices,
  context: RequestContext,
): Promise<{ found: ResolvedDevice[]; unknown: DeviceFailure[] }> {
  const found: ResolvedDevice[] = []
  const unknown: DeviceFailure[] = []
  const addListed = async (matches: (entry: AccountDevice) => boolean, ifNone: DeviceFailure) => {
    const listed = await list.filter(matches, context)
    found.push(...listed)
    if (listed.length === 0) unknown.push(ifNone)
  }
  for (const { serial, base } of devices) {
    if (base !== undefined) found.push({ serial, base })
    else if (!excluded.has(serial)) await addListed((entry) => entry.serial === serial, unknownDevice(serial))
  }
  for (const base of bases) await addListed((entry) => entry.base === base, unknownDevice(base, base))
  for (const group of groups) await addListed((entry) => entry.group?.name === group, unknownGroup(group))
  return { found, unknown }
}

/** Whether the device has no base unit. */
export function isStandalone({ serial, base }: ResolvedDevice): boolean {
  return serial === base
}

/** Whether the failure is that of a device or a group that the account does not have. */
export const isUnknown = ({ error: { reason } }: DeviceFailure): boolean =>
  reason === 'device-unknown' || reason === 'group-unknown'

/** The failure of a group that no device of the account belongs to. */
export function unknownGroup(group: string): DeviceFailure {
  return { device: { group }, error: new EnvlogError('group-unknown', { group }, { group }) }
}

/** The failure of a device that the account does not have. */
export function unknownDevice(serial: string, base?: string): DeviceFailure {
  const device = nameDevice(serial, base)
  return { device, error: new EnvlogError('device-unknown', { serial }, device) }
}
