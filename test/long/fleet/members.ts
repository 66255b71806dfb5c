/** A fleet with faulty devices: what is wrong with each, and what must be reported about it. */
import type { AlertDefinition, DeviceDefinition, Fault } from '../../../simulator'
import type { EndpointName } from '../../../simulator/endpoints'

const HOUR = 3600

interface FaultyKind {
  /** Faults of the service for requests about the device. */
  fault?: Omit<Fault, 'serials' | 'endpoints'>
  /** Changes the text of responses. */
  changeBody?(body: string, endpoint: EndpointName): string
  /** The code that is reported for the device. */
  code: string
  /** How often: on every poll, once a day, or once until Node-RED restarts. */
  reported: 'always' | 'daily' | 'once'
}

export const faultyKinds = {
  fails: { fault: { kind: 'status', status: 500 }, code: 'ENVLOG_SERVICE', reported: 'always' },
  silent: { fault: { kind: 'silence' }, code: 'ENVLOG_TIMEOUT', reported: 'always' },
  refused: { fault: { kind: 'status', status: 400 }, code: 'ENVLOG_SERVICE', reported: 'daily' },
  garbage: { fault: { kind: 'brokenJson' }, code: 'ENVLOG_REPLY', reported: 'always' },
  page: { fault: { kind: 'html' }, code: 'ENVLOG_REPLY', reported: 'always' },
  gateway: { fault: { kind: 'html', status: 413 }, code: 'ENVLOG_NETWORK', reported: 'always' },
  dropped: { fault: { kind: 'drop' }, code: 'ENVLOG_NETWORK', reported: 'always' },
  other: { changeBody: ofAnother, code: 'ENVLOG_REPLY', reported: 'always' },
  partly: { changeBody: partlyUnreadable, code: 'ENVLOG_REPLY', reported: 'once' },
} as const satisfies Record<string, FaultyKind>

export type FaultyKindName = keyof typeof faultyKinds

/** Numbers of each kind, standalone and remote; the others are good. */
const COUNTS: Record<FaultyKindName, number> = {
  fails: 4,
  silent: 4,
  refused: 4,
  garbage: 4,
  page: 2,
  gateway: 4,
  dropped: 4,
  other: 4,
  partly: 8,
}

export interface FleetDevice {
  serial: string
  base: string
  kind: FaultyKindName | 'good'
  definition: DeviceDefinition
}

export type Layout = 'scattered' | 'side by side'

/** @param from s since 1970 */
export function createFleetDevices(count: number, from: number, days: number, layout: Layout): FleetDevice[] {
  const bad = Object.entries(COUNTS).flatMap(([kind, many]) =>
    new Array<FaultyKindName>(many).fill(kind as FaultyKindName),
  )
  const kinds = new Array<FleetDevice['kind']>(count).fill('good')
  const step = layout === 'scattered' ? Math.floor(count / bad.length) : 1
  for (const [index, kind] of bad.entries()) kinds[6 + index * step] = kind
  return kinds.map((kind, index) => createFleetDevice(kind, index, from, days))
}

function createFleetDevice(
  kind: FleetDevice['kind'],
  index: number,
  from: number,
  days: number,
): FleetDevice {
  const two = String(index).padStart(3, '0')
  // Neighbours of the same kind are a standalone device and a remote unit.
  const isRemote = index % 2 === 1
  const serial = isRemote ? `52C10${two}` : `52A10${two}`
  const base = isRemote ? `5F0A100${index % 6}` : serial
  // The newest 300 records of two devices cover less than two hours.
  const interval = index === 2 || index === 3 ? 20 : HOUR
  const definition: DeviceDefinition = {
    serial,
    name: `Device ${index}`,
    capacity: 1_000_000,
    channels: [{ num: 1, name: 'Inside', unit: 'C' }],
    records: { interval, from: from + index * 7 },
    alerts: alertsOf(index, from, days),
    ...(isRemote && { base: { serial: base, name: `Base ${base}` } }),
  }
  return { serial, base, kind, definition }
}

/** 20 of them, as many as the service keeps, cover more than two rounds of 120 devices at 12 per hour. */
const ALERTS_EVERY = 8 * HOUR

function alertsOf(index: number, from: number, days: number): AlertDefinition[] {
  const count = Math.floor((days * 24 * HOUR) / ALERTS_EVERY)
  return Array.from({ length: count }, (_, number) => {
    const unixtime = from + index * 97 + number * ALERTS_EVERY
    const text = `Upper Limit: ${number} C`
    return { unixtime, arrives: unixtime, texts: { ch1: text } }
  })
}

/** Faults for requests about a single faulty device. */
export function faultsOf(members: readonly FleetDevice[]): Fault[] {
  const endpoints: EndpointName[] = ['latest-data', 'latest-data-relay', 'data', 'data-relay', 'alert']
  return Object.entries(faultyKinds).flatMap(([kind, badness]) => {
    if (!('fault' in badness)) return []
    const serials = members.filter((member) => member.kind === kind).map(({ serial }) => serial)
    return [{ ...badness.fault, serials, endpoints }]
  })
}

/** Changes responses about faulty devices; in current readings, some of them are partly unreadable. */
export function bodyChangerOf(members: readonly FleetDevice[]) {
  const bySerial = new Map(members.map((member) => [member.serial, member]))
  return (serial: string, endpoint: EndpointName, body: string): string => {
    if (endpoint === 'current') return unreadableDevices(body, bySerial)
    const kind = bySerial.get(serial)?.kind ?? 'good'
    if (kind === 'good') return body
    const badness: FaultyKind = faultyKinds[kind]
    return badness.changeBody?.(body, endpoint) ?? body
  }
}

function ofAnother(body: string): string {
  return body.replace(/52([AC])1(\d{4})/g, '52$12$2')
}

/** Some records and alerts of each day; never the first, because a response with only that one would be unreadable. */
export const isUnreadable = (time: number) => (Math.floor(time / HOUR) % 24) % 7 === 3
export const isUnreadableAlert = (time: number) => Math.floor(time / ALERTS_EVERY) % 3 === 2

function partlyUnreadable(body: string, endpoint: EndpointName): string {
  const answer = JSON.parse(body) as Record<string, { unixtime: string }[]>
  const [name, isMeant] =
    endpoint === 'alert' ? (['alert-logs', isUnreadableAlert] as const) : (['data', isUnreadable] as const)
  const bent = answer[name]?.map((entry) =>
    isMeant(Number(entry.unixtime)) ? { unixtime: { at: 1 } } : entry,
  )
  return JSON.stringify({ ...answer, [name]: bent })
}

/** Their channels are not a list: the readings are unreadable, but not the base units. */
function unreadableDevices(body: string, bySerial: ReadonlyMap<string, FleetDevice>): string {
  const answer = JSON.parse(body) as { devices: { serial: string }[] }
  const devices = answer.devices.map((device) =>
    bySerial.get(device.serial)?.kind === 'partly' ? { ...device, channel: 'none' } : device,
  )
  return JSON.stringify({ ...answer, devices })
}
