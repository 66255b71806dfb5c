import type { ListedDevice } from '../../src/shared/admin'

interface ListedDeviceOptions {
  name?: string
  model?: string
  group?: string
  /** Serial of its base unit; if absent, the device is standalone. */
  base?: string
  channels?: ListedDevice['channels']
}

/** A device in the picker's list. */
export function listedDevice(serial: string, parts: ListedDeviceOptions = {}): ListedDevice {
  const { name = '', model = 'M-500', group, base, channels = [] } = parts
  return {
    serial,
    name,
    model,
    channels,
    timestamp: null,
    battery: { level: 'unknown' },
    group: group === undefined ? null : { name: group },
    base: { serial: base ?? serial, name: '', model },
    standalone: base === undefined,
  }
}
