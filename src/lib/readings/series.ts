import { runToEnd } from '../cooperative'
import type { GraphEnvelope } from '../decode/envelopes'
import { MISSING } from '../decode/number'
import { getColumn, getValue, type RecordTable, withoutRecords } from '../decode/record-table'
import {
  createTimeFormatter,
  MAX_TIMESTAMP_MS,
  readTimestamp,
  type TimeStyle,
  toUtcOffset,
} from '../decode/time'
import { EnvlogError } from '../errors'
import { type Channel, matchChannels, parseChannelNumber } from './channel'
import { findGaps, type Gap, ID_MODULUS } from './continuity'
import { type Device, readDevice } from './device'
import { readRecordsStepwise, type SeriesRecord } from './record-reader'

/** Records of one device, oldest first and without duplicates: the payload of envlog-latest and envlog-range. */
export interface Series extends SeriesPart {
  gaps: Gap[]
}

/** The records of one of several answers, in which gaps cannot be found yet. */
export interface SeriesPart extends Device {
  /** Minutes ahead of UTC, for all records. */
  utcOffset: number
  channels: Channel[]
  records: SeriesRecord[]
}

/** Reads an answer with records (docs/service.md, *Fields*). @throws EnvlogError as `readSeriesPartStepwise` */
export function readSeries(envelope: GraphEnvelope, style: TimeStyle): Series {
  const { part } = runToEnd(readSeriesPartStepwise(envelope, style))
  return { ...part, gaps: findGaps(part.records, part.standalone) }
}

/** What could be read of an answer, and the paths of the records that could not. */
export interface SeriesPartResult {
  part: SeriesPart
  unreadable: string[]
}

/**
 * Reads one of several answers in steps, because a page has 16,000 records. Records that cannot be read are left out.
 * @param offset minutes that the device's clock is ahead of UTC, where an earlier answer has set it for all
 * @throws EnvlogError `reply-unreadable` if there are records and none can be read
 */
export function* readSeriesPartStepwise(
  envelope: GraphEnvelope,
  style: TimeStyle,
  offset = toUtcOffset(envelope.offsets),
): Generator<undefined, SeriesPartResult> {
  try {
    return { part: yield* readAllRecords(envelope, style, offset), unreadable: [] }
  } catch (error) {
    const { records } = envelope
    const indexes = findUnreadable(records)
    if (indexes.length === 0 || indexes.length === records.length) throw error
    const readable = { ...envelope, records: withoutRecords(records, new Set(indexes)) }
    const unreadable = indexes.map((index) => `data.${index}`)
    return { part: yield* readAllRecords(readable, style, offset), unreadable }
  }
}

/** Reads all records of an answer. @throws EnvlogError `reply-unreadable` if one of them cannot be read */
function* readAllRecords(
  envelope: GraphEnvelope,
  style: TimeStyle,
  offset: number,
): Generator<undefined, SeriesPart> {
  const device = readDevice(envelope.device, envelope.base)
  const { records: table } = envelope
  const [invalid] = table.invalidRecords
  if (invalid !== undefined) throw new EnvlogError('reply-unreadable', { part: `data.${invalid}` })
  const channels = matchChannels(envelope.channel, findChannels(table)).map(({ channel }) => channel)
  const records = yield* readRecordsStepwise(table, channels, createTimeFormatter(style, offset))
  return { ...device, utcOffset: offset, channels, records: sortAndDeduplicate(records, channels) }
}

/**
 * The time of the oldest record of an answer, in ms since 1970 UTC; `null` if none has a time, or if it is not certain
 * that all records can be read. Nothing else of the records is read.
 */
export function oldestTimestamp(table: RecordTable): number | null {
  const { numbers, nonNumbers } = getColumn(table, 'unixtime')
  if (nonNumbers.size + table.invalidRecords.length > 0) return null
  let oldest = Number.POSITIVE_INFINITY
  for (let index = 0; index < table.length; index++) {
    const time = Math.round((numbers[index] as number) * 1000)
    if (Math.abs(time) > MAX_TIMESTAMP_MS) return null
    if (time < oldest && time !== 0) oldest = time
  }
  return oldest === Number.POSITIVE_INFINITY ? null : oldest
}

/** The indexes of the records that cannot be read, in ascending order. */
function findUnreadable(table: RecordTable): number[] {
  const unreadable = new Set(table.invalidRecords)
  const times = getColumn(table, 'unixtime')
  for (let index = 0; index < table.length; index++) {
    try {
      readTimestamp(getValue(times, index), () => '')
    } catch {
      unreadable.add(index)
    }
  }
  return [...unreadable].sort((a, b) => a - b)
}

/** The numbers of the channels that records have. */
function findChannels({ columns }: RecordTable): Set<number> {
  const numbers = [...columns.keys()].map(parseChannelNumber)
  return new Set(numbers.filter((number) => number !== undefined))
}

/**
 * A text that distinguishes records of one second: id and values, errors included. Missing values are left out, so that
 * a record has the same fingerprint in an answer with more channels.
 */
export function fingerprint(record: SeriesRecord, channels: readonly Channel[]): string {
  const values = channels.flatMap(({ key }) => {
    const value = record.errors?.[key] ?? record[key as `ch${number}`]
    return value === MISSING ? [] : [key, value]
  })
  return JSON.stringify([record.dataId, ...values])
}

/** Ids of one second that are further apart have begun again in between: the higher one is older. */
const MAX_ID_DISTANCE = ID_MODULUS / 2

/**
 * Sorts records by time, those without a time first, those of one second by id, else in the received order.
 * Duplicates are dropped.
 */
export function sortAndDeduplicate(
  records: readonly SeriesRecord[],
  channels: readonly Channel[],
): SeriesRecord[] {
  const time = (record: SeriesRecord | undefined) => record?.timestamp ?? Number.NEGATIVE_INFINITY
  const newestFirst = time(records[0]) > time(records.at(-1))
  const ordered = newestFirst ? records.toReversed() : [...records]
  if (isAscending(ordered)) return ordered
  ordered.sort((a, b) => time(a) - time(b) || byId(a, b))
  const seen = new Set<string>()
  let second: number | undefined
  return ordered.filter((record, index) => {
    if (time(record) !== second) {
      second = time(record)
      seen.clear()
      if (time(ordered[index + 1]) !== second) return true
    }
    const content = fingerprint(record, channels)
    if (seen.has(content)) return false
    seen.add(content)
    return true
  })
}

/** True if each record is later than the one before: then there is nothing to sort, and no duplicate. */
function isAscending(records: readonly SeriesRecord[]): boolean {
  let last = Number.NEGATIVE_INFINITY
  for (const { timestamp } of records) {
    if (timestamp === null || timestamp <= last) return false
    last = timestamp
  }
  return true
}

function byId(a: SeriesRecord, b: SeriesRecord): number {
  const difference = (a.dataId ?? 0) - (b.dataId ?? 0)
  return Math.abs(difference) > MAX_ID_DISTANCE ? -difference : difference
}
