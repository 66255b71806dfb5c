import {
  type Fields,
  type Identity,
  InvalidShape,
  isAbsent,
  type KnownFields,
  type ListedChannel,
  readChannels,
  readListedChannel,
  readObject,
  readOffsets,
  readText,
  type UnreadableDevice,
} from './fields'
import { readNumber } from './number'
import { sanitizeText } from './text'
import type { Offsets } from './time'

/** A device of `current`, with the service's field names. `index` is its position in the response, starting at 0. */
export interface CurrentDevice extends Identity {
  num: number | null
  battery: number | null
  rssi: number | null
  unixtime: unknown
  channel: (ListedChannel & { value: unknown })[]
  /** `null` if the response has none. */
  baseunit: Identity | null
  group: { num: number | null; name: string } | null
  /** `null` if unreadable. */
  offsets: Offsets | null
  index: number
}

/** Decodes one device of `current` (docs/service.md, *Fields*). */
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

/** Reads the fields that are needed to request the records of a device that cannot be decoded completely. */
function readKnownFields(value: unknown): KnownFields | null {
  try {
    const device = readObject(value)
    const serial = readText(device, 'serial')
    const base = readBaseUnit(unwrapSingle(device.baseunit))?.serial ?? serial
    if (serial === '') return null
    const [name, group] = [textOrBlank(device.name), readGroupName(device.group)]
    return { base, name, group, offsets: readOffsets(device) }
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

function readDeviceFields(device: Fields, index: number): CurrentDevice {
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
    channel: readChannels(device, readMeasuredChannel),
    baseunit: readBaseUnit(unwrapSingle(device.baseunit)),
    group: readGroup(unwrapSingle(device.group)),
    offsets: readOffsets(device),
    index,
  }
}

const readMeasuredChannel = (channel: Fields, index: number): CurrentDevice['channel'][number] =>
  Object.assign(readListedChannel(channel, index), { value: channel.value })

/** A base unit with a blank serial counts as none, as in the other responses. */
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

/** An object, or the first element of an array; `null` for an absent value. */
function unwrapSingle(value: unknown): unknown {
  if (isAbsent(value)) return null
  return Array.isArray(value) ? value[0] : value
}
