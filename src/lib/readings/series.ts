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
import { atOnce } from '../pace'
import { type Channel, matchChannels, parseChannelNumber } from './channel'
import { findGaps, type Gap } from './continuity'
import { type Device, readDevice } from './device'
import { readRecordsStepwise, type SeriesRecord } from './record-reader'

/** Records of one device, oldest first, none twice: the payload of envlog-latest and envlog-range. */
export interface Series extends SeriesPart {
  gaps: Gap[]
}

/** The same of one answer, where there are several: gaps show in the whole. */
export interface SeriesPart extends Device {
  /** Minutes ahead of UTC; holds for all records. */
  utcOffset: number
  channels: Channel[]
  records: SeriesRecord[]
}

/** An answer of endpoints 2 to 5 (docs/service.md, *Fields*). @throws EnvlogError `reply-unreadable` */
export function readSeries(envelope: GraphEnvelope, style: TimeStyle): Series {
  const { part } = atOnce(readSeriesPartStepwise(envelope, style))
  return { ...part, gaps: findGaps(part.records, part.standalone) }
}

/** What could be read of an answer, and which of its records could not. */
export interface SeriesPartResult {
  part: SeriesPart
  unread: string[]
}

/**
 * The same of one answer of several, step by step: a page has 16,000 records. One that cannot be read holds back none
 * of the nonNumbers.
 * @param offset of the device's clock, minutes, where another answer has told it for all
 * @throws EnvlogError `reply-unreadable` where there are records and none can be read
 */
export function* readSeriesPartStepwise(
  envelope: GraphEnvelope,
  style: TimeStyle,
  offset = toUtcOffset(envelope.offsets),
): Generator<undefined, SeriesPartResult> {
  try {
    return { part: yield* stepsOfWhole(envelope, style, offset), unread: [] }
  } catch (error) {
    const { records } = envelope
    const unreadable = unreadableIn(records)
    if (unreadable.length === 0 || unreadable.length === records.length) throw error
    const readable = { ...envelope, records: withoutRecords(records, new Set(unreadable)) }
    const unread = unreadable.map((index) => `data.${index}`)
    return { part: yield* stepsOfWhole(readable, style, offset), unread }
  }
}

function* stepsOfWhole(
  envelope: GraphEnvelope,
  style: TimeStyle,
  offset: number,
): Generator<undefined, SeriesPart> {
  const device = readDevice(envelope.device, envelope.base)
  const { records: table } = envelope
  const [misfit] = table.invalidRecords
  if (misfit !== undefined) throw new EnvlogError('reply-unreadable', { part: `data.${misfit}` })
  const channels = matchChannels(envelope.channel, channelsIn(table)).map(({ channel }) => channel)
  const records = yield* readRecordsStepwise(table, channels, createTimeFormatter(style, offset))
  return { ...device, utcOffset: offset, channels, records: oldestFirst(records, channels) }
}

/**
 * The time of the oldest record, ms since 1970 UTC, before any is read; `null` where none has one, or where it is
 * not sure that all can be read.
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

/** The records that cannot be read, by their places. */
function unreadableIn(table: RecordTable): number[] {
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

function channelsIn({ columns }: RecordTable): Set<number> {
  const numbers = [...columns.keys()].map(parseChannelNumber)
  return new Set(numbers.filter((number) => number !== undefined))
}

/**
 * What tells records of one second apart: the data-id and what was measured, errors included. Missing values are
 * left out, so that the same record is the same in an answer that knows more channels.
 */
export function fingerprint(record: SeriesRecord, channels: readonly Channel[]): string {
  const values = channels.flatMap(({ key }) => {
    const value = record.errors?.[key] ?? record[key as `ch${number}`]
    return value === MISSING ? [] : [key, value]
  })
  return JSON.stringify([record.dataId, ...values])
}

/** Relay ids return to 0 after 65535 (`data-id`): of two ids of one second the one a step behind is older. */
const HALF_TURN = 32_768

/** Sorted by time (no time first), records of one second by id, else as they came; exact repeats dropped. */
export function oldestFirst(records: readonly SeriesRecord[], channels: readonly Channel[]): SeriesRecord[] {
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
    const print = fingerprint(record, channels)
    if (seen.has(print)) return false
    seen.add(print)
    return true
  })
}

/** Each later than the one before: there is nothing to sort, and nothing twice. */
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
  return Math.abs(difference) > HALF_TURN ? -difference : difference
}
