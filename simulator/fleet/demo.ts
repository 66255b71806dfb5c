/**
 * The demo fleet, which is small and realistic, and has examples of the special cases in docs/service.md. Times
 * relative to the start are rounded to its day.
 */
import type { BaseUnitDefinition, DeviceDefinition } from './definition'
import { type Signal, signals } from './signal'

const day = 86_400

const bases = {
  office: { serial: '5F0A1001', model: 'B-500', name: 'Office', zone: { timeDiff: 540 } },
  factory: { serial: '5F0A1002', model: 'B-500', name: '第2工場', zone: { timeDiff: 540 } },
  depot: { serial: '5F0A1003', model: 'B-300', name: 'Old depot', sends: 'ftp', zone: { timeDiff: 540 } },
  newYork: {
    serial: '5F0A1004',
    model: 'B-500',
    name: 'New York',
    zone: { timeDiff: -300, dstBias: 60, timeZone: 'America/New_York' },
  },
} as const satisfies Record<string, BaseUnitDefinition>

const coldStore = { num: 1, name: 'Cold store' }

/** The same temperatures in degrees Fahrenheit. */
function fahrenheit(celsius: Signal): Signal {
  const { mean, upperLimit } = celsius
  const differences = ['daily', 'wander', 'noise', 'swing', 'rise'] as const
  const scaled = differences.map((name) => [name, (celsius[name] ?? 0) * 1.8])
  return {
    ...celsius,
    ...Object.fromEntries(scaled),
    mean: mean * 1.8 + 32,
    ...(upperLimit === undefined ? {} : { upperLimit: upperLimit * 1.8 + 32 }),
  }
}

export function demoFleet(startTime: number): DeviceDefinition[] {
  const today = Math.floor(startTime / 1000 / day) * day
  return [...standaloneDevices(today), ...remoteDevices(today), ...currentOnly]
}

function standaloneDevices(today: number): DeviceDefinition[] {
  return [
    {
      serial: '52A10001',
      model: 'M-500',
      name: 'Freezer 1',
      group: coldStore,
      // The second probe is not connected, so it always has an error text.
      channels: [
        { num: 1, name: 'Freezer', unit: 'C', signal: signals.freezer },
        { num: 2, name: 'Probe 2', unit: 'C', broken: 'Sensor Error' },
      ],
      records: { interval: 600 },
    },
    {
      serial: '52A10002',
      model: 'M-500',
      name: '冷蔵庫 受入口',
      // A group with a name is a group even if its number is 0 (docs/service.md, *Fields*).
      group: { num: 0, name: '予備' },
      language: 'ja',
      battery: 3,
      channels: [
        { num: 1, name: '庫内温度', unit: '℃', signal: signals.fridge },
        { num: 2, name: '湿度', unit: '%', signal: signals.humidity },
      ],
      records: { interval: 60 },
    },
    {
      serial: '52A10003',
      model: 'M-540',
      name: 'St. John’s store',
      group: coldStore,
      zone: { timeDiff: -210, dstBias: 60, timeZone: 'America/St_Johns' },
      channels: [{ num: 1, name: 'Air', unit: 'C', signal: signals.fridge }],
      // It was initialized the day before yesterday, so its ids started again.
      records: { interval: 300, restartedAt: today - 2 * day + 30_000 },
    },
    {
      serial: '52A10004',
      model: 'M-500',
      name: 'Loading dock',
      battery: 2,
      rssi: 1,
      channels: [{ num: 1, name: 'Dock', unit: 'C', signal: signals.outdoor }],
      // It has been silent for nine days.
      records: { interval: 600, until: today - 9 * day },
    },
    {
      kind: 'standalone-2',
      serial: '52B10005',
      model: 'M-700',
      name: 'Meeting room',
      zone: { timeDiff: 330 },
      channels: [
        { num: 1, name: 'CO2', unit: 'ppm', signal: signals.co2 },
        { num: 2, name: 'Temperature', unit: 'C', signal: signals.room },
      ],
      records: { interval: 300 },
    },
    {
      kind: 'standalone-2',
      serial: '52B10006',
      model: 'M-710',
      name: 'Server room',
      // With external power, it reports battery code 1. Its ids are always 0 (docs/service.md, *Fields*).
      battery: 1,
      rssi: null,
      channels: [
        { num: 1, name: 'Intake', unit: 'C', signal: signals.room },
        { num: 2, name: 'Exhaust', unit: 'C', signal: { ...signals.room, mean: 33 } },
      ],
      records: { interval: 60, zeroIds: true },
    },
    // It is registered, but has not sent anything yet.
    { kind: 'standalone-2', serial: '52B10007', model: 'M-700', name: 'Spare', records: [] },
  ]
}

function remoteDevices(today: number): DeviceDefinition[] {
  const wrapsAt = today
  return [
    {
      serial: '52C10008',
      model: 'M-610',
      name: 'Rack A',
      num: 1,
      base: bases.office,
      channels: [
        { num: 1, unit: 'C', signal: signals.room },
        { num: 2, unit: '%', signal: signals.humidity },
      ],
      // Around the beginning of the day, its ids return to 0 after 65,535.
      records: { interval: 60, drift: 0, from: wrapsAt - 60 * 65_536, firstId: 0 },
    },
    {
      serial: '52C10009',
      model: 'M-600',
      name: 'Rack B',
      num: 2,
      base: bases.office,
      group: { num: 2, name: 'Racks' },
      channels: [{ num: 1, unit: 'C', signal: signals.room }],
      records: { interval: 120, gaps: true },
    },
    {
      serial: '52C10010',
      model: 'M-660',
      name: '温室',
      num: 1,
      base: bases.factory,
      language: 'ja',
      // It has six channels on current and alert, but four on the relay endpoints (docs/service.md, *Fields*).
      channels: [
        { num: 1, unit: '℃', signal: signals.outdoor },
        { num: 2, unit: '%', signal: signals.humidity },
        { num: 3, unit: 'lx', signal: signals.light },
        { num: 4, unit: 'mW/cm2', signal: signals.ultraviolet },
        { num: 5, unit: 'klxh', signal: { ...signals.light, mean: 40, daily: 20, wander: 10, noise: 1 } },
        { num: 6, unit: 'mW/cm2h', signal: signals.ultraviolet },
      ],
      records: { interval: 300 },
    },
    {
      // It has the serial of Rack A under another base unit (docs/glossary.md), and only ch1 and ch3. The unit of ch1
      // is degrees Fahrenheit.
      serial: '52C10008',
      model: 'M-630',
      name: 'Freezer truck',
      num: 1,
      base: bases.newYork,
      battery: 4,
      channels: [
        { num: 1, unit: 'F', signal: fahrenheit(signals.freezer) },
        { num: 3, unit: '%', signal: signals.humidity },
      ],
      records: { interval: 180 },
    },
  ]
}

const currentOnly: readonly DeviceDefinition[] = [
  {
    serial: '52C10011',
    model: 'M-600',
    name: 'Depot gate',
    num: 1,
    base: bases.depot,
    channels: [{ num: 1, unit: 'C', signal: signals.outdoor }],
  },
  {
    kind: 'older-remote',
    serial: '31D10012',
    model: 'M-300',
    name: 'Archive, old relay',
    num: 7,
    base: bases.office,
    channels: [
      { num: 1, unit: 'C', signal: signals.room },
      { num: 2, unit: '%', signal: signals.humidity },
    ],
  },
  {
    kind: 'other-standalone',
    serial: '41E10013',
    model: 'M-200',
    name: 'Workshop',
    channels: [{ num: 1, name: 'Air', unit: 'C', signal: signals.room }],
  },
]
