import type { ConditionName } from '../../shared/limits-schema'
import { MINUTE_MS } from '../../shared/local-clock'
import {
  type Acknowledgment,
  type Alarm,
  type Condition,
  LimitCondition,
  type WatchedDevice,
} from './condition'

/** What is reported of a condition (docs/limits.md, *Events*). Keys that do not apply are `null`. */
export interface LimitEvent {
  /** The same in all events about one run. */
  id: string | null
  state: 'alarm' | 'reminder' | 'normal' | 'ended' | 'acknowledged' | 'muted' | 'unmuted'
  condition: ConditionName | null
  /** The name of the limit. */
  limit: string | null
  serial: string | null
  name: string | null
  base: string | null
  channel: number | null
  label: string | null
  quantity: string | null
  above: number | null
  below: number | null
  value: number | null
  extreme: number | null
  unit: string | null
  /** ISO 8601 in UTC. */
  from: string | null
  until: string | null
  /** Whole minutes from `from` to the newest value, or to `until`. */
  minutes: number | null
  /** Whether it was found in values that arrived late. */
  late: boolean
  /** Whether it was reported before with other times or another extreme. */
  revised: boolean
  /**
   * For `error`, the text of the service; for `battery`, the level; for `no-match`, what nothing matches; for a silent
   * base unit, the number of its devices; `never` for a device that has never measured.
   */
  detail: string | null
  /** Who acknowledged it, or muted devices, and when: ISO 8601 in UTC. */
  acknowledged: { at: string; by: string | null; note: string | null } | null
  /** The number of events that were left out, only in an event about that. */
  leftOut?: number
  /** Only in the event of a test. */
  test?: true
}

/** An event and the UTC offset of its device, in minutes; `null` if unknown. */
export interface Report {
  event: LimitEvent
  utcOffset: number | null
  /** When what an alarm is about was last measured, ms since 1970 UTC. Only the sentences about limits use it. */
  measuredAt?: number
}

export const NOTHING: LimitEvent = {
  id: null,
  state: 'alarm',
  condition: null,
  limit: null,
  serial: null,
  name: null,
  base: null,
  channel: null,
  label: null,
  quantity: null,
  above: null,
  below: null,
  value: null,
  extreme: null,
  unit: null,
  from: null,
  until: null,
  minutes: null,
  late: false,
  revised: false,
  detail: null,
  acknowledged: null,
}

export const toIso = (ms: number) => new Date(ms).toISOString()

interface Details {
  alarm: Alarm
  state: LimitEvent['state']
  /** When it was over, ms since 1970 UTC, and the value inside. */
  until?: number | undefined
  value?: number | null
  late?: boolean
  revised?: boolean
}

const hasNeverMeasured = ({ kind, about }: Condition) =>
  kind === 'silent' && about.device !== undefined && about.device.newest === null

/** @param now ms since 1970 UTC */
export function toReport(
  condition: Condition,
  { alarm, state, until, value = alarm.value, late = false, revised = false }: Details,
  now: number,
): Report {
  const { event, utcOffset } = aboutOf(condition)
  const isLimit = condition.kind === 'limit'
  // A channel without values and a silent device have no newer value.
  const end = until ?? (isLimit ? alarm.at : now)
  Object.assign(event, {
    id: `${pathOf(event)}/${toIso(alarm.key)}`,
    state,
    condition: isLimit ? alarm.side : condition.kind,
    ...(isLimit && { value, extreme: alarm.extreme }),
    from: toIso(alarm.from),
    until: until === undefined ? null : toIso(until),
    minutes: toMinutes(alarm.from, end),
    late,
    revised,
    detail: hasNeverMeasured(condition) ? 'never' : alarm.detail,
    acknowledged: toAcknowledged(alarm.acknowledged),
  })
  return { event, utcOffset, measuredAt: alarm.at }
}

/** The part of an id that all runs of a condition have. */
export function pathOf({ base, serial, channel, limit, condition }: LimitEvent): string {
  const device = [base, serial, channel === null ? 'device' : `ch${channel}`].filter((part) => part !== null)
  return [...(base === null ? [] : device), limit ?? condition].join('/')
}

export const toMinutes = (from: number, until: number) => Math.max(0, Math.floor((until - from) / MINUTE_MS))

export const toAcknowledged = (acknowledged: Acknowledgment | null): LimitEvent['acknowledged'] =>
  acknowledged && { at: toIso(acknowledged.at), by: acknowledged.by, note: acknowledged.note }

/** The state of a condition: its alarm, or what it is about if there is none. */
export function toState(condition: Condition, now: number): Report {
  const { alarm } = condition
  return alarm?.isAlarm ? toReport(condition, { alarm, state: 'alarm' }, now) : aboutOf(condition)
}

/** What a condition is about. */
export function aboutOf(condition: Condition): Report {
  const { kind, about } = condition
  const { device, channel, base } = about
  const limit = condition instanceof LimitCondition ? condition.limit : null
  const isTemperature = limit !== null && channel?.quantity === 'temperature'
  const event: LimitEvent = {
    ...NOTHING,
    state: 'normal',
    condition: kind === 'limit' ? null : kind,
    ...(limit && { limit: limit.name, above: limit.above, below: limit.below }),
    ...(base && { name: base.name, base: base.serial }),
    ...(device && namesOf(device)),
    ...(channel && { channel: channel.number, label: channel.name, quantity: channel.quantity }),
    ...(channel && { unit: (isTemperature ? `°${limit.unit}` : channel.unit) || null }),
  }
  return { event, utcOffset: device?.utcOffset ?? null }
}

/** The event that says how many others were left out. */
export function toLeftOut(count: number): Report {
  return { event: { ...NOTHING, leftOut: count }, utcOffset: null }
}

/** The event of a test, with the names of a device if there is one. */
export function toTest(now: number, device?: WatchedDevice): Report {
  const about = device && namesOf(device)
  const id = ['test', ...(about ? [about.base, about.serial] : []), toIso(now)].join('/')
  return { event: { ...NOTHING, ...about, id, from: toIso(now), minutes: 0, test: true }, utcOffset: null }
}

interface MuteDetails {
  state: 'muted' | 'unmuted'
  /** `null` for all devices. */
  serial: string | null
  /** ms since 1970 UTC */
  from: number
  until: number
  device: WatchedDevice | undefined
  acknowledged: Acknowledgment | null
}

/** The beginning or the end of a mute. */
export function toMuteReport(
  { serial, from, until, state, device, acknowledged }: MuteDetails,
  now: number,
): Report {
  const event: LimitEvent = {
    ...NOTHING,
    ...(device ? namesOf(device) : { serial }),
    id: `mute/${serial ?? 'all'}/${toIso(now)}`,
    state,
    from: toIso(from),
    until: toIso(until),
    minutes: toMinutes(from, until),
    acknowledged: toAcknowledged(acknowledged),
  }
  return { event, utcOffset: device?.utcOffset ?? null }
}

const namesOf = ({ serial, name, base }: WatchedDevice) => ({ serial, name, base })
