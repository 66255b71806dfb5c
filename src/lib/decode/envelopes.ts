import { z } from 'zod'
import { type EndpointName, endpoints } from '../endpoints'
import { EnvlogError } from '../errors'
import { type CurrentDevice, readCurrentDevice } from './current-device'
import {
  channelField,
  type Identity,
  listOf,
  offsetFields,
  readOffsets,
  requiredListOf,
  textField,
  type UnreadableDevice,
} from './fields'
import { parseJson, stripBom } from './json'
import { appendRecords, checkRecordCount, createRecordTable } from './record-table'

/**
 * Decodes each kind of answer into an envelope: one shape for all spellings that the service uses (docs/service.md,
 * *Fields*). For thousands of elements, zod would take longer than parsing. So devices are decoded without it
 * (`current-device.ts`), records become a table (`record-table.ts`), and log entries stay unchanged, for `readAlerts`.
 */

/** A list whose elements are decoded elsewhere, one by one. */
const undecodedList = requiredListOf(z.unknown())

export interface CurrentEnvelope {
  devices: CurrentDevice[]
  unreadable: UnreadableDevice[]
}

const currentSchema = z.object({ devices: undecodedList })

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

/** The standalone endpoints call the serial number `serial`, the relay and alert endpoints `remote-serial`. */
const deviceFields = {
  serial: textField,
  model: textField,
  name: textField,
  'remote-serial': textField,
  'remote-model': textField,
  'remote-name': textField,
  'base-serial': textField,
  'base-model': textField,
  'base-name': textField,
  ...offsetFields,
  channel: listOf(channelField),
}

const deviceSchema = z.object(deviceFields)
type DeviceFields = z.infer<typeof deviceSchema>

function toDevice(fields: DeviceFields) {
  const device: Identity = {
    serial: fields['remote-serial'] || fields.serial,
    model: fields['remote-model'] || fields.model,
    name: fields['remote-name'] || fields.name,
  }
  const base: Identity | null =
    fields['base-serial'] === ''
      ? null
      : { serial: fields['base-serial'], model: fields['base-model'], name: fields['base-name'] }
  return { device, base, channel: fields.channel, offsets: readOffsets(fields) }
}

/** An answer about one device has to name it. */
const hasSerial = (fields: DeviceFields) => (fields['remote-serial'] || fields.serial) !== ''

const graphSchema = z
  .object({ ...deviceFields, data: undecodedList })
  .refine(hasSerial, { path: ['serial'] })
  .transform((fields) => {
    const records = createRecordTable()
    appendRecords(records, fields.data)
    return { ...toDevice(fields), records }
  })
/** An answer with records. `base` is `null` where the answer has none, as for a standalone device. */
export type GraphEnvelope = z.infer<typeof graphSchema>

const alertSchema = z
  .object({ ...deviceFields, 'alert-logs': undecodedList })
  .refine(hasSerial, { path: ['remote-serial'] })
  .transform((fields) => {
    checkRecordCount(fields['alert-logs'].length)
    return { ...toDevice(fields), entries: fields['alert-logs'] }
  })
export type AlertEnvelope = z.infer<typeof alertSchema>

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
  if (answer === 'alert') return validate(alertSchema, json)
  const envelope: CurrentEnvelope = { devices: [], unreadable: [] }
  appendDevices(envelope, validate(currentSchema, json).devices)
  return envelope
}

/** Decodes a parsed answer with records. @throws EnvlogError `reply-unreadable`, `reply-too-many` */
export const readGraphEnvelope = (json: object): GraphEnvelope => validate(graphSchema, json)

function validate<T extends z.ZodType>(schema: T, json: object): z.infer<T> {
  const result = schema.safeParse(json)
  if (result.success) return result.data
  throw new EnvlogError('reply-unreadable', { part: pathOfFirstIssue(result.error) })
}

function pathOfFirstIssue({ issues }: z.ZodError): string {
  return (issues[0]?.path ?? []).map(String).join('.') || 'answer'
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
