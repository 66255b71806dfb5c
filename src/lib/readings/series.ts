import { setQuantities } from '../../shared/quantity'
import type { GraphEnvelope } from '../decode/envelopes'
import { type Fields, isObject } from '../decode/fields'
import { createTimeFormatter, readTimestamp, type TimeFormatter, type TimeStyle } from '../decode/time'
import { MISSING, readNumber, readValueError } from '../decode/value'
import { EnvlogError } from '../errors'
import { type Channel, createChannel, matchChannels, parseChannelNumber } from './channel'
import { findGaps, type Gap, ID_MODULUS, type NumberedRecord } from './continuity'
import { type Device, readDevice } from './device'

/**
 * The records of a device, oldest first and without duplicates. With the device's group, this is the payload of
 * envlog-latest and envlog-range.
 */
export interface Series extends SeriesPart {
  gaps: Gap[]
}

/** The records of a response, which may be one of several, so that gaps cannot be detected yet. */
export interface SeriesPart extends Device {
  /** Minutes that the device's clock is ahead of UTC; `null` if unknown. */
  utcOffset: number | null
  channels: Channel[]
  records: SeriesRecord[]
}

/** One record of a series (docs/messages.md), with a value for each of its channels. */
export interface SeriesRecord extends NumberedRecord {
  /** The errors of values that are `null`, by channel key. Absent if all values of the record are numbers. */
  errors?: Record<string, string>
  [key: `ch${number}`]: number | null
}

export type TimedRecord = SeriesRecord & { timestamp: number }
export const hasTime = (record: SeriesRecord): record is TimedRecord => record.timestamp !== null

/** The readable part of a response, and the paths of unreadable records. */
export interface SeriesPartResult {
  part: SeriesPart
  unreadable: string[]
}

/**
 * Reads a response with records, perhaps one of several (docs/service.md, *Fields*). Unreadable records are left out.
 * @param offset minutes that the device's clock is ahead of UTC, if an earlier response has determined it for all
 * responses
 * @throws EnvlogError `response-unreadable` if there are records but none can be read
 */
export function readSeriesPart(
  envelope: GraphEnvelope,
  style: TimeStyle,
  offset: number | null = envelope.utcOffset,
): SeriesPartResult {
  const device = readDevice(envelope.device, envelope.base)
  const channels = matchChannels(envelope.channel, createChannel, findChannels(envelope.records))
  const format = createTimeFormatter(style)
  const records: SeriesRecord[] = []
  const unreadable: string[] = []
  envelope.records.forEach((fields, index) => {
    const record = readRecord(fields, channels, offset, format)
    if (record) records.push(record)
    else unreadable.push(`data.${index}`)
  })
  const [part] = unreadable
  if (part !== undefined && records.length === 0) throw new EnvlogError('response-unreadable', { part })
  const sorted = sortAndDeduplicate(records, channels)
  return { part: { ...device, utcOffset: offset, channels, records: sorted }, unreadable }
}

/**
 * Reads one record of a response (docs/service.md, *Fields*); `undefined` if it is not an object or its time is invalid.
 */
function readRecord(
  fields: unknown,
  channels: readonly Channel[],
  offset: number | null,
  format: TimeFormatter,
): SeriesRecord | undefined {
  if (!isObject(fields)) return undefined
  const timestamp = readTimestamp(fields.unixtime)
  if (timestamp === undefined) return undefined
  const record: SeriesRecord = { time: format(timestamp, offset), timestamp, dataId: readId(fields) }
  let errors: Record<string, string> | undefined
  for (const { key } of channels) {
    const value = readNumber(fields[key])
    record[key as `ch${number}`] = value
    if (value !== null) continue
    errors ??= {}
    errors[key] = readValueError(fields[key])
  }
  if (errors) record.errors = errors
  return record
}

/** The difference of two ids must be exact, because cursors contain differences. */
const MAX_ID = 2 ** 52 - 1

/** Reads the record's id; `null` if it is not an integer, or too large. If both spellings have a value, the first is used. */
function readId(fields: Fields): number | null {
  const id = readNumber(fields['data-id']) ?? readNumber(fields.data_id)
  return Number.isInteger(id) && Math.abs(id as number) <= MAX_ID ? id : null
}

/** The channel numbers that occur in records. */
function findChannels(records: readonly unknown[]): Set<number> {
  const keys = new Set<string>()
  for (const record of records) if (isObject(record)) for (const key in record) keys.add(key)
  return new Set([...keys].map(parseChannelNumber).filter((number) => number !== undefined))
}

/**
 * Merges responses for one device, newest first, into one series. The first part determines name and offset. The
 * records of the parts may be modified.
 * @param parts at least one
 */
export function mergeSeries(parts: readonly SeriesPart[]): Series {
  const newest = parts[0] as SeriesPart
  // Only records show whether channels are numbered from 0 or 1, so a response without records may number them
  // differently.
  const withRecords = parts.filter(({ records }) => records.length > 0)
  const channels = uniteChannels(
    (withRecords.length > 0 ? withRecords : [newest]).map((part) => part.channels),
  )
  for (const part of parts) if (part.channels.length < channels.length) addMissingChannels(part, channels)
  // Each part is sorted, so sorting is fast if the oldest part is first.
  const lists = parts.toReversed().map((part) => part.records)
  const records = sortAndDeduplicate(([] as SeriesRecord[]).concat(...lists), channels)
  const gaps = [...findGaps(records, newest.standalone).values()]
  return { ...newest, channels, records, gaps }
}

function uniteChannels(lists: readonly (readonly Channel[])[]): Channel[] {
  const byNumber = new Map<number, Channel>()
  for (const channel of lists.flat()) if (!byNumber.has(channel.number)) byNumber.set(channel.number, channel)
  const channels = [...byNumber.values()].sort((a, b) => a.number - b.number)
  setQuantities(channels)
  return channels
}

/** Adds the keys of all channels of the series to the records of a part. */
function addMissingChannels(part: SeriesPart, channels: readonly Channel[]): void {
  const present = new Set(part.channels.map(({ key }) => key))
  const absent = channels.filter(({ key }) => !present.has(key))
  for (const record of part.records) {
    for (const { key } of absent) {
      record[key as `ch${number}`] = null
      record.errors = { ...record.errors, [key]: MISSING }
    }
  }
}

/**
 * A text that distinguishes records with the same time. It contains the number if the record has one, otherwise the
 * values and errors. Missing values are left out, so that a record has the same fingerprint in a response with more
 * channels.
 */
export function fingerprint(record: SeriesRecord, channels: readonly Channel[]): string {
  if (record.dataId && record.timestamp !== null) return `#${record.dataId}`
  const values = channels.flatMap(({ key }) => {
    const value = record.errors?.[key] ?? record[key as `ch${number}`]
    return value === MISSING ? [] : [key, value]
  })
  return JSON.stringify([record.dataId, ...values])
}

/**
 * If the ids of records with the same time are further apart, the numbering has restarted in between, so the higher id
 * is older.
 */
const MAX_ID_DISTANCE = ID_MODULUS / 2

/**
 * Sorts records by time, beginning with records that have no time. Records with the same time are sorted by id or,
 * without ids, stay in the received order. Duplicates are removed.
 */
export function sortAndDeduplicate(
  records: readonly SeriesRecord[],
  channels: readonly Channel[],
): SeriesRecord[] {
  const time = (record: SeriesRecord | undefined) => record?.timestamp ?? Number.NEGATIVE_INFINITY
  const newestFirst = time(records[0]) > time(records.at(-1))
  const ordered = newestFirst ? records.toReversed() : [...records]
  // Nearly always: nothing to sort, and no two records with the same time.
  if (ordered.every((record, index) => index === 0 || time(ordered[index - 1]) < time(record))) return ordered
  ordered.sort((a, b) => time(a) - time(b) || byId(a, b))
  const kept: SeriesRecord[] = []
  /** The index of each record with the current time, by fingerprint. */
  const places = new Map<string, number>()
  for (const [index, record] of ordered.entries()) {
    const isFirst = time(record) !== time(kept.at(-1))
    if (isFirst) places.clear()
    if (isFirst && time(ordered[index + 1]) !== time(record)) {
      kept.push(record)
      continue
    }
    const content = fingerprint(record, channels)
    const place = places.get(content)
    if (place === undefined) places.set(content, kept.push(record) - 1)
    // Of two duplicates, keep the one with fewer missing values, because one endpoint sends an error as text and
    // another omits the value.
    else if (countMissing(record) < countMissing(kept[place] as SeriesRecord)) kept[place] = record
  }
  return kept
}

const countMissing = ({ errors = {} }: SeriesRecord) =>
  Object.values(errors).filter((error) => error === MISSING).length

export function byId(a: Pick<NumberedRecord, 'dataId'>, b: Pick<NumberedRecord, 'dataId'>): number {
  const difference = (a.dataId ?? 0) - (b.dataId ?? 0)
  return Math.abs(difference) > MAX_ID_DISTANCE ? -difference : difference
}
