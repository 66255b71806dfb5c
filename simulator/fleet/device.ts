/** A device as the service sees it: its definition, completed with defaults, and its records. */
import { OptionError } from '../option-error'
import { seedFrom } from '../random'
import { type AlertSource, generatedAlerts } from './alerts'
import type {
  AlertDefinition,
  BaseUnitDefinition,
  ChannelDefinition,
  CurrentDefinition,
  DeviceDefinition,
  DeviceKind,
  EventDefinition,
  GeneratedRecords,
  ZoneDefinition,
} from './definition'
import { batteryAt, type Received, receivedAt } from './event-effects'
import { type GeneratedSource, generatedRecords } from './generated-records'
import { listedRecords, type RecordSource } from './record-views'

export interface Channel {
  num: number
  name: string
  unit: string
  decimals: number | undefined
  broken: string | undefined
}

/** The offsets of a device at a given time. */
export type Offsets = Required<Omit<ZoneDefinition, 'timeZone'>>

export interface Device {
  kind: DeviceKind
  serial: string
  model: string
  name: string
  num: number
  base: Required<Omit<BaseUnitDefinition, 'zone'>>
  group: { num: number; name: string }
  battery: (now: number) => number
  rssi: number | null
  zone: (now: number) => Offsets
  channels: readonly Channel[]
  records: RecordSource
  alerts: AlertSource
  current: (now: number) => CurrentDefinition
}

/** Maximum number of records that the service stores for a device; the oldest are deleted. */
const capacities: Readonly<Record<DeviceKind, number>> = {
  'standalone-1': 80_000,
  'standalone-2': 160_000,
  remote: 1500,
  'older-remote': 1500,
  'other-standalone': 1500,
}

/**
 * Record ids (docs/service.md, *Fields*). The ids of a remote unit return to 0 after 65,535. The ids of a standalone
 * device only increase.
 */
const idRules = {
  relay: { firstId: 0, idModulus: 65_536 },
  standalone: { firstId: 1, idModulus: Number.MAX_SAFE_INTEGER },
}

export function isRemote(kind: DeviceKind): boolean {
  return kind === 'remote' || kind === 'older-remote'
}

export function createDevice(definition: DeviceDefinition, seed: number | string, startTime: number): Device {
  const kind = definition.kind ?? (definition.base ? 'remote' : 'standalone-1')
  const remote = isRemote(kind)
  if (remote !== (definition.base !== undefined)) {
    throw new OptionError(
      `fleet: ${definition.serial}: a ${kind} device ${remote ? 'needs a' : 'has no'} base unit`,
    )
  }
  const own = {
    serial: definition.serial,
    model: definition.model ?? 'M-100',
    name: definition.name ?? definition.serial,
  }
  const channels = definition.channels ?? [{ num: 1, unit: 'C' }]
  return {
    ...own,
    kind,
    num: definition.num ?? (remote ? 1 : 0),
    base: completeBase(definition.base ?? own),
    group: definition.group ?? { num: 0, name: '' },
    battery: (now) => batteryAt(definition.events ?? [], definition.battery ?? 5, now),
    rssi: definition.rssi === undefined ? 4 : definition.rssi,
    zone: createZone(definition.base ? definition.base.zone : definition.zone),
    channels: channels.map((channel) => completeChannel(channel, remote)),
    ...createHistory(
      definition,
      channels,
      kind,
      seedFrom(seed, own.serial, definition.base?.serial ?? ''),
      startTime,
    ),
  }
}

function completeBase(base: BaseUnitDefinition): Device['base'] {
  return {
    serial: base.serial,
    model: base.model ?? 'B-500',
    name: base.name ?? base.serial,
    sends: base.sends ?? 'https',
    relayEndpoints: base.relayEndpoints ?? true,
  }
}

function createZone({ timeZone, ...zone }: ZoneDefinition = {}): Device['zone'] {
  const offsets = { timeDiff: 540, stdBias: 0, dst: false, dstBias: 0, ...zone }
  if (timeZone === undefined) return () => offsets
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' })
  const standardOffset = `GMT${formatOffset(offsets.timeDiff)}`
  return (now) => ({ ...offsets, dst: !format.format(now * 1000).endsWith(standardOffset) })
}

/** Formats an offset from UTC in minutes, for example `-03:30`. */
export function formatOffset(offset: number): string {
  const minutes = Math.abs(offset)
  const twoDigits = (value: number) => String(value).padStart(2, '0')
  return `${offset < 0 ? '-' : '+'}${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}`
}

/** The service has no channel names for remote units; it sends `ch` and the number. */
function completeChannel(channel: ChannelDefinition, remote: boolean): Channel {
  return {
    num: channel.num,
    name: remote ? `ch${channel.num}` : (channel.name ?? ''),
    unit: channel.unit ?? 'C',
    decimals: channel.decimals ?? channel.signal?.decimals,
    broken: channel.broken,
  }
}

function createCurrent(current: DeviceDefinition['current']): Device['current'] {
  if (typeof current === 'function') return current
  return () => current ?? {}
}

/** Current readings between records: the measurements that the device transmits every `interval` seconds. */
function transmittedReadings(
  interval: number,
  source: GeneratedSource,
  channels: readonly ChannelDefinition[],
  receivedBy: (now: number) => Received,
): Device['current'] {
  return (now) => {
    const received = receivedBy(now)
    const time = Math.floor(Math.min(received.until, source.until) / interval) * interval
    const view = source.stored(received)
    if (view.high === view.low || time <= view.timeAt(view.high - 1)) return {}
    const working = channels.flatMap(({ num, broken }, column) =>
      broken === undefined ? [{ num, column }] : [],
    )
    const values = working.map(({ num, column }) => [num, source.measured(column, time)])
    return { unixtime: time, values: Object.fromEntries(values) }
  }
}

function createHistory(
  definition: DeviceDefinition,
  channels: readonly ChannelDefinition[],
  kind: DeviceKind,
  seed: number,
  startTime: number,
): Pick<Device, 'records' | 'alerts' | 'current'> {
  const capacity = definition.capacity ?? capacities[kind]
  const shape = { channels, capacity, seed, ...idRules[isRemote(kind) ? 'relay' : 'standalone'] }
  const given = definition.records ?? {}
  if (typeof given === 'function' || Array.isArray(given)) {
    return {
      records: listedRecords(given, shape),
      alerts: listedAlerts(definition.alerts ?? []),
      current: createCurrent(definition.current),
    }
  }
  const from = firstRecordTime(seed, startTime)
  const events: readonly EventDefinition[] = definition.events ?? []
  const receivedBy = (now: number) => receivedAt(events, now)
  const source = generatedRecords(given as GeneratedRecords, { ...shape, from, events })
  const language = definition.language ?? 'en'
  const { transmission } = definition
  const labelled = channels.map((channel) => ({
    ...channel,
    name: isRemote(kind) ? '' : (channel.name ?? ''),
  }))
  return {
    records: (now) => source.stored(receivedBy(now)),
    alerts: definition.alerts
      ? listedAlerts(definition.alerts)
      : generatedAlerts({ seed, channels: labelled, language, source, events, receivedBy, transmission }),
    current:
      definition.current === undefined && transmission !== undefined
        ? transmittedReadings(transmission, source, channels, receivedBy)
        : createCurrent(definition.current),
  }
}

/**
 * The time of the first record. It depends on the calendar year, not on the start, so that a simulator started on
 * another day has the same history.
 */
function firstRecordTime(seed: number, startTime: number): number {
  const year = new Date(startTime).getUTCFullYear() - 2
  return Math.max(0, Date.UTC(year, 0, 1) / 1000) + (seed % 60) * 86_400 + (seed % 60)
}

function listedAlerts(
  alerts: readonly AlertDefinition[] | ((now: number) => readonly AlertDefinition[]),
): AlertSource {
  return (now, count) =>
    [...(typeof alerts === 'function' ? alerts(now) : alerts)]
      .filter((entry) => (entry.arrives ?? now) <= now)
      .sort((a, b) => b.unixtime - a.unixtime)
      .slice(0, count)
}
