/**
 * The demo fleet for live demonstrations. Each device sends every ten seconds. In the first three minutes, a freezer
 * becomes warm and recovers, a device becomes silent, and a battery runs low.
 */
import type { DeviceDefinition } from './definition'
import { demoFleet } from './demo'
import { signals } from './signal'

const transmission = 10

/** Defrosts, but never rises above its limit or fails by chance, so that only the story causes alerts. */
const freezer = {
  ...signals.freezer,
  daily: 0.4,
  noise: 0.1,
  cycle: 21_600,
  swing: 1.5,
  excursions: 0,
  failures: 0,
}

/** Never too warm by chance, which would distract from the battery. */
const rack = { ...signals.room, excursions: 0, failures: 0 }

export function storyFleet(startTime: number): DeviceDefinition[] {
  const start = Math.floor(startTime / 1000)
  const roles: Readonly<Record<string, Partial<DeviceDefinition>>> = {
    'Freezer 1': {
      channels: [{ num: 1, name: 'Freezer', unit: 'C', signal: freezer }],
      records: { interval: 300 },
      events: [{ kind: 'door', from: start + 30, until: start + 95 }],
    },
    'Freezer truck': {
      channels: [
        { num: 1, unit: 'C', signal: { ...freezer, cycle: 28_800, swing: 1.5 } },
        { num: 3, unit: '%', signal: signals.humidity },
      ],
    },
    'Rack B': {
      channels: [{ num: 1, unit: 'C', signal: rack }],
      events: [{ kind: 'silence', from: start + 45, until: start + 900 }],
    },
    'Rack A': {
      channels: [
        { num: 1, unit: 'C', signal: rack },
        { num: 2, unit: '%', signal: signals.humidity },
      ],
      events: [{ kind: 'battery', from: start + 90 }],
    },
    // Its second probe is not connected.
    Workshop: {
      channels: [
        { num: 1, name: 'Air', unit: 'C', signal: signals.room },
        { num: 2, name: 'Oven', unit: 'C', broken: 'Sensor Error' },
      ],
    },
  }
  return demoFleet(startTime).map((device) => ({ ...device, transmission, ...roles[device.name ?? ''] }))
}
