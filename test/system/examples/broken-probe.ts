import type { DeviceDefinition } from '../../../simulator'

/** A remote unit with a value just above zero, and with a broken probe at channel 4, as a PLC gets them. */
export const unitWithBrokenProbe = (name: string): DeviceDefinition => ({
  serial: '52C10002',
  name,
  base: { serial: '5F0A1001', name: 'Hall 1' },
  channels: [
    { num: 1, unit: 'C' },
    { num: 4, unit: 'C', broken: 'Sensor Error' },
  ],
  records: [],
  current: () => ({ unixtime: Math.floor(Date.now() / 1000), values: { 1: 0.1, 4: 'Sensor Error' } }),
})
