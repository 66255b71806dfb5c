import {
  type Identity,
  isAbsent,
  type KnownFields,
  type ListedChannel,
  type Offsets,
  readElements,
  type UnreadableDevice,
} from './fields'
import { readNumber } from './number'
import { sanitizeText } from './text'

/** A device of `current`, with the service's field names. `index` is its position in the answer, from 0. */
export interface CurrentDevice extends Identity {
  num: number | null
  battery: number | null
  rssi: number | null
  unixtime: unknown
  channel: (ListedChannel & { value: unknown })[]
  /** `null` where the answer has none. */
  baseunit: Identity | null
  group: { num: number | null; name: string } | null
  offsets: Offsets
  index: number
}

/** Thrown where an element has no valid shape. It has no stack trace, because thousands may be thrown. */
class InvalidShape {
  /** Path from the element to the invalid part; blank for the element itself. */
  readonly path: string
  constructor(...steps: readonly (string | number | undefined)[]) {
    this.path = steps.filter((step) => step !== undefined).join('.')
  }
}

type Json = Record<string, unknown>

/**
 * Decodes one device of `current` (docs/service.md, *Fields*). It follows the rules of the schemas in `fields.ts`
 * without zod, which would take longer than parsing an answer with thousands of devices.
 */
export function readCurrentDevice(value: unknown, index: number): CurrentDevice | UnreadableDevice {
  try {
    return readDeviceFields(readObject(value), index)
  } catch (error) {
    if (!(error instanceof InvalidShape)) throw error
    const { serial } = (value ?? {}) as { serial?: unknown }
    const part = error.path === '' ? `devices.${index}` : `devices.${index}.${error.path}`
    return { serial: typeof serial === 'string' ? serial : '', part, known: readKnownFields(value) }
  }
}

/** Reads what is needed to request the records of a device that cannot be decoded as a whole. */
function readKnownFields(value: unknown): KnownFields | null {
  try {
    const device = readObject(value)
    const serial = readText(device, 'serial')
    const base = readBaseUnit(unwrapSingle(device.baseunit))?.serial ?? serial
    return serial === '' ? null : { base, name: textOrBlank(device.name), group: readGroupName(device.group) }
  } catch (error) {
    if (error instanceof InvalidShape) return null
    throw error
  }
}

const textOrBlank = (value: unknown) => (typeof value === 'string' ? sanitizeText(value) : '')

function readGroupName(value: unknown): string {
  const group = unwrapSingle(value)
  return typeof group === 'object' && group !== null && 'name' in group ? textOrBlank(group.name) : ''
}

function readDeviceFields(device: Json, index: number): CurrentDevice {
  const serial = readText(device, 'serial')
  if (serial === '') throw new InvalidShape('serial')
  return {
    serial,
    model: readText(device, 'model'),
    name: readText(device, 'name'),
    num: readNumber(device.num),
    battery: readNumber(device.battery),
    rssi: readNumber(device.rssi),
    unixtime: device.unixtime,
    channel: readChannelList(device.channel),
    baseunit: readBaseUnit(unwrapSingle(device.baseunit)),
    group: readGroup(unwrapSingle(device.group)),
    offsets: readDeviceOffsets(device),
    index,
  }
}

function readChannelList(value: unknown): CurrentDevice['channel'] {
  const listed = isAbsent(value) ? [] : readElements(value)
  if (!listed) throw new InvalidShape('channel')
  return listed.map(readListedChannel)
}

function readListedChannel(value: unknown, index: number): CurrentDevice['channel'][number] {
  const channel = readObject(value, 'channel', index)
  return {
    num: readNumber(channel.num),
    name: readText(channel, 'name', 'channel', index),
    unit: readText(channel, 'unit', 'channel', index),
    value: channel.value,
  }
}

/** A base unit with a blank serial is none, as in the other answers. */
function readBaseUnit(value: unknown): Identity | null {
  if (value === null) return null
  const base = readObject(value, 'baseunit')
  const serial = readText(base, 'serial', 'baseunit')
  const unit = {
    serial,
    model: readText(base, 'model', 'baseunit'),
    name: readText(base, 'name', 'baseunit'),
  }
  return serial === '' ? null : unit
}

function readGroup(value: unknown): CurrentDevice['group'] {
  if (value === null) return null
  const group = readObject(value, 'group')
  return { num: readNumber(group.num), name: readText(group, 'name', 'group') }
}

function readDeviceOffsets(device: Json): Offsets {
  return {
    timeDiff: readEither(device, 'time-diff', 'time_diff', readMinutes) ?? 0,
    stdBias: readEither(device, 'std-bias', 'std_bias', readMinutes) ?? 0,
    dstBias: readEither(device, 'dst-bias', 'dst_bias', readMinutes) ?? 0,
    dstFlag: readEither(device, 'dst-flg', 'dst_flg', readOptionalNumber),
  }
}

/** Of two spellings the first that has a value. Both are read, because both have to be valid. */
function readEither(
  object: Json,
  one: string,
  other: string,
  read: typeof readOptionalNumber,
): number | null {
  const first = read(object, one)
  const second = read(object, other)
  return first ?? second
}

/** Minutes, rounded to whole ones, of at most a day either way. */
function readMinutes(object: Json, key: string): number | null {
  const minutes = readOptionalNumber(object, key)
  if (minutes === null) return null
  if (Math.abs(minutes) > 1440) throw new InvalidShape(key)
  return Math.round(minutes)
}

/** A number, or text that is one; blank and absent are `null`. */
function readOptionalNumber(object: Json, key: string): number | null {
  const value = object[key]
  if (value === undefined || value === null || (typeof value === 'string' && value.trim() === '')) return null
  const number = readNumber(value)
  if (number === null) throw new InvalidShape(key)
  return number
}

/**
 * A text, or a number as text; absent and `null` are blank.
 * @param parent key of the field in the device that the object belongs to, and `index` its position there
 */
function readText(object: Json, key: string, parent?: string, index?: number): string {
  const value = object[key]
  if (typeof value === 'string') return sanitizeText(value)
  if (value === undefined || value === null) return ''
  if (typeof value === 'number') return String(value)
  throw new InvalidShape(parent, index, key)
}

function readObject(value: unknown, parent?: string, index?: number): Json {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json
  throw new InvalidShape(parent, index)
}

/** An object, or the first element of an array; `null` for whatever stands for nothing. */
function unwrapSingle(value: unknown): unknown {
  if (isAbsent(value)) return null
  return Array.isArray(value) ? value[0] : value
}
