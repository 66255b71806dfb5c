import {
  type Identity,
  isAbsent,
  isObject,
  type ListedChannel,
  readChannels,
  readIdentity,
  readText,
  readUtcOffset,
} from './fields'
import { readTimestamp } from './time'
import { readNumber } from './value'

/** A group of devices, as in messages (docs/messages.md). */
export interface Group {
  number: number | null
  /** Never blank. */
  name: string
}

/** A device of `current`, with the service's field names. `index` is its position in the response, starting at 0. */
export interface CurrentDevice extends Identity {
  num: number | null
  battery: number | null
  rssi: number | null
  /** ms since 1970 UTC; `null` if the response has none. */
  timestamp: number | null
  channel: ListedChannel[]
  /** `null` if the response has none. */
  baseunit: Identity | null
  group: Group | null
  /** Minutes ahead of UTC; `null` if unreadable. */
  utcOffset: number | null
  index: number
}

/** The fields that are needed to choose a device and to request its records. */
export interface KnownFields {
  serial: string
  /** Serial of its base unit; its own if it is standalone. */
  base: string
  name: string
  /** `null` if it has none. */
  group: Group | null
  /** Minutes ahead of UTC; `null` if unreadable. */
  utcOffset: number | null
}

/** A device in a response of `current` that cannot be decoded. */
export interface UnreadableDevice {
  /** Blank if the serial is unreadable too. */
  serial: string
  /** `null` if these fields are unreadable too. */
  known: KnownFields | null
  /** Path of the invalid part in the response, such as `devices.3.channel`. */
  part: string
}

/** Decodes one device of `current` (docs/service.md, *Fields*). */
export function readCurrentDevice(value: unknown, index: number): CurrentDevice | UnreadableDevice {
  const part = `devices.${index}`
  if (!isObject(value)) return { serial: '', part, known: null }
  const serial = readText(value.serial)
  if (serial === '') return { serial, part: `${part}.serial`, known: null }
  const base = unwrapSingle(value.baseunit)
  if (base !== null && !isObject(base)) return { serial, part: `${part}.baseunit`, known: null }
  // A base unit with a blank serial counts as none, as in the other responses.
  const unit = base && readIdentity(base)
  if (unit?.serial === '' && !isAbsent(base?.serial))
    return { serial, part: `${part}.baseunit.serial`, known: null }
  const channel = readChannels(value)
  const timestamp = readTimestamp(value.unixtime)
  const device = {
    serial,
    model: readText(value.model),
    name: readText(value.name),
    num: readNumber(value.num),
    battery: readNumber(value.battery),
    rssi: readNumber(value.rssi),
    timestamp: timestamp ?? null,
    channel: channel ?? [],
    baseunit: unit?.serial ? unit : null,
    group: readGroup(value.group),
    utcOffset: readUtcOffset(value),
    index,
  }
  if (channel && timestamp !== undefined) return device
  return { serial, part: `${part}.${channel ? 'unixtime' : 'channel'}`, known: knownFieldsOf(device) }
}

/** The known fields of a device. A device without a base unit is its own base unit. */
export function knownFieldsOf({ serial, name, baseunit, group, utcOffset }: CurrentDevice): KnownFields {
  return { serial, base: baseunit?.serial ?? serial, name, group, utcOffset }
}

/** A group without a name is none (docs/service.md, *Fields*). */
function readGroup(value: unknown): Group | null {
  const group = unwrapSingle(value)
  if (!isObject(group)) return null
  const name = readText(group.name)
  return name === '' ? null : { number: readNumber(group.num), name }
}

/** An object, or the first element of an array; `null` for an absent value. */
function unwrapSingle(value: unknown): unknown {
  if (isAbsent(value)) return null
  return Array.isArray(value) ? value[0] : value
}
