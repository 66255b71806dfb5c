/**
 * The true data, without variants and faults: plain numbers, times in ms since 1970. Tests compare with it.
 */

import { localOffset } from './answers/csv'
import { latest } from './answers/current'
import { alertEntries, type EndpointName } from './endpoints'
import type { DeviceKind, RecordValue } from './fleet/definition'
import type { Device } from './fleet/device'
import { type Directory, endpointsOf } from './fleet/directory'
import { indexAt } from './fleet/records'

export interface TrueDevice {
  kind: DeviceKind
  serial: string
  /** serial of the base unit; for a standalone device, its own */
  base: string
  model: string
  name: string
  baseModel: string
  baseName: string
  standalone: boolean
  num: number
  group: { num: number; name: string }
  battery: number
  rssi: number | null
  timeDiff: number
  stdBias: number
  dst: boolean
  dstBias: number
  /** minutes from UTC to the device's local time */
  offset: number
  channels: { num: number; name: string; unit: string }[]
  endpoints: EndpointName[]
  /** currently stored records */
  stored: number
}

export interface TrueRecord {
  time: number
  id: number
  /** by channel number; text if the measurement failed */
  values: Record<number, number | string>
}

export interface TrueReading {
  serial: string
  base: string
  /** null: nothing was ever sent */
  time: number | null
  /** by channel number; null: no measurement */
  values: Record<number, RecordValue>
}

export interface TrueAlert {
  time: number
  texts: Record<string, string>
}

export interface Truth {
  devices(): TrueDevice[]
  /** stored records, oldest first, both bounds (ms) inclusive; without base: a standalone device */
  records(serial: string, base?: string, from?: number, to?: number): TrueRecord[]
  /** the newest of them, at most `count`, oldest first */
  newestRecords(count: number, serial: string, base?: string): TrueRecord[]
  current(): TrueReading[]
  /** at most the newest 20, newest first */
  alerts(serial: string, base?: string): TrueAlert[]
}

export function truthOf(directory: () => Directory, now: () => number): Truth {
  const seconds = () => Math.floor(now() / 1000)
  const found = (serial: string, base?: string): Device => {
    const device = directory().find(serial, base)
    if (!device) throw new Error(`no device ${serial}${base === undefined ? '' : ` under ${base}`}`)
    return device
  }
  return {
    devices: () => directory().devices.map((device) => trueDevice(device, seconds())),
    records(serial, base, from, to) {
      const device = found(serial, base)
      const view = device.records(seconds())
      const first = from === undefined ? view.low : indexAt(view, from / 1000, false)
      const end = to === undefined ? view.high : indexAt(view, to / 1000, true)
      return trueRecords(device, view, first, end)
    },
    newestRecords(count, serial, base) {
      const device = found(serial, base)
      const view = device.records(seconds())
      return trueRecords(device, view, Math.max(view.low, view.high - count), view.high)
    },
    current: () => directory().devices.map((device) => trueReading(device, seconds())),
    alerts: (serial, base) =>
      found(serial, base)
        .alerts(seconds(), alertEntries)
        .map(({ unixtime, texts }) => ({ time: unixtime * 1000, texts: { ...texts } })),
  }
}

function trueDevice(device: Device, now: number): TrueDevice {
  const { kind, serial, model, name, base, num, group, rssi } = device
  const zone = device.zone(now)
  const view = device.records(now)
  return {
    kind,
    serial,
    base: base.serial,
    model,
    name,
    baseModel: base.model,
    baseName: base.name,
    standalone: base.serial === serial,
    num,
    group: { ...group },
    battery: device.battery(now),
    rssi,
    ...zone,
    offset: localOffset(zone),
    channels: device.channels.map((each) => ({ num: each.num, name: each.name, unit: each.unit })),
    endpoints: [...endpointsOf(device)],
    stored: view.high - view.low,
  }
}

/** @param end exclusive */
function trueRecords(
  device: Device,
  view: ReturnType<Device['records']>,
  first: number,
  end: number,
): TrueRecord[] {
  const records: TrueRecord[] = []
  for (let index = first; index < end; index++) {
    const { time, id, values } = view.at(index)
    const measured = device.channels
      .map((channel, column) => [channel.num, values[column] ?? null] as const)
      .filter((pair): pair is readonly [number, number | string] => pair[1] !== null)
    records.push({ time: time * 1000, id, values: Object.fromEntries(measured) })
  }
  return records
}

function trueReading(device: Device, now: number): TrueReading {
  const reading = latest(device, now)
  const values = device.channels.map((channel, column) => [channel.num, reading?.values[column] ?? null])
  return {
    serial: device.serial,
    base: device.base.serial,
    time: reading ? reading.time * 1000 : null,
    values: Object.fromEntries(values),
  }
}
