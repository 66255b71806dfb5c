import {
  type Identity,
  isAbsent,
  type ListedChannel,
  type Offsets,
  readElements,
  type UnreadableDevice,
} from './fields'
import { readNumber } from './number'
import { sanitizeText } from './text'

/** A device of `current` in one shape; `index` is its place in the answer. */
export interface CurrentDevice extends Identity {
  num: number | null
  battery: number | null
  rssi: number | null
  unixtime: unknown
  channel: (ListedChannel & { value: unknown })[]
  /** `null` where none was told. */
  baseunit: Identity | null
  group: { num: number | null; name: string } | null
  offsets: Offsets
  index: number
}

/** Where an element is not as it must be, steps from the element down. */
class Misfit {
  readonly path: string
  constructor(...steps: readonly (string | number | undefined)[]) {
    this.path = steps.filter((step) => step !== undefined).join('.')
  }
}

type Json = Record<string, unknown>

/**
 * One device of `current` (docs/service.md, *Fields*), read leniently: the rules of
 * `fields.ts` by hand, because there are up to thousands.
 */
export function readCurrentDevice(found: unknown, index: number): CurrentDevice | UnreadableDevice {
  try {
    return deviceOf(objectAt(found), index)
  } catch (misfit) {
    if (!(misfit instanceof Misfit)) throw misfit
    const { serial } = (found ?? {}) as { serial?: unknown }
    const part = misfit.path === '' ? `devices.${index}` : `devices.${index}.${misfit.path}`
    return { serial: typeof serial === 'string' ? serial : '', part, known: whatIsKnown(found) }
  }
}

/** Of a device that cannot be read as a whole. */
function whatIsKnown(found: unknown): UnreadableDevice['known'] {
  try {
    const device = objectAt(found)
    const serial = textAt(device, 'serial')
    const base = baseOf(theOne(device.baseunit))?.serial ?? serial
    return serial === '' ? null : { base, name: textOf(device.name), group: groupName(device.group) }
  } catch (misfit) {
    if (misfit instanceof Misfit) return null
    throw misfit
  }
}

const textOf = (value: unknown) => (typeof value === 'string' ? sanitizeText(value) : '')

function groupName(found: unknown): string {
  const group = theOne(found)
  return typeof group === 'object' && group !== null && 'name' in group ? textOf(group.name) : ''
}

function deviceOf(found: Json, index: number): CurrentDevice {
  const serial = textAt(found, 'serial')
  if (serial === '') throw new Misfit('serial')
  return {
    serial,
    model: textAt(found, 'model'),
    name: textAt(found, 'name'),
    num: readNumber(found.num),
    battery: readNumber(found.battery),
    rssi: readNumber(found.rssi),
    unixtime: found.unixtime,
    channel: channelsOf(found.channel),
    baseunit: baseOf(theOne(found.baseunit)),
    group: groupOf(theOne(found.group)),
    offsets: offsetsAt(found),
    index,
  }
}

function channelsOf(found: unknown): CurrentDevice['channel'] {
  const listed = isAbsent(found) ? [] : readElements(found)
  if (!listed) throw new Misfit('channel')
  return listed.map(channelOf)
}

function channelOf(found: unknown, index: number): CurrentDevice['channel'][number] {
  const channel = objectAt(found, 'channel', index)
  return {
    num: readNumber(channel.num),
    name: textAt(channel, 'name', 'channel', index),
    unit: textAt(channel, 'unit', 'channel', index),
    value: channel.value,
  }
}

/** Blank means none, as in the other answers. */
function baseOf(found: unknown): Identity | null {
  if (found === null) return null
  const base = objectAt(found, 'baseunit')
  const serial = textAt(base, 'serial', 'baseunit')
  const unit = { serial, model: textAt(base, 'model', 'baseunit'), name: textAt(base, 'name', 'baseunit') }
  return serial === '' ? null : unit
}

function groupOf(found: unknown): CurrentDevice['group'] {
  if (found === null) return null
  const group = objectAt(found, 'group')
  return { num: readNumber(group.num), name: textAt(group, 'name', 'group') }
}

function offsetsAt(found: Json): Offsets {
  return {
    timeDiff: eitherAt(found, 'time-diff', 'time_diff', minutesAt) ?? 0,
    stdBias: eitherAt(found, 'std-bias', 'std_bias', minutesAt) ?? 0,
    dstBias: eitherAt(found, 'dst-bias', 'dst_bias', minutesAt) ?? 0,
    dstFlag: eitherAt(found, 'dst-flg', 'dst_flg', numberAt),
  }
}

/** The first of two spellings that tells something; both must be readable. */
function eitherAt(found: Json, one: string, other: string, read: typeof numberAt): number | null {
  const first = read(found, one)
  const second = read(found, other)
  return first ?? second
}

/** Whole minutes of at most a day either way. */
function minutesAt(found: Json, key: string): number | null {
  const minutes = numberAt(found, key)
  if (minutes === null) return null
  if (Math.abs(minutes) > 1440) throw new Misfit(key)
  return Math.round(minutes)
}

/** A number, also as text; blank and absent are `null`. */
function numberAt(found: Json, key: string): number | null {
  const value = found[key]
  if (value === undefined || value === null || (typeof value === 'string' && value.trim() === '')) return null
  const number = readNumber(value)
  if (number === null) throw new Misfit(key)
  return number
}

/** Text, also where a number was sent; absent and `null` are blank. */
function textAt(found: Json, key: string, inside?: string, index?: number): string {
  const value = found[key]
  if (typeof value === 'string') return sanitizeText(value)
  if (value === undefined || value === null) return ''
  if (typeof value === 'number') return String(value)
  throw new Misfit(inside, index, key)
}

function objectAt(found: unknown, inside?: string, index?: number): Json {
  if (typeof found === 'object' && found !== null && !Array.isArray(found)) return found as Json
  throw new Misfit(inside, index)
}

/** An object, or the only element of an array; what stands for nothing is `null`. */
function theOne(found: unknown): unknown {
  if (isAbsent(found)) return null
  return Array.isArray(found) ? found[0] : found
}
