import { MAX_RECORDS } from '../endpoints'
import { EnvlogError } from '../errors'
import { readNumber } from './number'
import { sanitizeText } from './text'
import { type Offsets, toUtcOffset } from './time'

/** Reads the fields that responses have in common, in every spelling of docs/service.md, *Fields*. */

/** A JSON object from the service. */
export type Fields = Record<string, unknown>

/** Thrown if a part of a response has no valid shape. It has no stack trace, because thousands may be thrown. */
export class InvalidShape {
  /** Path to the invalid part, relative to the value that is read; blank for the value itself. */
  readonly path: string
  constructor(...steps: readonly (string | number | undefined)[]) {
    this.path = steps.filter((step) => step !== undefined).join('.')
  }
}

/** @throws InvalidShape */
export function readObject(value: unknown, parent?: string, index?: number): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields
  throw new InvalidShape(parent, index)
}

/**
 * Reads a text, or a number as text; absent and `null` become blank.
 * @param parent key of the field that contains the object, and `index` its position there
 * @throws InvalidShape
 */
export function readText(object: Fields, key: string, parent?: string, index?: number): string {
  const value = object[key]
  if (typeof value === 'string') return sanitizeText(value)
  if (value === undefined || value === null) return ''
  if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  throw new InvalidShape(parent, index, key)
}

/** True for every value by which the service represents nothing: absent, `null`, blank, `[]`, `{}`. */
export function isAbsent(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true
  if (typeof value !== 'object') return false
  for (const key in value) if (Object.hasOwn(value, key)) return false
  return true
}

/**
 * The elements of a list except `null`; `undefined` if the value is not a list. A list with missing elements may be
 * sent as an object whose keys are indexes, which JavaScript keeps in ascending order.
 */
export function readElements(value: unknown): unknown[] | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if (!Array.isArray(value) && (isAbsent(value) || !Object.keys(value).every((key) => INDEX.test(key)))) {
    return undefined
  }
  return Object.values(value).filter((element) => element !== null)
}

const INDEX = /^(?:0|[1-9]\d{0,8})$/

/** Reads a required list. @throws InvalidShape; EnvlogError `reply-too-many` */
export function readList(object: Fields, key: string): unknown[] {
  const elements = readElements(object[key])
  if (!elements) throw new InvalidShape(key)
  if (elements.length > MAX_RECORDS) throw new EnvlogError('reply-too-many', { most: MAX_RECORDS })
  return elements
}

/** A channel in the response's list. `num` counts from 0 or 1: see `matchChannels`. */
export interface ListedChannel {
  num: number | null
  name: string
  unit: string
}

/** Reads the list of channels; empty if absent. @throws InvalidShape */
export function readChannels<T extends ListedChannel>(
  object: Fields,
  read: (channel: Fields, index: number) => T,
): T[] {
  if (isAbsent(object.channel)) return []
  return readList(object, 'channel').map((value, index) => read(readObject(value, 'channel', index), index))
}

/** @throws InvalidShape */
export const readListedChannel = (channel: Fields, index: number): ListedChannel => ({
  num: readNumber(channel.num),
  name: readText(channel, 'name', 'channel', index),
  unit: readText(channel, 'unit', 'channel', index),
})

export interface Identity {
  serial: string
  model: string
  name: string
}

/** The base unit, name and group of a device. */
export interface KnownFields {
  /** Serial of its base unit; its own if it is standalone. */
  base: string
  name: string
  /** Name of its group; blank if none. */
  group: string
  /** `null` if unreadable. */
  offsets: Offsets | null
}

/** A device that cannot be decoded, in a response about several. */
export interface UnreadableDevice {
  /** Blank if the serial is unreadable too. */
  serial: string
  /** The fields needed to request its records; `null` if these are unreadable too. */
  known: KnownFields | null
  /** Path of the invalid part in the response, such as `devices.3.channel`. */
  part: string
}

const MINUTES_OF_A_DAY = 1440

/**
 * Reads the offsets of a response; absent minutes are 0. `null` if they are unreadable, or if local time is a day or
 * more from UTC, which no time format can express: only local times depend on them.
 */
export function readOffsets(object: Fields): Offsets | null {
  try {
    const offsets = readOffsetFields(object)
    return Math.abs(toUtcOffset(offsets)) < MINUTES_OF_A_DAY ? offsets : null
  } catch (error) {
    if (error instanceof InvalidShape) return null
    throw error
  }
}

function readOffsetFields(object: Fields): Offsets {
  return {
    timeDiff: readEither(object, 'time-diff', 'time_diff', readMinutes) ?? 0,
    stdBias: readEither(object, 'std-bias', 'std_bias', readMinutes) ?? 0,
    dstBias: readEither(object, 'dst-bias', 'dst_bias', readMinutes) ?? 0,
    dstFlag: readEither(object, 'dst-flg', 'dst_flg', readOptionalNumber),
  }
}

/** The first of two spellings that has a value. Both are read, because both must be valid. */
function readEither(
  object: Fields,
  one: string,
  other: string,
  read: typeof readOptionalNumber,
): number | null {
  const first = read(object, one)
  const second = read(object, other)
  return first ?? second
}

/** Minutes, rounded to an integer, at most a day in either direction. */
function readMinutes(object: Fields, key: string): number | null {
  const minutes = readOptionalNumber(object, key)
  if (minutes === null) return null
  if (Math.abs(minutes) > MINUTES_OF_A_DAY) throw new InvalidShape(key)
  return Math.round(minutes)
}

/** A number, or text that represents one; blank and absent are `null`. */
function readOptionalNumber(object: Fields, key: string): number | null {
  const value = object[key]
  if (value === undefined || value === null || (typeof value === 'string' && value.trim() === '')) return null
  const number = readNumber(value)
  if (number === null) throw new InvalidShape(key)
  return number
}
