import { type Endpoint, type EndpointName, endpoints, type OutputType } from '../endpoints'
import { EnvlogError } from '../errors'
import { type CurrentDevice, readCurrentDevice, type UnreadableDevice } from './current-device'
import {
  type Fields,
  type Identity,
  isObject,
  type ListedChannel,
  readChannels,
  readIdentity,
  readList,
  readUtcOffset,
} from './fields'
import { parseJson, stripBom } from './json'

/**
 * Decodes each kind of response into an envelope, which has the same shape for all spellings that the service uses
 * (docs/service.md, *Fields*). Records and log entries stay unchanged, for `readSeriesPart` and `readLogEntries`.
 */

export interface CurrentEnvelope {
  devices: CurrentDevice[]
  unreadable: UnreadableDevice[]
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
  if (serial === '') throw new EnvlogError('response-unreadable', { part: 'serial' })
  const channel = readChannels(fields)
  if (!channel) throw new EnvlogError('response-unreadable', { part: 'channel' })
  return {
    device: { serial, model: remote.model || own.model, name: remote.name || own.name },
    base: base.serial === '' ? null : base,
    channel,
    utcOffset: readUtcOffset(fields),
  }
}

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
  return READERS[endpoints[endpoint].envelope](parseResponse(body))
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
function parseResponse(body: string): Fields {
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
const MAX_DEPTH = 100

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
