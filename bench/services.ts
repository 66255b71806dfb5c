/** The simulated services of the cases: fleets, and how they write numbers. */
import type { DeviceDefinition, SimulatorOptions } from '../simulator'

export const SERVICE_TIME = Date.UTC(2026, 0, 15, 12)

/** A record every minute: a period of n minutes has n records. */
const everyMinute = { capacity: 100_000, records: { interval: 60, drift: 0 } } as const

const channels = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ num: index + 1, unit: index % 2 === 0 ? 'C' : '%' }))

export const standaloneDevice: DeviceDefinition = {
  serial: '5BE00001',
  name: 'Cold room',
  model: 'M-700',
  kind: 'standalone-2',
  channels: channels(2),
  ...everyMinute,
}

export const remoteDevice: DeviceDefinition = {
  serial: '5BE00002',
  name: 'Shelf',
  model: 'M-610',
  base: { serial: '5FE00001', name: 'Hall 1', model: 'M-500' },
  group: { num: 1, name: 'Cold chain' },
  channels: channels(4),
  alerts: Array.from({ length: 20 }, (_, index) => ({
    unixtime: SERVICE_TIME / 1000 - (20 - index) * 600,
    texts: { [`ch${1 + (index % 4)}`]: index % 2 === 0 ? 'Upper limit exceeded' : 'Recovered' },
  })),
  ...everyMinute,
}

const records = { fleet: [standaloneDevice, remoteDevice] }

/** Standalone devices with a record every minute. */
const polled = (count: number) => ({
  fleet: Array.from({ length: count }, (_, index) => ({
    ...standaloneDevice,
    serial: `5BF${String(index).padStart(5, '0')}`,
    name: `Cold room ${index}`,
  })),
})

export const services = {
  'poll-10': polled(10),
  'poll-100': polled(100),
  'poll-500': polled(500),
  'poll-5000': polled(5000),
  'current-10': { devices: 10 },
  'current-100': { devices: 100 },
  'current-1000': { devices: 1000 },
  'current-5000': { devices: 5000 },
  numbers: { ...records, variants: { numbers: 'number' } },
  text: { ...records, variants: { numbers: 'text' } },
} as const satisfies Record<string, SimulatorOptions>

export type ServiceName = keyof typeof services

/** A running service. */
export interface OpenService {
  url: string
  login: { apiKey: string; loginId: string; loginPass: string }
}
