/** Creates fleets of any size, from the demo fleet and generated devices. */
import { seedFrom } from '../random'
import type { BaseUnitDefinition, DeviceDefinition } from './definition'
import { demoFleet } from './demo'
import { type Signal, signals } from './signal'

/** Generated devices per base unit. The numbers of devices that are not remote units stay unused. */
const unitsPerBase = 40

const intervals = [60, 120, 300, 600]

interface Template {
  kind: 'standalone-1' | 'standalone-2' | 'remote'
  model: string
  name: string
  channels: readonly { name: string; unit: string; signal: Signal }[]
}

const temperature = { name: 'Temperature', unit: 'C', signal: signals.room }
const humidity = { name: 'Humidity', unit: '%', signal: signals.humidity }
const freezer = { name: 'Freezer', unit: 'C', signal: signals.freezer }

const templates: readonly Template[] = [
  { kind: 'remote', model: 'M-610', name: 'Shelf', channels: [temperature, humidity] },
  { kind: 'remote', model: 'M-600', name: 'Freezer', channels: [freezer] },
  { kind: 'standalone-1', model: 'M-500', name: 'Cold room', channels: [freezer, humidity] },
  { kind: 'remote', model: 'M-610', name: '棚', channels: [temperature, humidity] },
  {
    kind: 'standalone-2',
    model: 'M-700',
    name: 'Room',
    channels: [{ name: 'CO2', unit: 'ppm', signal: signals.co2 }, temperature],
  },
]

export function createFleet(count: number, seed: number | string, startTime: number): DeviceDefinition[] {
  const fleet = demoFleet(startTime).slice(0, count)
  for (let i = fleet.length; i < count; i++) fleet.push(createDevice(i, seed))
  return fleet
}

function createDevice(index: number, seed: number | string): DeviceDefinition {
  const template = templates[index % templates.length] as Template
  const random = seedFrom(seed, 'made', index)
  const device: DeviceDefinition = {
    kind: template.kind,
    serial: `53${index.toString(16).toUpperCase().padStart(6, '0')}`,
    model: template.model,
    name: `${template.name} ${index}`,
    battery: random % 20 === 0 ? 2 : 5,
    rssi: 1 + (random % 5),
    group: { num: 1 + (random % 8), name: `Area ${1 + (random % 8)}` },
    channels: template.channels.map((channel, i) => ({ ...channel, num: i + 1 })),
    records: { interval: intervals[random % intervals.length] ?? 600 },
  }
  return template.kind === 'remote'
    ? { ...device, num: (index % unitsPerBase) + 1, base: createBase(index) }
    : device
}

function createBase(index: number): BaseUnitDefinition {
  const number = Math.floor(index / unitsPerBase)
  const serial = `5F${number.toString(16).toUpperCase().padStart(6, '0')}`
  return { serial, model: 'B-500', name: `Base ${number}`, zone: { timeDiff: 540 } }
}
