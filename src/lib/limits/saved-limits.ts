import * as z from 'zod/mini'
import { type Limit, readLimits } from '../../shared/limits-schema'
import { QUANTITIES } from '../../shared/quantity'
import { MAX_TIMESTAMP_MS } from '../decode/time'
import { EnvlogError } from '../errors'
import type { WatchedChannel, WatchedDevice } from './condition'
import type { Run } from './judge'

/**
 * The saved state of the node. Its property names are a contract, because stores contain the state. Runs are arrays, and
 * what is absent has no entry, because the state is written at every beginning and end of a run.
 */

const instant = z.number().check(z.minimum(-MAX_TIMESTAMP_MS), z.maximum(MAX_TIMESTAMP_MS))
const nullableNumber = z.nullable(z.number())

/** `[from, at, value, extreme, flags, reportedAt, detail]`, with times in ms since 1970 UTC. The last two may be absent. */
const savedRun = z.tuple(
  [instant, instant, nullableNumber, nullableNumber, z.int()],
  z.union([instant, z.string()]),
)
/** Rows of limits, as the form saves them. */
const rows = z.pipe(
  z.transform((value) => readLimits(value)),
  z.custom<readonly Limit[]>((found) => Array.isArray(found)),
)
const savedLimit = z.object({
  at: z.optional(instant),
  run: z.optional(savedRun),
  /** The run of values that arrived late. */
  late: z.optional(savedRun),
  /** Beginning and end of the last reported alarms. */
  past: z.optional(z.array(z.tuple([instant, instant]))),
})
const savedChannel = z.object({
  name: z.string(),
  unit: z.string(),
  quantity: z.optional(z.enum(QUANTITIES)),
  first: z.optional(instant),
  error: z.optional(savedRun),
  /** By name, as pairs, because a limit may have the name of a property that every object has. */
  limits: z.array(z.tuple([z.string(), savedLimit])),
})
const savedDevice = z.object({
  name: z.string(),
  group: z.optional(z.string()),
  utcOffset: z.optional(z.number()),
  newest: z.optional(instant),
  /** How long the node has been running without seeing the device, ms. */
  unseenMs: z.optional(z.number()),
  /** How long others have been seen since it brought something newer, ms. */
  quietMs: z.optional(z.number()),
  silent: z.optional(savedRun),
  battery: z.optional(savedRun),
  channels: z.record(z.string(), savedChannel),
  /** Index of its limits. */
  limits: z.int(),
})
const savedLimits = z.object({
  version: z.literal(1),
  noData: z.optional(savedRun),
  noMatch: z.optional(savedRun),
  /** Ends of mutes by serial, or blank for all devices, as pairs, ms since 1970 UTC. */
  mutes: z.optional(z.array(z.tuple([z.string(), instant]))),
  /** By `base/serial`. */
  devices: z.record(z.string().check(z.regex(/^[^/]+\/[^/]+$/)), savedDevice),
  /** The different lists of rows by which devices were judged. */
  limits: z.array(rows),
})
export type SavedLimits = z.output<typeof savedLimits>
type SavedLimit = z.output<typeof savedLimit>
type SavedDevice = z.output<typeof savedDevice>
export type SavedChannel = z.output<typeof savedChannel>
type SavedRun = z.output<typeof savedRun>

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
  const { name, group, utcOffset, newest, silent, battery, channels } = device
  const savedChannels = Array.from(channels.values(), (channel) => [channel.number, toSavedChannel(channel)])
  return {
    name,
    ...(group !== null && { group }),
    ...(utcOffset !== null && { utcOffset }),
    ...(newest !== null && { newest }),
    ...(unseenMs > MIN_SAVED_MS && { unseenMs: Math.round(unseenMs) }),
    ...(quietMs > MIN_SAVED_MS && { quietMs: Math.round(quietMs) }),
    ...(silent.run && { silent: toSavedRun(silent.run) }),
    ...(battery.run && { battery: toSavedRun(battery.run) }),
    channels: Object.fromEntries(savedChannels),
    limits,
  }
}

function toSavedChannel({ name, unit, quantity, first, error, limits }: WatchedChannel): SavedChannel {
  const savedLimits = Array.from(limits, ([limitName, { at, run, late, past }]): [string, SavedLimit] => [
    limitName,
    {
      ...(Number.isFinite(at) && { at }),
      ...(run && { run: toSavedRun(run) }),
      ...(late?.run && { late: toSavedRun(late.run) }),
      ...(past.length > 0 && { past }),
    },
  ])
  return {
    name,
    unit,
    ...(quantity !== null && { quantity }),
    ...(Number.isFinite(first) && { first }),
    ...(error.run && { error: toSavedRun(error.run) }),
    limits: savedLimits,
  }
}

const FLAGS = ['isBelow', 'isAlarm', 'isReported', 'isAcknowledged'] as const

export function toSavedRun(run: Run): SavedRun {
  const { from, at, value, extreme, reportedAt, detail } = run
  const flags = { ...run, isBelow: run.side === 'below', isReported: reportedAt !== null }
  const bits = FLAGS.reduce((sum, flag, bit) => sum + (flags[flag] ? 2 ** bit : 0), 0)
  return [from, at, value, extreme, bits, ...[reportedAt, detail].filter((part) => part !== null)]
}

export function fromSavedRun([from, at, value, extreme, bits, ...others]: SavedRun): Run {
  const reportedAt = others.find((part) => typeof part === 'number') ?? at
  const detail = others.find((part) => typeof part === 'string') ?? null
  const has = (flag: (typeof FLAGS)[number]) => (bits & (2 ** FLAGS.indexOf(flag))) !== 0
  return {
    ...{ from, at, value, extreme, detail },
    side: has('isBelow') ? 'below' : 'above',
    isAlarm: has('isAlarm'),
    reportedAt: has('isReported') ? reportedAt : null,
    isAcknowledged: has('isAcknowledged'),
  }
}
