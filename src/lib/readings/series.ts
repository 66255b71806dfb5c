import type { GraphEnvelope } from '../api/envelopes'
import { EnvlogError } from '../errors'
import { type Channel, channelNumber, lineUpChannels } from './channel'
import { findGaps, type Gap } from './continuity'
import { type Device, readDevice } from './device'
import { MISSING, valueError } from './number'
import { type Column, type RecordTable, valueAt, withoutRecords } from './record-table'
import { LATEST_MS, readTimestamp, type TimeStyle, timeWriter, utcOffset } from './time'

/** One measurement; `chN` for each channel of its series. */
export interface SeriesRecord {
  time: string | null
  timestamp: number | null
  dataId: number | null
  /** Only on records with a value that is no number: the reason by channel key. */
  errors?: Record<string, string>
  [key: `ch${number}`]: number | null
}

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

/** An answer of endpoints 2 to 5 (*Graph data record*). @throws EnvlogError `reply-unreadable` */
export function readSeries(envelope: GraphEnvelope, style: TimeStyle): Series {
  const part = readPart(envelope, style)
  return { ...part, gaps: findGaps(part.records, part.standalone) }
}

/** @throws EnvlogError `reply-unreadable` */
export function readPart(envelope: GraphEnvelope, style: TimeStyle): SeriesPart {
  const device = readDevice(envelope.device, envelope.base)
  const offset = utcOffset(envelope.offsets)
  const { records: table } = envelope
  const [misfit] = table.misfits
  if (misfit !== undefined) throw new EnvlogError('reply-unreadable', { part: `data.${misfit}` })
  const channels = lineUpChannels(envelope.channel, channelsIn(table)).map(({ channel }) => channel)
  const records = readRecords(table, channels, timeWriter(style, offset))
  return { ...device, utcOffset: offset, channels, records: oldestFirst(records, channels) }
}

/**
 * The time of the oldest record, ms since 1970 UTC, before any is read; `null` where none has one, or where it is
 * not sure that all can be read.
 */
export function oldestTime(table: RecordTable): number | null {
  const { numbers, others } = columnOf(table, 'unixtime')
  if (others.size + table.misfits.length > 0) return null
  let oldest = Number.POSITIVE_INFINITY
  for (let index = 0; index < table.length; index++) {
    const time = Math.round((numbers[index] as number) * 1000)
    if (Math.abs(time) > LATEST_MS) return null
    if (time < oldest && time !== 0) oldest = time
  }
  return oldest === Number.POSITIVE_INFINITY ? null : oldest
}

/** An answer without the records that cannot be read, and which those are. */
export function withoutUnreadable(envelope: GraphEnvelope): { readable: GraphEnvelope; parts: string[] } {
  const { records: table } = envelope
  const unreadable = new Set(table.misfits)
  const times = columnOf(table, 'unixtime')
  for (let index = 0; index < table.length; index++) {
    try {
      readTimestamp(valueAt(times, index), () => '')
    } catch {
      unreadable.add(index)
    }
  }
  const parts = [...unreadable].sort((a, b) => a - b).map((index) => `data.${index}`)
  return { readable: { ...envelope, records: withoutRecords(table, unreadable) }, parts }
}

function channelsIn({ columns }: RecordTable): Set<number> {
  const numbers = [...columns.keys()].map(channelNumber)
  return new Set(numbers.filter((number) => number !== undefined))
}

/** Of a key that no record has: nothing but gaps. */
function columnOf({ length, columns }: RecordTable, key: string): Column {
  return columns.get(key) ?? { numbers: new Float64Array(length).fill(Number.NaN), others: new Map() }
}

function readRecords(
  table: RecordTable,
  channels: readonly Channel[],
  write: (timestamp: number | null) => string | null,
): SeriesRecord[] {
  const { length } = table
  const times = columnOf(table, 'unixtime')
  const [ids, otherIds] = [columnOf(table, 'data-id').numbers, columnOf(table, 'data_id').numbers]
  const columns = channels.map(({ key }) => columnOf(table, key))
  const values = columns.map(({ numbers }) => numbers)
  const make = recordMaker(channels)
  const records = new Array<SeriesRecord>(length)
  for (let index = 0; index < length; index++) {
    const timestamp = readTimestamp(valueAt(times, index), () => `data.${index}.unixtime`)
    // Of two spellings the first that tells something.
    const id = ids[index] as number
    const dataId = readId(Number.isNaN(id) ? otherIds[index] : id)
    records[index] = make(write(timestamp), timestamp, dataId, index, values)
  }
  for (const [place, { key }] of channels.entries()) tellErrors(records, key, columns[place] as Column)
  return records
}

/** Why a value is none. */
function tellErrors(records: readonly SeriesRecord[], key: string, column: Column): void {
  const { numbers, others } = column
  for (let index = 0; index < records.length; index++) {
    if (!Number.isNaN(numbers[index])) continue
    const record = records[index] as SeriesRecord
    record.errors ??= {}
    record.errors[key] = valueError(others.get(index))
  }
}

type RecordMaker = (
  time: string | null,
  timestamp: number | null,
  dataId: number | null,
  index: number,
  values: readonly Float64Array[],
) => SeriesRecord

/** By number of channels: an object that is written out is made in half the time of one that grows. */
const MAKERS: RecordMaker[] = [
  (time, timestamp, dataId) => ({ time, timestamp, dataId }),
  (time, timestamp, dataId, index, all) => ({ time, timestamp, dataId, ch1: numberAt(all[0], index) }),
  (time, timestamp, dataId, index, all) => ({
    time,
    timestamp,
    dataId,
    ch1: numberAt(all[0], index),
    ch2: numberAt(all[1], index),
  }),
  (time, timestamp, dataId, index, all) => ({
    time,
    timestamp,
    dataId,
    ch1: numberAt(all[0], index),
    ch2: numberAt(all[1], index),
    ch3: numberAt(all[2], index),
  }),
  (time, timestamp, dataId, index, all) => ({
    time,
    timestamp,
    dataId,
    ch1: numberAt(all[0], index),
    ch2: numberAt(all[1], index),
    ch3: numberAt(all[2], index),
    ch4: numberAt(all[3], index),
  }),
]

function numberAt(numbers: Float64Array | undefined, index: number): number | null {
  const number = numbers?.[index] as number
  return Number.isNaN(number) ? null : number
}

/** Devices have up to four channels, numbered from 1; any others are made key by key. */
function recordMaker(channels: readonly Channel[]): RecordMaker {
  const known = MAKERS[channels.length]
  if (known && channels.every(({ number }, index) => number === index + 1)) return known
  return (time, timestamp, dataId, index, values) => {
    const record: SeriesRecord = { time, timestamp, dataId }
    for (const [place, { key }] of channels.entries()) {
      record[key as `ch${number}`] = numberAt(values[place], index)
    }
    return record
  }
}

/** A sequence counts in whole numbers; anything else is no id. */
function readId(id: number | undefined): number | null {
  return Number.isSafeInteger(id) ? (id as number) : null
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
