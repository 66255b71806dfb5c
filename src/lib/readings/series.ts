import type { GraphEnvelope } from '../api/envelopes'
import { EnvlogError } from '../errors'
import { type Channel, channelNumber, lineUpChannels } from './channel'
import { findGaps, type Gap } from './continuity'
import { type Device, readDevice } from './device'
import { MISSING, readNumber, valueError } from './number'
import { type RecordTable, withoutRecords } from './record-table'
import { readTimestamp, type TimeStyle, timeWriter, utcOffset } from './time'

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
export interface Series extends Device {
  /** Minutes ahead of UTC; holds for all records. */
  utcOffset: number
  channels: Channel[]
  records: SeriesRecord[]
  gaps: Gap[]
}

/** An answer of endpoints 2 to 5 (*Graph data record*). */
export function readSeries(envelope: GraphEnvelope, style: TimeStyle): Series {
  const device = readDevice(envelope.device, envelope.base)
  const offset = utcOffset(envelope.offsets)
  const { records: table } = envelope
  const [misfit] = table.misfits
  if (misfit !== undefined) throw new EnvlogError('reply-unreadable', { part: `data.${misfit}` })
  const channels = lineUpChannels(envelope.channel, channelsIn(table)).map(({ channel }) => channel)
  const records = readRecords(table, channels, timeWriter(style, offset))
  const ordered = oldestFirst(records, channels)
  return {
    ...device,
    utcOffset: offset,
    channels,
    records: ordered,
    gaps: findGaps(ordered, device.standalone),
  }
}

/** An answer without the records that cannot be read, and which those are. */
export function withoutUnreadable(envelope: GraphEnvelope): { readable: GraphEnvelope; parts: string[] } {
  const { records: table } = envelope
  const unreadable = new Set(table.misfits)
  for (const [index, time] of (table.columns.get('unixtime') ?? []).entries()) {
    try {
      readTimestamp(time, () => '')
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

function readRecords(
  { length, columns }: RecordTable,
  channels: readonly Channel[],
  write: (timestamp: number | null) => string | null,
): SeriesRecord[] {
  const none: unknown[] = []
  const column = (key: string) => columns.get(key) ?? none
  const [times, ids, otherIds] = [column('unixtime'), column('data-id'), column('data_id')]
  const values = channels.map(({ key }) => column(key))
  const make = recordMaker(channels)
  const records = new Array<SeriesRecord>(length)
  for (let index = 0; index < length; index++) {
    const timestamp = readTimestamp(times[index], () => `data.${index}.unixtime`)
    const dataId = readId(ids[index] ?? otherIds[index])
    const record = make(write(timestamp), timestamp, dataId, index, values)
    for (let at = 0; at < values.length; at++) {
      const { key } = channels[at] as Channel
      if (record[key as `ch${number}`] !== null) continue
      record.errors ??= {}
      record.errors[key] = valueError(values[at]?.[index])
    }
    records[index] = record
  }
  return records
}

type RecordMaker = (
  time: string | null,
  timestamp: number | null,
  dataId: number | null,
  index: number,
  values: readonly (readonly unknown[])[],
) => SeriesRecord

/** By number of channels: an object that is written out is made in half the time of one that grows. */
const MAKERS: RecordMaker[] = [
  (time, timestamp, dataId) => ({ time, timestamp, dataId }),
  (time, timestamp, dataId, index, [a]) => ({ time, timestamp, dataId, ch1: readNumber(a?.[index]) }),
  (time, timestamp, dataId, index, [a, b]) => ({
    time,
    timestamp,
    dataId,
    ch1: readNumber(a?.[index]),
    ch2: readNumber(b?.[index]),
  }),
  (time, timestamp, dataId, index, [a, b, c]) => ({
    time,
    timestamp,
    dataId,
    ch1: readNumber(a?.[index]),
    ch2: readNumber(b?.[index]),
    ch3: readNumber(c?.[index]),
  }),
  (time, timestamp, dataId, index, [a, b, c, d]) => ({
    time,
    timestamp,
    dataId,
    ch1: readNumber(a?.[index]),
    ch2: readNumber(b?.[index]),
    ch3: readNumber(c?.[index]),
    ch4: readNumber(d?.[index]),
  }),
]

/** Devices have up to four channels, numbered from 1; any others are made key by key. */
function recordMaker(channels: readonly Channel[]): RecordMaker {
  const known = MAKERS[channels.length]
  if (known && channels.every(({ number }, index) => number === index + 1)) return known
  return (time, timestamp, dataId, index, values) => {
    const record: SeriesRecord = { time, timestamp, dataId }
    for (const [at, { key }] of channels.entries()) {
      record[key as `ch${number}`] = readNumber(values[at]?.[index])
    }
    return record
  }
}

/** A sequence counts in whole numbers; anything else is no id. */
function readId(value: unknown): number | null {
  const id = readNumber(value)
  return Number.isSafeInteger(id) ? id : null
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
