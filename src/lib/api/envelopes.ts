import { z } from 'zod'
import { EnvlogError } from '../errors'
import { withoutBom } from './body'
import { type EndpointName, endpoints } from './endpoints'
import { anyNumber, anything, list, offsetFields, offsetsOf, one, requiredText, text } from './fields'

/**
 * What the service may send, read into one shape (*Resources and their fields*; every row of the field notes'
 * *Answers*): text or number, hyphen or underscore, object or array of one or `[]`, blanks, fields more than
 * known. Records and log entries stay unread here: there are up to 65,535, and `readings/` has a guard for them.
 */

const identity = z.object({ serial: requiredText, model: text, name: text })
export type Identity = z.infer<typeof identity>

const channel = z.object({ num: anyNumber, name: text, unit: text })
/** One listed channel; `num` as listed, counted from 0 or from 1 (see `readings/channel.ts`). */
export type ListedChannel = z.infer<typeof channel>

/** An array that must be there; its elements are read later, one by one. */
const unread = z.array(z.unknown())

/** Blank means none, as in the other answers. */
const baseUnit = z.object({ serial: text, model: text, name: text })

const currentDevice = z
  .object({
    ...identity.shape,
    ...offsetFields,
    num: anyNumber,
    battery: anyNumber,
    rssi: anyNumber,
    unixtime: anything,
    channel: list(channel.extend({ value: anything })),
    baseunit: one(baseUnit).transform((unit) => (unit?.serial ? unit : null)),
    group: one(z.object({ num: anyNumber, name: text })),
  })
  .transform((found) => ({
    serial: found.serial,
    model: found.model,
    name: found.name,
    num: found.num,
    battery: found.battery,
    rssi: found.rssi,
    unixtime: found.unixtime,
    channel: found.channel,
    baseunit: found.baseunit,
    group: found.group,
    offsets: offsetsOf(found),
  }))

/** `index` is its place in the answer. */
export type CurrentDevice = z.infer<typeof currentDevice> & { index: number }

/** A device of an answer about several that cannot be read: the others can. */
export interface Unreadable {
  /** Blank where not even that can be read. */
  serial: string
  /** Which part of the answer. */
  part: string
}

export interface CurrentEnvelope {
  devices: CurrentDevice[]
  unreadable: Unreadable[]
}

/** Unreadable as a whole only where there are devices and none of them can be read. */
const current = z.object({ devices: unread }).transform(({ devices }, context): CurrentEnvelope => {
  const envelope: CurrentEnvelope = { devices: [], unreadable: [] }
  for (const [index, found] of devices.entries()) {
    const result = currentDevice.safeParse(found)
    if (result.success) envelope.devices.push({ ...result.data, index })
    else envelope.unreadable.push({ serial: serialIn(found), part: partOf(`devices.${index}`, result.error) })
  }
  const [first] = envelope.unreadable
  if (first && envelope.devices.length === 0) {
    context.addIssue({ code: 'custom', path: first.part.split('.') })
  }
  return envelope
})

function serialIn(found: unknown): string {
  const { serial } = (found ?? {}) as { serial?: unknown }
  return typeof serial === 'string' ? serial : ''
}

function partOf(within: string, { issues }: z.ZodError): string {
  return [within, ...(issues[0]?.path ?? []).map(String)].filter((step) => step !== '').join('.')
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
  return { device, base, channel: found.channel, offsets: offsetsOf(found) }
}

/** An answer about one device tells which. */
const tellsSerial = (found: z.infer<typeof deviceObject>) => (found['remote-serial'] || found.serial) !== ''

const graph = z
  .object({ ...deviceFields, data: unread })
  .refine(tellsSerial, { path: ['serial'] })
  .transform((found) => ({ ...deviceOf(found), records: found.data }))
/** An answer of the four graph endpoints; `base` is `null` where none was told: a standalone device. */
export type GraphEnvelope = z.infer<typeof graph>

const alert = z
  .object({ ...deviceFields, 'alert-logs': unread })
  .refine(tellsSerial, { path: ['remote-serial'] })
  .transform((found) => ({ ...deviceOf(found), entries: found['alert-logs'] }))
export type AlertEnvelope = z.infer<typeof alert>

const schemas = { current, graph, alert }

export type EnvelopeOf<E extends EndpointName> = (typeof endpoints)[E]['answer'] extends 'current'
  ? CurrentEnvelope
  : (typeof endpoints)[E]['answer'] extends 'alert'
    ? AlertEnvelope
    : GraphEnvelope

/** @throws EnvlogError `reply-not-json`, `reply-error-object`, `reply-unreadable` (which part, never its contents) */
export function readEnvelope(
  endpoint: EndpointName,
  body: string,
): CurrentEnvelope | GraphEnvelope | AlertEnvelope {
  const result = schemas[endpoints[endpoint].answer].safeParse(readJson(body))
  if (result.success) return result.data
  throw new EnvlogError('reply-unreadable', { part: partOf('', result.error) || 'answer' })
}

/**
 * A JSON object that is no error object, not looked into any further.
 * @throws EnvlogError `reply-not-json`, `reply-error-object`, `reply-unreadable`
 */
export function readJson(body: string): object {
  let json: unknown
  try {
    json = JSON.parse(withoutBom(body))
  } catch {
    throw new EnvlogError('reply-not-json')
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw new EnvlogError('reply-unreadable', { part: 'answer' })
  }
  if (isErrorObject(json)) throw new EnvlogError('reply-error-object')
  return json
}

function isErrorObject(json: object): boolean {
  if (!('error' in json)) return false
  return !['devices', 'data', 'alert-logs'].some((key) => key in json)
}

/**
 * CSV text as it came. An unknown serial is answered with status 200 and the word `Array` (field notes); a proxy's
 * page and an error object are no table either.
 */
export function readTable(body: string): string {
  const text = withoutBom(body).trim()
  if (text === '' || text === 'Array' || text === 'null' || /^[{[<]/.test(text))
    throw new EnvlogError('reply-not-csv')
  return body
}
