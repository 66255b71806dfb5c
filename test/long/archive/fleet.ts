/** Devices with a record every minute and occasional alerts, and the expected contents of an archive. */
import type { AlertDefinition, DeviceDefinition, Simulator } from '../../../simulator'

const SECOND = 1000
const HOUR = 3600
const INTERVAL = 60
/** The 20 alerts that the service keeps cover 13 days: longer than any silence delays nodes. */
const ALERTS_EVERY = 16 * HOUR
const BASE_UNITS = 2

/** Every second device is a remote unit. All times in ms. */
export function archiveFleet(count: number, from: number, until: number): DeviceDefinition[] {
  return Array.from({ length: count }, (_, index): DeviceDefinition => {
    const shared = {
      name: `Device ${index + 1}`,
      // More than in the longest run.
      capacity: 1_000_000,
      records: { interval: INTERVAL, from: Math.floor(from / SECOND) + index, gaps: index % 5 === 0 },
      alerts: alertsOf(index, from, until),
      channels: [{ num: 1, name: 'Inside', unit: 'C' }, ...(index % 4 === 0 ? [BROKEN] : [])],
    }
    const two = String(index).padStart(2, '0')
    if (index % 2 === 0) return { ...shared, serial: `52A100${two}`, kind: 'standalone-1' }
    const base = `5F0A100${Math.floor(index / 2) % BASE_UNITS}`
    return { ...shared, serial: `52C100${two}`, base: { serial: base, name: `Base ${base}` } }
  })
}

const BROKEN = { num: 2, name: 'Door', unit: '%', broken: 'Sensor Error' }

function alertsOf(index: number, from: number, until: number): AlertDefinition[] {
  const first = Math.floor(from / SECOND) + index * 977
  const count = Math.max(0, Math.ceil((until / SECOND - first) / ALERTS_EVERY))
  return Array.from({ length: count }, (_, number) => {
    const unixtime = first + number * ALERTS_EVERY
    const text = number % 2 === 0 ? 'Upper Limit: 9.1 C' : 'Returned to Normal: 7.4 C'
    return { unixtime, arrives: unixtime, texts: { ch1: text } }
  })
}

/** Expected lines of an archive, by device (`base/serial`), ordered by time. */
export type Lines = Record<string, string[]>

export function trueRecordLines({ truth }: Simulator): Lines {
  const devices = truth.devices().map(({ serial, base, standalone, channels }): [string, string[]] => {
    const records = truth.records(serial, standalone ? undefined : base)
    const lines = records.flatMap(({ time, id, values }) =>
      channels.map(({ num }) => `${new Date(time).toISOString()} ch${num} ${id} ${values[num] ?? 'missing'}`),
    )
    return [`${base}/${serial}`, lines]
  })
  return Object.fromEntries(devices)
}

/** The service returns only the newest 20; the definitions contain all. */
export function trueAlertLines(fleet: readonly DeviceDefinition[], now: number): Lines {
  const devices = fleet.map(({ serial, base, alerts }): [string, string[]] => {
    const there = (alerts as AlertDefinition[]).filter(({ unixtime }) => unixtime * SECOND <= now)
    const lines = there.map(
      ({ unixtime, texts }) => `${new Date(unixtime * SECOND).toISOString()} ch1 ${texts.ch1}`,
    )
    return [`${base?.serial ?? serial}/${serial}`, lines]
  })
  return Object.fromEntries(devices)
}

export function sizeOf(lines: Lines): number {
  return Object.values(lines).reduce((sum, each) => sum + each.length, 0)
}
