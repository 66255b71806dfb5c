import { z } from 'zod'
import { type EndpointName, endpoints } from '../endpoints'
import { EnvlogError } from '../errors'
import { type CurrentDevice, readCurrentDevice } from './current-device'
import {
  channel,
  elements,
  type Identity,
  list,
  offsetFields,
  readOffsets,
  text,
  type UnreadableDevice,
} from './fields'
import { parseJson, stripBom } from './json'
import { appendRecords, checkRecordCount, createRecordTable } from './record-table'

/**
 * What the service may send, read into one shape (docs/service.md, *Fields*): text or number, hyphen or underscore, object or array of one or `[]`, blanks, fields more than
 * known. Of what comes by the thousand zod would cost more than parsing it: devices are read by hand
 * (`current-device.ts`), and records and log entries stay unread here, `readings/` has a guard for them.
 */

/** Its elements are read later, one by one. */
const unread = elements(z.unknown())

export interface CurrentEnvelope {
  devices: CurrentDevice[]
  unreadable: UnreadableDevice[]
}

const current = z.object({ devices: unread })

/** Adds devices of an answer, in their order. @throws EnvlogError `reply-too-many` */
export function appendDevices(envelope: CurrentEnvelope, found: readonly unknown[]): void {
  const { devices, unreadable } = envelope
  checkRecordCount(devices.length + unreadable.length + found.length)
  for (const device of found) {
    if (device === null) continue
    const result = readCurrentDevice(device, devices.length + unreadable.length)
    if ('part' in result) unreadable.push(result)
    else devices.push(result)
  }
}

/** Identity as the standalone endpoints (`serial`) or the relay and alert ones (`remote-serial`) spell it. */
const deviceFields = {
  serial: text,
  model: text,
  name: text,
  'remote-serial': text,
  'remote-model': text,
  'remote-name': text,
  'base-serial': text,
  'base-model': text,
  'base-name': text,
  ...offsetFields,
  channel: list(channel),
}

const deviceObject = z.object(deviceFields)
function deviceOf(found: z.infer<typeof deviceObject>) {
  const device: Identity = {
    serial: found['remote-serial'] || found.serial,
    model: found['remote-model'] || found.model,
    name: found['remote-name'] || found.name,
  }
  const base: Identity | null =
    found['base-serial'] === ''
      ? null
      : { serial: found['base-serial'], model: found['base-model'], name: found['base-name'] }
  return { device, base, channel: found.channel, offsets: readOffsets(found) }
}

/** An answer about one device tells which. */
const tellsSerial = (found: z.infer<typeof deviceObject>) => (found['remote-serial'] || found.serial) !== ''

const graph = z
  .object({ ...deviceFields, data: unread })
  .refine(tellsSerial, { path: ['serial'] })
  .transform((found) => {
    const records = createRecordTable()
    appendRecords(records, found.data)
    return { ...deviceOf(found), records }
  })
/** An answer of the four graph endpoints; `base` is `null` where none was told: a standalone device. */
export type GraphEnvelope = z.infer<typeof graph>

const alert = z
  .object({ ...deviceFields, 'alert-logs': unread })
  .refine(tellsSerial, { path: ['remote-serial'] })
  .transform((found) => {
    checkRecordCount(found['alert-logs'].length)
    return { ...deviceOf(found), entries: found['alert-logs'] }
  })
export type AlertEnvelope = z.infer<typeof alert>

export type EnvelopeOf<E extends EndpointName> = (typeof endpoints)[E]['answer'] extends 'current'
  ? CurrentEnvelope
  : (typeof endpoints)[E]['answer'] extends 'alert'
    ? AlertEnvelope
    : GraphEnvelope

export type Envelope = CurrentEnvelope | GraphEnvelope | AlertEnvelope

/** @throws EnvlogError `reply-not-json`, `reply-error-object`, `reply-unreadable` (which part, never its contents) */
export function readEnvelope(endpoint: EndpointName, body: string): Envelope {
  const json = readJson(body)
  const { answer } = endpoints[endpoint]
  if (answer === 'graph') return readGraphEnvelope(json)
  if (answer === 'alert') return checked(alert, json)
  const envelope: CurrentEnvelope = { devices: [], unreadable: [] }
  appendDevices(envelope, checked(current, json).devices)
  return envelope
}

/** @throws EnvlogError `reply-unreadable` */
export const readGraphEnvelope = (json: object): GraphEnvelope => checked(graph, json)

function checked<T extends z.ZodType>(schema: T, rest: object): z.infer<T> {
  const result = schema.safeParse(rest)
  if (result.success) return result.data
  throw new EnvlogError('reply-unreadable', { part: partOf(result.error) })
}

function partOf({ issues }: z.ZodError): string {
  return (issues[0]?.path ?? []).map(String).join('.') || 'answer'
}

/**
 * A JSON object that is no error object, not looked into any further.
 * @throws EnvlogError `reply-not-json`, `reply-error-object`, `reply-too-deep`, `reply-unreadable`
 */
export function readJson(body: string): object {
  const json = parseJson(stripBom(body))
  if (json === undefined) throw new EnvlogError('reply-not-json')
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw new EnvlogError('reply-unreadable', { part: 'answer' })
  }
  if (isErrorObject(json)) throw new EnvlogError('reply-error-object')
  return checkDepth(json)
}

/** The service's own answers have five levels; what is much deeper nobody behind us could copy. */
const MAX_DEPTH = 100

/** Level by level: an answer may be deeper than calls can be. @throws EnvlogError `reply-too-deep` */
export function checkDepth(json: object): object {
  let level: object[] = [json]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth === MAX_DEPTH) throw new EnvlogError('reply-too-deep', { most: MAX_DEPTH })
    level = level.flatMap((one) => Object.values(one).filter((value) => typeof value === 'object' && value))
  }
  return json
}

function isErrorObject(json: object): boolean {
  if (!('error' in json)) return false
  return !['devices', 'data', 'alert-logs'].some((key) => key in json)
}

/**
 * CSV text as it came. An unknown serial is answered with status 200 and the word `Array` (docs/service.md); a proxy's
 * page and an error object are no table either.
 */
export function readCsv(body: string): string {
  const text = stripBom(body).trim()
  if (text === '' || text === 'Array' || text === 'null' || /^[{[<]/.test(text))
    throw new EnvlogError('reply-not-csv')
  return body
}
