import * as z from 'zod/mini'
import { type Limit, readLimits } from '../../shared/limits-schema'
import { QUANTITIES } from '../../shared/quantity'
import { isTimestamp } from '../decode/time'
import { readState } from '../stored-state'
import {
  type Acknowledgment,
  type Alarm,
  type LimitCondition,
  type PastAlarm,
  toAlarm,
  type WatchedChannel,
  type WatchedDevice,
} from './condition'
import { savedOver } from './saved-history'
import { flagsOf, fromFlags, savedPiece, toSavedPiece } from './saved-pieces'

/**
 * The saved state of the node. Its property names are a contract, because stores contain the state. Alarms and pieces
 * are arrays, and what is absent has no entry, because the state is written whenever an alarm changes.
 */

const instant = z.custom<number>(isTimestamp)
const nullableNumber = z.nullable(z.number())
/** By name, as pairs, because a limit or a device may have the name of a property that every object has. */
const byName = <T extends z.ZodMiniType>(value: T) => z.array(z.tuple([z.string(), value]))

/** `[at, by, note, ms]`. */
const savedAcknowledgment = z.nullable(
  z.tuple([instant, z.nullable(z.string()), z.nullable(z.string()), nullableNumber]),
)
/** `[key, from, at, value, extreme, flags, reportedAt, detail, acknowledged]`. */
const savedAlarm = z.tuple([
  ...[instant, instant, instant, nullableNumber, nullableNumber, z.int()],
  ...[z.nullable(instant), z.nullable(z.string()), savedAcknowledgment],
] as const)
/** `[key, from, until, value, extreme, flags, isReported]`, times after `key`; the value is the one that ended it. */
const savedPast = z.array(z.number()).check(z.length(7))
const savedLimit = z.object({
  after: z.optional(instant),
  pieces: z.array(savedPiece),
  /** `[key, reportedAt, acknowledged]` of the alarm that lasts, if it was reported or acknowledged. */
  reported: z.optional(z.tuple([instant, z.nullable(instant), savedAcknowledgment])),
  past: z.optional(z.array(savedPast)),
})
const savedChannel = z.object({
  name: z.string(),
  unit: z.string(),
  quantity: z.optional(z.enum(QUANTITIES)),
  first: z.optional(instant),
  pause: z.optional(z.number()),
  error: z.optional(savedAlarm),
  limits: byName(savedLimit),
})
const savedDevice = z.object({
  name: z.string(),
  baseName: z.optional(z.string()),
  group: z.optional(z.string()),
  utcOffset: z.optional(z.number()),
  newest: z.optional(instant),
  betterSince: z.optional(instant),
  /** How long the node has been running without seeing the device, ms. */
  unseenMs: z.optional(z.number()),
  /** How long others have been seen since it brought something newer, ms. */
  quietMs: z.optional(z.number()),
  /** How long it has sent only measurements ahead of the clock, ms. */
  aheadMs: z.optional(z.number()),
  silent: z.optional(savedAlarm),
  battery: z.optional(savedAlarm),
  /** Whether the level of its battery was known, without an alarm. */
  hasBattery: z.optional(z.boolean()),
  channels: z.record(z.string(), savedChannel),
})
/** Rows of limits, as the form saves them. */
const rows = z.pipe(
  z.transform((value) => readLimits(value)),
  z.custom<readonly Limit[]>((found) => Array.isArray(found)),
)
const savedLimits = z.object({
  version: z.literal(1),
  noData: z.optional(savedAlarm),
  noMatch: z.optional(savedAlarm),
  /** Silent base units, by serial number. */
  bases: z.optional(byName(savedAlarm)),
  /** Beginnings and ends of mutes by serial number, or blank for all devices. */
  mutes: z.optional(z.array(z.tuple([z.string(), instant, instant]))),
  /** The last alarms that are over. */
  over: z.optional(z.array(savedOver)),
  /** By `base/serial`. */
  devices: z.record(z.string().check(z.regex(/^[^/]+\/[^/]+$/)), savedDevice),
  /** By which all were judged. */
  limits: rows,
})
export type SavedLimits = z.output<typeof savedLimits>
type SavedAlarm = z.output<typeof savedAlarm>
type SavedAcknowledgment = z.output<typeof savedAcknowledgment>
type SavedLimit = z.output<typeof savedLimit>
type SavedDevice = z.output<typeof savedDevice>
export type SavedChannel = z.output<typeof savedChannel>

/** @throws EnvlogError as `readState` */
export const readSavedLimits = (contents: unknown): SavedLimits | undefined =>
  readState(contents, 1, (found) => z.safeParse(savedLimits, found).data)

/** Shorter times are not saved. */
export const MIN_SAVED_MS = 3_600_000

/** @param times how long it has not been seen, brought nothing newer, and sent only measurements ahead of the clock */
export function toSavedDevice(
  device: WatchedDevice,
  { unseenMs, quietMs, aheadMs }: { unseenMs: number; quietMs: number; aheadMs: number },
): SavedDevice {
  const { name, baseName, group, utcOffset, newest, betterSince, silent, battery, channels } = device
  const savedChannels = channels.map((channel) => [channel.number, toSavedChannel(channel)])
  return {
    name,
    ...(baseName !== '' && { baseName }),
    ...(group !== null && { group }),
    ...(utcOffset !== null && { utcOffset }),
    ...(newest !== null && { newest }),
    ...(betterSince !== undefined && { betterSince }),
    ...(unseenMs > MIN_SAVED_MS && { unseenMs: Math.round(unseenMs) }),
    ...(quietMs > MIN_SAVED_MS && { quietMs: Math.round(quietMs) }),
    ...(aheadMs >= MIN_SAVED_MS && { aheadMs: Math.round(aheadMs) }),
    ...(silent.alarm && { silent: toSavedAlarm(silent.alarm) }),
    ...(battery.alarm && { battery: toSavedAlarm(battery.alarm) }),
    ...(!battery.alarm && battery.sentState !== undefined && { hasBattery: true }),
    channels: Object.fromEntries(savedChannels),
  }
}

function toSavedChannel(channel: WatchedChannel): SavedChannel {
  const { name, unit, quantity, first, pause, error, limits } = channel
  return {
    name,
    unit,
    ...(quantity !== null && { quantity }),
    ...(Number.isFinite(first) && { first }),
    ...(Number.isFinite(pause) && { pause }),
    ...(error.alarm && { error: toSavedAlarm(error.alarm) }),
    limits: limits.map((condition) => [condition.limit.name, toSavedLimit(condition)]),
  }
}

function toSavedLimit({ after, pieces, alarm, past }: LimitCondition): SavedLimit {
  return {
    ...(after !== undefined && { after }),
    pieces: pieces.all.map(toSavedPiece),
    ...(alarm &&
      (alarm.reportedAt !== null || alarm.acknowledged !== null) && {
        reported: [alarm.key, alarm.reportedAt, toSavedAcknowledgment(alarm)] as const,
      }),
    ...(past.length > 0 && { past: past.map(toSavedPast) }),
  } as SavedLimit
}

function toSavedPast({ alarm, time, value }: PastAlarm): number[] {
  const { key, from, extreme, reportedAt } = alarm
  return [key, from - key, time - key, value, extreme ?? value, flagsOf(alarm), reportedAt === null ? 0 : 1]
}

export function fromSavedPast(saved: readonly number[]): PastAlarm {
  const [key = 0, from = 0, until = 0, value = 0, extreme = 0, flags = 0, isReported = 0] = saved
  const reportedAt = isReported === 0 ? null : key
  const alarm = toAlarm({ key, from: key + from, extreme, ...fromFlags(flags), reportedAt })
  return { alarm, time: key + until, value }
}

export function toSavedAlarm(alarm: Alarm): SavedAlarm {
  const { key, from, at, value, extreme, reportedAt, detail } = alarm
  return [key, from, at, value, extreme, flagsOf(alarm), reportedAt, detail, toSavedAcknowledgment(alarm)]
}

export function fromSavedAlarm(saved: SavedAlarm): Alarm {
  const [key, from, at, value, extreme, flags, reportedAt, detail, acknowledged] = saved
  const about = { key, from, at, value, extreme, ...fromFlags(flags), reportedAt, detail }
  return { ...about, acknowledged: fromSavedAcknowledgment(acknowledged) }
}

const toSavedAcknowledgment = ({ acknowledged }: Alarm): SavedAcknowledgment =>
  acknowledged && [acknowledged.at, acknowledged.by, acknowledged.note, acknowledged.ms]

export const fromSavedAcknowledgment = (saved: SavedAcknowledgment): Acknowledgment | null =>
  saved && { at: saved[0], by: saved[1], note: saved[2], ms: saved[3] }
