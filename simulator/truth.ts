/** The true data, without variants and faults, for tests to compare with. Values are numbers, times ms since 1970. */

import { type EndpointName, maxAlertEntries } from './endpoints'
import type { DeviceKind, RecordValue } from './fleet/definition'
import type { Device } from './fleet/device'
import { type Directory, endpointsOf } from './fleet/directory'
import { indexAt } from './fleet/record-views'
import { localOffset } from './responses/csv'
import { newestReading } from './responses/current'

export interface TrueDevice {
  kind: DeviceKind
  serial: string
  /** serial of the base unit; for a standalone device, its own serial */
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
  /** null: the device has sent nothing */
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
  /** stored records, oldest first; both bounds (ms) are inclusive; without `base`, of a standalone device */
  records(serial: string, base?: string, from?: number, to?: number): TrueRecord[]
  /** at most `count` of the newest stored records, oldest first */
  newestRecords(count: number, serial: string, base?: string): TrueRecord[]
  current(): TrueReading[]
  /** at most the newest 20 alerts, newest first */
  alerts(serial: string, base?: string): TrueAlert[]
}

export function createTruth(directory: () => Directory, now: () => number): Truth {
  const seconds = () => Math.floor(now() / 1000)
  const findDevice = (serial: string, base?: string): Device => {
    const device = directory().find(serial, base)
    if (!device) throw new Error(`no device ${serial}${base === undefined ? '' : ` under ${base}`}`)
    return device
  }
  return {
    devices: () => directory().devices.map((device) => toTrueDevice(device, seconds())),
    records(serial, base, from, to) {
      const device = findDevice(serial, base)
      const view = device.records(seconds())
      const first = from === undefined ? view.low : indexAt(view, from / 1000, false)
      const end = to === undefined ? view.high : indexAt(view, to / 1000, true)
      return toTrueRecords(device, view, first, end)
    },
    newestRecords(count, serial, base) {
      const device = findDevice(serial, base)
      const view = device.records(seconds())
      return toTrueRecords(device, view, Math.max(view.low, view.high - count), view.high)
    },
    current: () => directory().devices.map((device) => toTrueReading(device, seconds())),
    alerts: (serial, base) =>
      findDevice(serial, base)
        .alerts(seconds(), maxAlertEntries)
        .map(({ unixtime, texts }) => ({ time: unixtime * 1000, texts: { ...texts } })),
  }
}

function toTrueDevice(device: Device, now: number): TrueDevice {
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
    channels: device.channels.map(({ num, name, unit }) => ({ num, name, unit })),
    endpoints: [...endpointsOf(device)],
    stored: view.high - view.low,
  }
}

/** @param end exclusive */
function toTrueRecords(
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

function toTrueReading(device: Device, now: number): TrueReading {
  const reading = newestReading(device, now)
  const values = device.channels.map((channel, column) => [channel.num, reading?.values[column] ?? null])
  return {
    serial: device.serial,
    base: device.base.serial,
    time: reading ? reading.time * 1000 : null,
    values: Object.fromEntries(values),
  }
}
