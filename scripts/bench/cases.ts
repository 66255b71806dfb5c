/**
 * The benchmark cases: settings of our node, the equivalent requests of the floor and of the hand-built flow, and the
 * goals.
 */
import type { DeviceDefinition, SimulatorOptions } from '../../simulator'
import { alertsByHand, currentByHand, pollByHand, seriesByHand } from './hand-built'

export interface Case {
  name: string
  service: SimulatorOptions
  type: 'envlog-current' | 'envlog-latest' | 'envlog-range' | 'envlog-alerts' | 'envlog-report'
  settings: object
  /** Endpoint and parameters of the requests of the floor and of the hand-built flow. */
  path: string
  requests: object[]
  /** JavaScript for the function node after the http request node, or one of our nodes in place of the flow. */
  hand: string | Pick<Case, 'type' | 'settings'>
  /** Number of messages per trigger; `none` if only the end of the trigger counts. */
  messages: number | 'none'
  /** Whether garbage is collected before each call. */
  isLarge: boolean
  /** Maximum ratio of the time to that of the hand-built flow. */
  goal: number
}

/** The service's time, which does not advance. */
export const SERVICE_TIME = Date.UTC(2026, 0, 15, 12)
const MINUTE = 60_000
const small = { messages: 1, isLarge: false }

const channels = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ num: index + 1, unit: index % 2 === 0 ? 'C' : '%' }))

/** One record per minute, so that a period of n minutes has n records. */
const createDevice = (index: number): DeviceDefinition => ({
  serial: `5BE${String(index).padStart(5, '0')}`,
  name: `Cold room ${index}`,
  kind: 'standalone-2',
  channels: channels(2),
  capacity: 100_000,
  records: { interval: 60, drift: 0 },
})

const remoteUnit: DeviceDefinition = {
  ...createDevice(0),
  kind: 'remote',
  base: { serial: '5FE00001', name: 'Hall 1', model: 'M-500' },
  channels: channels(4),
  alerts: Array.from({ length: 20 }, (_, index) => ({
    unixtime: SERVICE_TIME / 1000 - (20 - index) * 600,
    texts: { [`ch${1 + (index % 4)}`]: index % 2 === 0 ? 'Upper limit exceeded' : 'Recovered' },
  })),
}

/** A service with only this device, and settings and requests that select it. */
function withOnly(device: DeviceDefinition) {
  const { serial = '', base } = device
  return {
    service: { fleet: [device] },
    settings: { select: 'list', devices: [{ serial, base: base?.serial ?? serial }], onlyNew: false },
    requests: [{ 'remote-serial': serial, ...(base && { 'base-serial': base.serial }) }],
  }
}
const standalone = withOnly(createDevice(0))
const remote = withOnly(remoteUnit)

const current = (count: number, goal: number): Case => ({
  name: `current, ${count.toLocaleString('en')} devices`,
  service: { devices: count },
  type: 'envlog-current',
  settings: { select: 'all', onlyNew: false },
  path: 'current',
  requests: [{}],
  hand: currentByHand,
  messages: 1,
  isLarge: count >= 5000,
  goal,
})

const latest = { type: 'envlog-latest', hand: seriesByHand.readings, ...small, goal: 0.6 } as const

function range(
  records: number,
  channelCount: 2 | 4,
  form: keyof typeof seriesByHand,
  goal: Case['goal'],
): Case {
  const isRemote = channelCount === 4
  const { service, settings, requests } = isRemote ? remote : standalone
  const from = SERVICE_TIME - records * MINUTE
  const period = { from: new Date(from).toISOString(), to: new Date(SERVICE_TIME).toISOString() }
  const output = form === 'each' ? { output: 'readings', send: 'each' } : { output: form, send: 'device' }
  const bounds = { 'unixtime-from': from / 1000 - 1, 'unixtime-to': SERVICE_TIME / 1000, number: records }
  return {
    name: `range, ${records.toLocaleString('en')} × ${channelCount}, ${form}`,
    service,
    type: 'envlog-range',
    settings: { ...settings, fromType: 'date', toType: 'date', ...period, ...output },
    path: isRemote ? 'data-relay' : 'data',
    requests: requests.map((params) => ({ ...params, ...bounds })),
    hand: seriesByHand[form],
    messages: form === 'each' ? records : 1,
    isLarge: true,
    goal,
  }
}

/** All devices are requested with *Only new*; only the first trigger finds new records. */
export function poll(count: number): Case {
  const fleet = Array.from({ length: count }, (_, index) => createDevice(index))
  return {
    name: `poll of ${count} devices, nothing new`,
    service: { fleet },
    type: 'envlog-latest',
    settings: { select: 'list', devices: fleet.map(({ serial }) => ({ serial, base: serial })) },
    path: 'latest-data',
    requests: fleet.map(({ serial }) => ({ 'remote-serial': serial })),
    hand: pollByHand(count),
    messages: 'none',
    isLarge: true,
    goal: 1,
  }
}

/** A day of two channels as a report with limits, compared with the records themselves. */
export function report(count: number): Case {
  const fleet = Array.from({ length: count }, (_, index) => createDevice(index))
  const from = SERVICE_TIME - 1440 * MINUTE
  const period = {
    ...{ fromType: 'date', from: new Date(from).toISOString() },
    ...{ toType: 'date', to: new Date(SERVICE_TIME).toISOString() },
  }
  return {
    name: `report of ${count} devices × 1,440 × 2 (hand-built: records of a period)`,
    service: { fleet },
    type: 'envlog-report',
    settings: { select: 'all', limits: 'limits', period: 'custom', ...period },
    path: 'data',
    requests: fleet.map(({ serial }) => ({
      ...{ 'remote-serial': serial, 'unixtime-from': from / 1000, 'unixtime-to': SERVICE_TIME / 1000 },
      number: 1440,
    })),
    hand: {
      type: 'envlog-range',
      settings: { select: 'all', ...period, output: 'readings', send: 'device' },
    },
    messages: 'none',
    isLarge: true,
    // Against a service that answers at once. Each value is judged, counted, drawn and part of the checksum.
    goal: 3.5,
  }
}

const alerts = { type: 'envlog-alerts', hand: alertsByHand, ...small, goal: 0.8 } as const

export const cases: readonly Case[] = [
  current(10, 0.9),
  current(100, 0.8),
  current(1000, 0.8),
  current(5000, 0.65),
  { name: 'latest, 300 records, standalone', ...standalone, ...latest, path: 'latest-data' },
  { name: 'latest, 300 records, remote', ...remote, ...latest, path: 'latest-data-relay' },
  range(16_000, 2, 'readings', 0.45),
  range(65_535, 2, 'readings', 0.45),
  range(65_535, 4, 'readings', 0.45),
  range(65_535, 4, 'rows', 0.6),
  range(65_535, 4, 'each', 1),
  { name: 'alerts', ...remote, ...alerts, path: 'alert' },
  poll(500),
  report(60),
]
