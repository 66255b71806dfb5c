import * as z from 'zod/mini'
import { type Limit, readLimits } from '../../shared/limits-schema'
import { QUANTITIES } from '../../shared/quantity'
import { isTimestamp } from '../decode/time'
import { EnvlogError } from '../errors'
import type { Alarm, LimitCondition, WatchedChannel, WatchedDevice } from './condition'
import type { Report } from './event'
import type { Run } from './judge'
import { type Piece, Pieces } from './pieces'

/**
 * The saved state of the node. Its property names are a contract, because stores contain the state. Alarms and pieces
 * are arrays, and what is absent has no entry, because the state is written whenever an alarm changes.
 */

const instant = z.custom<number>(isTimestamp)
const nullableNumber = z.nullable(z.number())
/** By name, as pairs, because a limit or a device may have the name of a property that every object has. */
const byName = <T extends z.ZodMiniType>(value: T) => z.array(z.tuple([z.string(), value]))

/** `[key, from, at, value, extreme, flags, reportedAt, detail]`. */
const savedAlarm = z.tuple([
  ...[instant, instant, instant, nullableNumber, nullableNumber, z.int()],
  ...[z.nullable(instant), z.nullable(z.string())],
] as const)
/** `[from, at, value, extreme, flags]`, times in ms after the beginning of the piece. */
const savedRun = z.tuple([z.number(), z.number(), z.number(), z.number(), z.int()])
/** The time and value that ended a run. */
const savedEnd = z.tuple([z.number(), z.number()])
/** `[time, value, on, end, own]`. */
const savedHead = z.tuple([
  ...[z.number(), z.number(), z.nullable(savedRun), z.nullable(savedEnd)],
  z.array(z.tuple([savedRun, savedEnd])),
] as const)
/** `[first, at, head, run]`. */
const savedPiece = z.tuple([instant, z.number(), z.nullable(savedHead), z.nullable(savedRun)])
const savedLimit = z.object({
  after: z.optional(instant),
  pieces: z.array(savedPiece),
  /** `[key, reportedAt, isAcknowledged]` of the alarm that lasts, if it was reported. */
  reported: z.optional(z.tuple([instant, instant, z.boolean()])),
  past: z.optional(z.array(z.tuple([savedAlarm, savedEnd]))),
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
  silent: z.optional(savedAlarm),
  battery: z.optional(savedAlarm),
  channels: z.record(z.string(), savedChannel),
  /** Index of its limits. */
  limits: z.int(),
})
/** Rows of limits, as the form saves them. */
const rows = z.pipe(
  z.transform((value) => readLimits(value)),
  z.custom<readonly Limit[]>((found) => Array.isArray(found)),
)
const savedReport = z.custom<Report>((report) => {
  const { event, utcOffset } = Object(report)
  return typeof Object(event).id === 'string' && (utcOffset === null || typeof utcOffset === 'number')
})
const savedLimits = z.object({
  version: z.literal(1),
  noData: z.optional(savedAlarm),
  noMatch: z.optional(savedAlarm),
  /** Silent base units, by serial number. */
  bases: z.optional(byName(savedAlarm)),
  /** Beginnings and ends of mutes by serial number, or blank for all devices. */
  mutes: z.optional(z.array(z.tuple([z.string(), instant, instant]))),
  /** What is reported when a mute is over. */
  held: z.optional(z.array(savedReport)),
  /** By `base/serial`. */
  devices: z.record(z.string().check(z.regex(/^[^/]+\/[^/]+$/)), savedDevice),
  /** The different lists of rows by which devices were judged. */
  limits: z.array(rows),
})
export type SavedLimits = z.output<typeof savedLimits>
type SavedAlarm = z.output<typeof savedAlarm>
type SavedRun = z.output<typeof savedRun>
type SavedPiece = z.output<typeof savedPiece>
type SavedLimit = z.output<typeof savedLimit>
type SavedDevice = z.output<typeof savedDevice>
export type SavedChannel = z.output<typeof savedChannel>

/**
 * Reads the contents of a store; `undefined` if it is empty.
 * @throws EnvlogError `store-newer`, `store-damaged`
 */
export function readSavedLimits(contents: unknown): SavedLimits | undefined {
  if (contents === undefined || contents === null) return undefined
  const { version } = Object(contents) as { version?: unknown }
  if (typeof version === 'number' && version > 1) throw new EnvlogError('store-newer')
  const result = z.safeParse(savedLimits, contents)
  if (!result.success || !hasLimitsOfAll(result.data)) throw new EnvlogError('store-damaged')
  return result.data
}

const hasLimitsOfAll = ({ devices, limits }: SavedLimits) =>
  Object.values(devices).every((device) => device.limits in limits)

/** Shorter times are not saved. */
export const MIN_SAVED_MS = 3_600_000

/** @param limits index of its limits @param times how long it has not been seen, and brought nothing newer */
export function toSavedDevice(
  device: WatchedDevice,
  limits: number,
  { unseenMs, quietMs }: { unseenMs: number; quietMs: number },
): SavedDevice {
  const { name, baseName, group, utcOffset, newest, betterSince, silent, battery, channels } = device
  const savedChannels = Array.from(channels.values(), (channel) => [channel.number, toSavedChannel(channel)])
  return {
    name,
    ...(baseName !== '' && baseName !== name && { baseName }),
    ...(group !== null && { group }),
    ...(utcOffset !== null && { utcOffset }),
    ...(newest !== null && { newest }),
    ...(betterSince !== undefined && { betterSince }),
    ...(unseenMs > MIN_SAVED_MS && { unseenMs: Math.round(unseenMs) }),
    ...(quietMs > MIN_SAVED_MS && { quietMs: Math.round(quietMs) }),
    ...(silent.alarm && { silent: toSavedAlarm(silent.alarm) }),
    ...(battery.alarm && { battery: toSavedAlarm(battery.alarm) }),
    channels: Object.fromEntries(savedChannels),
    limits,
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
    ...(Number.isFinite(after) && { after }),
    pieces: pieces.all.map(toSavedPiece),
    ...(alarm &&
      alarm.reportedAt !== null && {
        reported: [alarm.key, alarm.reportedAt, alarm.isAcknowledged] as const,
      }),
    ...(past.length > 0 && {
      past: past.map(({ alarm: over, time, value }) => [toSavedAlarm(over), [time, value]] as const),
    }),
  } as SavedLimit
}

export function toSavedPiece({ first, at, head, run }: Piece): SavedPiece {
  const toRun = (one: Run): SavedRun => {
    const from = Number.isFinite(one.from) ? one.from - first : 0
    return [from, one.at - first, one.value, one.extreme, flagsOf(one)]
  }
  const savedHead = head && [
    ...([head.time - first, head.value, head.on ? toRun(head.on) : null] as const),
    head.end ? ([head.end.time - first, head.end.value] as const) : null,
    head.own.map(({ run: over, time, value }) => [toRun(over), [time - first, value]] as const),
  ]
  return [first, at - first, savedHead ?? null, run ? toRun(run) : null] as SavedPiece
}

/** The pieces of a limit, as they were saved. */
export function fromSavedPieces(saved: readonly SavedPiece[]): Pieces {
  return new Pieces(saved.map(fromSavedPiece))
}

function fromSavedPiece([first, at, head, run]: SavedPiece): Piece {
  const toRun = ([from, newest, value, extreme, flags]: SavedRun): Run => ({
    ...{ from: first + from, at: first + newest, value, extreme },
    ...fromFlags(flags),
  })
  const toEnd = ([time, value]: readonly [number, number]) => ({ time: first + time, value })
  if (!head) return { first, at: first + at, run: undefined, head: undefined }
  const [time, value, on, end, own] = head
  return {
    ...{ first, at: first + at },
    run: run ? toRun(run) : undefined,
    head: {
      ...{ time: first + time, value },
      on: on ? { ...toRun(on), from: Number.NEGATIVE_INFINITY } : undefined,
      end: end ? toEnd(end) : undefined,
      own: own.map(([over, ended]) => ({ run: toRun(over), ...toEnd(ended) })),
    },
  }
}

export function toSavedAlarm(alarm: Alarm): SavedAlarm {
  const { key, from, at, value, extreme, reportedAt, detail } = alarm
  const flags = flagsOf(alarm) + (alarm.isAcknowledged ? ACKNOWLEDGED : 0)
  return [key, from, at, value, extreme, flags, reportedAt, detail]
}

export function fromSavedAlarm(saved: SavedAlarm): Alarm {
  const [key, from, at, value, extreme, flags, reportedAt, detail] = saved
  const isAcknowledged = (flags & ACKNOWLEDGED) !== 0
  return { key, from, at, value, extreme, ...fromFlags(flags), reportedAt, isAcknowledged, detail }
}

const flagsOf = ({ side, isAlarm }: Pick<Run, 'side' | 'isAlarm'>) =>
  (side === 'below' ? 1 : 0) + (isAlarm ? 2 : 0)

const fromFlags = (flags: number): Pick<Run, 'side' | 'isAlarm'> => ({
  side: flags & 1 ? 'below' : 'above',
  isAlarm: (flags & 2) !== 0,
})

const ACKNOWLEDGED = 4
