import {
  type AlertEnvelope,
  type CurrentEnvelope,
  type GraphEnvelope,
  readEnvelope,
} from '../decode/envelopes'
import { type Fields, readElements } from '../decode/fields'
import type { EndpointName } from '../endpoints'
import { EnvlogError } from '../errors'
import { readLogEntries, toAlertLog } from '../readings/alerts'
import { readCurrent } from '../readings/current'
import { readSeriesPart } from '../readings/series'
import { objectsIn, type SuccessfulExchange } from './exchange'

/** A value as the package reads it, with the fields of the response that contain it. */
export interface ReadField {
  /** A key in the catalogs: `field.<name>`. */
  field: string
  read: string
  /** The JSON text of the fields; blank if they are absent. */
  held: string
}

/** The parts of a response that could be read. */
export interface ReadResponse {
  endpoint: EndpointName
  /** The fields of one device, in a response of `current` the one with the newest measurement. */
  fields: ReadField[]
  /** Paths of unreadable parts. */
  unreadable: string[]
}

/** Reads a response in the same way as the nodes. @param receivedAt ms since 1970 UTC */
export function readResponse({ endpoint, body }: SuccessfulExchange, receivedAt: number): ReadResponse {
  try {
    const envelope = readEnvelope(endpoint, JSON.stringify(body))
    if ('devices' in envelope) return { endpoint, ...readDevices(envelope, body, receivedAt) }
    const { fields, unreadable } = 'entries' in envelope ? readLog(envelope) : readRecords(envelope)
    const identity = [
      row('device', envelope.device.serial, body['remote-serial'] ?? body.serial),
      row('offset', formatMinutes(envelope.utcOffset), ...offsetsIn(body)),
    ]
    if (envelope.utcOffset === null) unreadable.push('time-diff')
    return { endpoint, fields: [...identity, ...fields], unreadable }
  } catch (error) {
    if (!(error instanceof EnvlogError)) throw error
    return { endpoint, fields: [], unreadable: [String(error.params.part ?? endpoint)] }
  }
}

const formatMinutes = (offset: number | null) => (offset === null ? undefined : `${offset} min`)
const OFFSETS = ['time-diff', 'std-bias', 'dst-bias', 'dst-flg']
const offsetsIn = (object: Fields) => OFFSETS.map((name) => object[name] ?? object[name.replace('-', '_')])

function row(field: string, read: unknown, ...contained: unknown[]): ReadField {
  const held = contained.map((value) => JSON.stringify(value)).join(' ')
  return { field, read: String(read ?? '-'), held }
}

function readDevices(envelope: CurrentEnvelope, { devices }: Fields, receivedAt: number) {
  const options = { receivedAt, time: 'utc', series1Models: [], staleAfter: null } as const
  const readings = readCurrent(envelope, options)
  const count = row('devices', readings.length, objectsIn(devices).length)
  const withoutOffset = envelope.devices.filter(({ utcOffset }) => utcOffset === null)
  const unreadable = [
    ...envelope.unreadable.map(({ part }) => part),
    ...withoutOffset.map(({ index }) => `devices.${index}.time_diff`),
  ]
  const [reading] = readings.toSorted((a, b) => Number(b.timestamp) - Number(a.timestamp))
  // The same serial may occur under two base units.
  const entry = reading && envelope.devices[readings.indexOf(reading)]
  if (!reading || !entry) return { fields: [count], unreadable }
  const received = readElements(devices)?.[entry.index] as Fields
  const values = objectsIn(received.channel).map(({ value }) => value)
  const fields = [
    count,
    row('device', reading.serial, received.serial),
    row('name', reading.name, received.name),
    row('model', reading.model, received.model),
    row('base', reading.standalone ? '=' : reading.base.serial, received.baseunit),
    row('group', reading.group?.name, received.group),
    row('offset', formatMinutes(reading.utcOffset), ...offsetsIn(received)),
    row('time', reading.time, received.unixtime),
    row('battery', reading.battery.level, received.battery),
    row('rssi', reading.rssi, received.rssi),
    ...reading.channels.map(({ key, value, error, unit, quantity }, index) =>
      row('channel', `${key} ${value ?? error} ${unit} (${quantity ?? '?'})`, values[index]),
    ),
  ]
  return { fields, unreadable }
}

/** Maximum number of value errors shown. */
const MAX_ERRORS = 5

function readRecords(envelope: GraphEnvelope) {
  const { part, unreadable } = readSeriesPart(envelope, 'utc')
  const [first, last] = [part.records[0], part.records.at(-1)]
  const channels = part.channels.map(({ key, unit, quantity }) => `${key} ${unit} (${quantity ?? '?'})`)
  const errors = new Set(part.records.flatMap((record) => Object.values(record.errors ?? {})))
  const fields = [
    row('channels', channels.join(', '), envelope.channel.length),
    row('records', part.records.length, envelope.records.length),
    row('times', `${first?.time ?? '-'} … ${last?.time ?? '-'}`),
    row('ids', `${first?.dataId ?? '-'} … ${last?.dataId ?? '-'}`),
    row('errors', [...errors].slice(0, MAX_ERRORS).join(', ')),
  ]
  return { fields, unreadable }
}

function readLog(envelope: AlertEnvelope) {
  const { entries, unreadable } = readLogEntries(envelope)
  const { alerts } = toAlertLog(envelope, entries, 'utc')
  const kinds = new Set(alerts.map(({ kind }) => kind))
  return { fields: [row('alerts', [...kinds].join(', '), envelope.entries.length)], unreadable }
}
