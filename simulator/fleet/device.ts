/** A device as the service knows it: a definition with its defaults filled in and its records at hand. */
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
  GeneratedRecords,
  ZoneDefinition,
} from './definition'
import { generatedRecords } from './generated'
import { listedRecords, type RecordSource } from './records'

export interface Channel {
  num: number
  name: string
  unit: string
  decimals: number | undefined
  broken: string | undefined
}

export interface Device {
  kind: DeviceKind
  serial: string
  model: string
  name: string
  num: number
  base: Required<Omit<BaseUnitDefinition, 'zone'>>
  group: { num: number; name: string }
  battery: number
  rssi: number | null
  zone: Required<ZoneDefinition>
  channels: readonly Channel[]
  records: RecordSource
  alerts: AlertSource
  current: (now: number) => CurrentDefinition
}

/** *Stored graph data capacity per device* */
const capacities: Readonly<Record<DeviceKind, number>> = {
  'standalone-1': 80_000,
  'standalone-2': 160_000,
  remote: 1500,
  'older-remote': 1500,
  'other-standalone': 1500,
}

/** *Graph data record*: relay ids return to 0 after 65535, the others grow. */
const idRules = {
  relay: { firstId: 0, idModulus: 65_536 },
  standalone: { firstId: 1, idModulus: Number.MAX_SAFE_INTEGER },
}

export function isRemote(kind: DeviceKind): boolean {
  return kind === 'remote' || kind === 'older-remote'
}

export function deviceFrom(definition: DeviceDefinition, seed: number | string, startTime: number): Device {
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
    base: baseOf(definition.base ?? own),
    group: definition.group ?? { num: 0, name: '' },
    battery: definition.battery ?? 5,
    rssi: definition.rssi === undefined ? 4 : definition.rssi,
    zone: zoneOf(definition.base ? definition.base.zone : definition.zone),
    channels: channels.map((channel) => channelOf(channel, remote)),
    ...history(
      definition,
      channels,
      kind,
      seedFrom(seed, own.serial, definition.base?.serial ?? ''),
      startTime,
    ),
    current: currentOf(definition.current),
  }
}

function baseOf(base: BaseUnitDefinition): Device['base'] {
  return {
    serial: base.serial,
    model: base.model ?? 'B-500',
    name: base.name ?? base.serial,
    sends: base.sends ?? 'https',
    relayEndpoints: base.relayEndpoints ?? true,
  }
}

function zoneOf(zone: ZoneDefinition | undefined): Required<ZoneDefinition> {
  return { timeDiff: 540, stdBias: 0, dst: false, dstBias: 0, ...zone }
}

/** *Channel*: remote units cannot have channel names; theirs is ch and the number. */
function channelOf(channel: ChannelDefinition, remote: boolean): Channel {
  return {
    num: channel.num,
    name: remote ? `ch${channel.num}` : (channel.name ?? ''),
    unit: channel.unit ?? 'C',
    decimals: channel.decimals ?? channel.signal?.decimals,
    broken: channel.broken,
  }
}

function currentOf(current: DeviceDefinition['current']): Device['current'] {
  if (typeof current === 'function') return current
  return () => current ?? {}
}

function history(
  definition: DeviceDefinition,
  channels: readonly ChannelDefinition[],
  kind: DeviceKind,
  seed: number,
  startTime: number,
): Pick<Device, 'records' | 'alerts'> {
  const capacity = definition.capacity ?? capacities[kind]
  const shape = { channels, capacity, seed, ...idRules[isRemote(kind) ? 'relay' : 'standalone'] }
  const given = definition.records ?? {}
  if (typeof given === 'function' || Array.isArray(given)) {
    return { records: listedRecords(given, shape), alerts: listedAlerts(definition.alerts ?? []) }
  }
  const from = firstRecordTime(seed, startTime)
  const source = generatedRecords(given as GeneratedRecords, { ...shape, from })
  const language = definition.language ?? 'en'
  const labelled = channels.map((each) => ({ ...each, name: isRemote(kind) ? '' : (each.name ?? '') }))
  return {
    records: source.stored,
    alerts: definition.alerts
      ? listedAlerts(definition.alerts)
      : generatedAlerts({ seed, channels: labelled, language, everything: source.everything }),
  }
}

/** Tied to the calendar year, not to the start, so that a simulator started tomorrow has the same history. */
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
