import type { ListedDevice } from '../../src/shared/admin'

interface ListedDeviceOptions {
  name?: string
  model?: string
  group?: string
  /** Serial of its base unit; if absent, the device is standalone. */
  base?: string
  values?: ListedDevice['values']
}

/** A device in the picker's list. */
export function listedDevice(serial: string, parts: ListedDeviceOptions = {}): ListedDevice {
  const { name = '', model = 'M-500', group = '', base, values = [] } = parts
  return {
    ...{ serial, name, model, group, values, timestamp: null, battery: null },
    base: { serial: base ?? serial, name: '', model },
    standalone: base === undefined,
  }
}
