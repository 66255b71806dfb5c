/**
 * Decodes each kind of response into an envelope, which has the same shape for all spellings that the service uses
 * (docs/service.md, *Fields*). Records and log entries stay unchanged, for `readSeriesPart` and `readLogEntries`.
 */
import { isReadableSerial } from '../../shared/action'
import { type Endpoint, type EndpointName, endpoints, type OutputType } from '../endpoints'
import { EnvlogError } from '../errors'
import {
  type Fields,
  type Identity,
  isAbsent,
  isObject,
  type ListedChannel,
  parseJson,
  readChannels,
  readIdentity,
  readList,
  readText,
  stripBom,
} from './fields'
import { readTimestamp, readUtcOffset } from './time'
import { readNumber } from './value'

/** The envelope for each kind of response. */
interface Envelopes {
  current: CurrentEnvelope
  graph: GraphEnvelope
  alert: AlertEnvelope
}

export type Envelope = Envelopes[keyof Envelopes]
export type EnvelopeOf<E extends EndpointName> = Envelopes[(typeof endpoints)[E]['envelope']]

/**
 * Decodes the body of a response. The error contains the path of the invalid part, but never its contents.
 * @throws EnvlogError `response-not-json`, `response-error-object`, `response-too-many`, `response-unreadable`
 */
export function readEnvelope(endpoint: EndpointName, body: string): Envelope {
  return readFields(endpoint, parseResponse(body))
}

/** As `readEnvelope`, for a body that has been parsed. @throws EnvlogError `response-too-many`, `response-unreadable` */
export function readFields(endpoint: EndpointName, fields: Fields): Envelope {
  return READERS[endpoints[endpoint].envelope](fields)
}

const READERS: Record<Endpoint['envelope'], (fields: Fields) => Envelope> = {
  current: readCurrentEnvelope,
  graph: (fields) => ({ ...readDevice(fields), records: readList(fields, 'data') }),
  alert: (fields) => ({ ...readDevice(fields), entries: readList(fields, 'alert-logs') }),
}

/**
 * Checks a response that is passed on unchanged, which is a JSON object or CSV text.
 * @throws EnvlogError `response-not-json`, `response-error-object`, `response-too-deep`, `response-unreadable`, `response-not-csv`
 */
export function readRaw(type: OutputType, body: string): object | string {
  if (type !== 'json') return readCsv(body)
  const json = parseResponse(body)
  checkDepth(json)
  return json
}

/**
 * Parses a body that is a JSON object and not an error object. Its fields are not checked.
 * @throws EnvlogError `response-not-json`, `response-error-object`, `response-unreadable`
 */
export function parseResponse(body: string): Fields {
  const json = parseJson(stripBom(body))
  if (json === undefined) throw new EnvlogError('response-not-json')
  if (!isObject(json)) throw new EnvlogError('response-unreadable', { part: 'response' })
  if (isErrorObject(json)) throw new EnvlogError('response-error-object')
  return json
}

/**
 * Maximum depth of a response. The service's own responses have five levels. Node-RED cannot clone a payload that is
 * much deeper.
 */
export const MAX_DEPTH = 100

/**
 * Checks the depth level by level, because a response may be nested deeper than the call stack allows.
 * @throws EnvlogError `response-too-deep`
 */
function checkDepth(json: object): void {
  let level: object[] = [json]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth === MAX_DEPTH) throw new EnvlogError('response-too-deep', { most: MAX_DEPTH })
    level = level.flatMap((object) =>
      Object.values(object).filter((value) => typeof value === 'object' && value),
    )
  }
}

/** Whether a response with status 200 is an error object (docs/service.md, *Errors*). */
function isErrorObject(json: object): boolean {
  if (!('error' in json)) return false
  return !['devices', 'data', 'alert-logs'].some((key) => key in json)
}

/**
 * Checks that a response may be CSV and returns it unchanged. For an unknown serial, the service responds with status
 * 200 and the word `Array` (docs/service.md, *Assumptions*); a proxy's page and an error object are not CSV either.
 * @throws EnvlogError `response-not-csv`
 */
function readCsv(body: string): string {
  const text = body.trim()
  if (text === '' || text === 'Array' || text === 'null' || /^[{[<]/.test(text))
    throw new EnvlogError('response-not-csv')
  return body
}

export interface CurrentEnvelope {
  devices: CurrentDevice[]
  unreadable: UnreadableDevice[]
}

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

function readCurrentEnvelope(fields: Fields): CurrentEnvelope {
  const envelope: CurrentEnvelope = { devices: [], unreadable: [] }
  readList(fields, 'devices').forEach((value, index) => {
    const result = readCurrentDevice(value, index)
    if ('part' in result) envelope.unreadable.push(result)
    else envelope.devices.push(result)
  })
  return envelope
}

/** Decodes one device of `current` (docs/service.md, *Fields*). */
export function readCurrentDevice(value: unknown, index: number): CurrentDevice | UnreadableDevice {
  if (!isObject(value)) return { serial: '', part: `devices.${index}`, known: null }
  const serial = readText(value.serial)
  if (!isReadableSerial(serial)) return { serial: '', part: `devices.${index}.serial`, known: null }
  const base = unwrapSingle(value.baseunit)
  if (base !== null && !isObject(base)) return { serial, part: `devices.${index}.baseunit`, known: null }
  // A base unit with a blank serial counts as none, as in the other responses.
  const unit = base && readIdentity(base)
  if (unit && !isReadableSerial(unit.serial) && !isAbsent(base?.serial))
    return { serial, part: `devices.${index}.baseunit.serial`, known: null }
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
  return {
    serial,
    part: `devices.${index}.${channel ? 'unixtime' : 'channel'}`,
    known: knownFieldsOf(device),
  }
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

/** The common parts of responses about a single device. */
interface DeviceEnvelope {
  device: Identity
  /** `null` if the response contains none, as for a standalone device. */
  base: Identity | null
  channel: ListedChannel[]
  /** Minutes ahead of UTC; `null` if unreadable. */
  utcOffset: number | null
}

export interface GraphEnvelope extends DeviceEnvelope {
  records: unknown[]
}

export interface AlertEnvelope extends DeviceEnvelope {
  entries: unknown[]
}

/**
 * Decodes the common parts. The serial number is required. It is called `serial` by the endpoints for standalone
 * devices, and `remote-serial` by the endpoints for remote units and alerts.
 */
function readDevice(fields: Fields): DeviceEnvelope {
  const [own, remote, base] = [
    readIdentity(fields),
    readIdentity(fields, 'remote-'),
    readIdentity(fields, 'base-'),
  ]
  const serial = remote.serial || own.serial
  if (!isReadableSerial(serial)) throw new EnvlogError('response-unreadable', { part: 'serial' })
  if (base.serial !== '' && !isReadableSerial(base.serial))
    throw new EnvlogError('response-unreadable', { part: 'base-serial' })
  const channel = readChannels(fields)
  if (!channel) throw new EnvlogError('response-unreadable', { part: 'channel' })
  return {
    device: { serial, model: remote.model || own.model, name: remote.name || own.name },
    base: base.serial === '' ? null : base,
    channel,
    utcOffset: readUtcOffset(fields),
  }
}
