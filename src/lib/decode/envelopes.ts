import { type EndpointName, endpoints } from '../endpoints'
import { EnvlogError } from '../errors'
import { type CurrentDevice, readCurrentDevice } from './current-device'
import {
  type Fields,
  type Identity,
  InvalidShape,
  type ListedChannel,
  readChannels,
  readList,
  readListedChannel,
  readOffsets,
  readText,
  type UnreadableDevice,
} from './fields'
import { parseJson, stripBom } from './json'
import { appendRecords, checkRecordCount, createRecordTable, type RecordTable } from './record-table'
import type { Offsets } from './time'

/**
 * Decodes each kind of answer into an envelope: one shape for all spellings that the service uses (docs/service.md,
 * *Fields*). Records become a table (`record-table.ts`); log entries stay unchanged, for `readAlerts`.
 */

export interface CurrentEnvelope {
  devices: CurrentDevice[]
  unreadable: UnreadableDevice[]
}

/** Decodes further devices of an answer, in their order. @throws EnvlogError `reply-too-many` */
export function appendDevices(envelope: CurrentEnvelope, values: readonly unknown[]): void {
  const { devices, unreadable } = envelope
  checkRecordCount(devices.length + unreadable.length + values.length)
  for (const value of values) {
    if (value === null) continue
    const result = readCurrentDevice(value, devices.length + unreadable.length)
    if ('part' in result) unreadable.push(result)
    else devices.push(result)
  }
}

/** What the answers about one device have in common. */
interface DeviceEnvelope {
  device: Identity
  /** `null` where the answer has none, as for a standalone device. */
  base: Identity | null
  channel: ListedChannel[]
  offsets: Offsets
}

export interface GraphEnvelope extends DeviceEnvelope {
  records: RecordTable
}

export interface AlertEnvelope extends DeviceEnvelope {
  entries: unknown[]
}

/** The standalone endpoints call the serial number `serial`, the relay and alert endpoints `remote-serial`. */
function readDevice(fields: Fields): DeviceEnvelope {
  const own = readIdentity(fields, '')
  const remote = readIdentity(fields, 'remote-')
  const base = readIdentity(fields, 'base-')
  const offsets = readOffsets(fields)
  return {
    device: {
      serial: remote.serial || own.serial,
      model: remote.model || own.model,
      name: remote.name || own.name,
    },
    base: base.serial === '' ? null : base,
    channel: readChannels(fields, readListedChannel),
    offsets,
  }
}

const readIdentity = (fields: Fields, prefix: '' | 'remote-' | 'base-'): Identity => ({
  serial: readText(fields, `${prefix}serial`),
  model: readText(fields, `${prefix}model`),
  name: readText(fields, `${prefix}name`),
})

function readGraph(fields: Fields): GraphEnvelope {
  const about = readDevice(fields)
  const elements = readList(fields, 'data')
  // An answer about one device has to name it.
  if (about.device.serial === '') throw new InvalidShape('serial')
  const records = createRecordTable()
  appendRecords(records, elements)
  return { ...about, records }
}

function readAlertLog(fields: Fields): AlertEnvelope {
  const about = readDevice(fields)
  const entries = readList(fields, 'alert-logs')
  if (about.device.serial === '') throw new InvalidShape('remote-serial')
  checkRecordCount(entries.length)
  return { ...about, entries }
}

export type EnvelopeOf<E extends EndpointName> = (typeof endpoints)[E]['answer'] extends 'current'
  ? CurrentEnvelope
  : (typeof endpoints)[E]['answer'] extends 'alert'
    ? AlertEnvelope
    : GraphEnvelope

export type Envelope = CurrentEnvelope | GraphEnvelope | AlertEnvelope

/**
 * Decodes an answer that has arrived as a whole. The error names the invalid part and never repeats its contents.
 * @throws EnvlogError `reply-not-json`, `reply-error-object`, `reply-too-deep`, `reply-too-many`, `reply-unreadable`
 */
export function readEnvelope(endpoint: EndpointName, body: string): Envelope {
  const json = readJson(body)
  const { answer } = endpoints[endpoint]
  if (answer === 'graph') return readGraphEnvelope(json)
  if (answer === 'alert') return nameInvalidPart(readAlertLog, json)
  const envelope: CurrentEnvelope = { devices: [], unreadable: [] }
  appendDevices(
    envelope,
    nameInvalidPart((fields) => readList(fields, 'devices'), json),
  )
  return envelope
}

/** Decodes a parsed answer with records. @throws EnvlogError `reply-unreadable`, `reply-too-many` */
export const readGraphEnvelope = (json: object): GraphEnvelope => nameInvalidPart(readGraph, json)

function nameInvalidPart<T>(read: (fields: Fields) => T, json: object): T {
  try {
    return read(json as Fields)
  } catch (error) {
    if (!(error instanceof InvalidShape)) throw error
    throw new EnvlogError('reply-unreadable', { part: error.path })
  }
}

/**
 * Parses an answer that is a JSON object and no error object. Its fields are not checked.
 * @throws EnvlogError `reply-not-json`, `reply-error-object`, `reply-too-deep`, `reply-unreadable`
 */
export function readJson(body: string): object {
  const json = parseJson(stripBom(body))
  if (json === undefined) throw new EnvlogError('reply-not-json')
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw new EnvlogError('reply-unreadable', { part: 'answer' })
  }
  if (isErrorObject(json)) throw new EnvlogError('reply-error-object')
  checkDepth(json)
  return json
}

/** The service's own answers have five levels. What is much deeper, nodes behind ours could not clone. */
const MAX_DEPTH = 100

/**
 * Goes level by level, because an answer may be nested deeper than the call stack. @throws EnvlogError `reply-too-deep`
 */
export function checkDepth(json: object): void {
  let level: object[] = [json]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth === MAX_DEPTH) throw new EnvlogError('reply-too-deep', { most: MAX_DEPTH })
    level = level.flatMap((one) => Object.values(one).filter((value) => typeof value === 'object' && value))
  }
}

/** An error object with status 200 (docs/service.md, *Errors*). */
function isErrorObject(json: object): boolean {
  if (!('error' in json)) return false
  return !['devices', 'data', 'alert-logs'].some((key) => key in json)
}

/**
 * Checks that an answer may be CSV and returns it unchanged. The service answers an unknown serial with status 200 and
 * the word `Array` (docs/service.md, *What is certain*); a proxy's page and an error object are no CSV either.
 * @throws EnvlogError `reply-not-csv`
 */
export function readCsv(body: string): string {
  const text = stripBom(body).trim()
  if (text === '' || text === 'Array' || text === 'null' || /^[{[<]/.test(text))
    throw new EnvlogError('reply-not-csv')
  return body
}
