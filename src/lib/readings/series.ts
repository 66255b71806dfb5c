import type { GraphEnvelope } from '../api/envelopes'
import { EnvlogError } from '../errors'
import { type Channel, channelNumber, lineUpChannels } from './channel'
import { findGaps, type Gap } from './continuity'
import { type Device, readDevice } from './device'
import { MISSING, readNumber, valueError } from './number'
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
  const raw = envelope.records.map(guard)
  const channels = lineUpChannels(envelope.channel, channelsSeen(raw)).map(({ channel }) => channel)
  const write = timeWriter(style, offset)
  const records = raw.map((record, index) => readRecord(record, index, channels, write))
  const ordered = oldestFirst(records, channels)
  return {
    ...device,
    utcOffset: offset,
    channels,
    records: ordered,
    gaps: findGaps(ordered, device.standalone),
  }
}

type RawRecord = Record<string, unknown>

/** The shape of a record, checked by hand: zod over 65,535 of them costs nearly as much as parsing them. */
function guard(record: unknown, index: number): RawRecord {
  if (typeof record === 'object' && record !== null && !Array.isArray(record)) return record as RawRecord
  throw new EnvlogError('reply-unreadable', { part: `data.${index}` })
}

function channelsSeen(records: readonly RawRecord[]): Set<number> {
  const keys = new Set<string>()
  for (const record of records) for (const key in record) keys.add(key)
  const seen = new Set<number>()
  for (const key of keys) {
    const number = channelNumber(key)
    if (number !== undefined) seen.add(number)
  }
  return seen
}

function readRecord(
  raw: RawRecord,
  index: number,
  channels: readonly Channel[],
  write: (timestamp: number | null) => string | null,
): SeriesRecord {
  const timestamp = readTimestamp(raw.unixtime, () => `data.${index}.unixtime`)
  const record: SeriesRecord = {
    time: write(timestamp),
    timestamp,
    dataId: readId(raw['data-id'] ?? raw.data_id),
  }
  for (const { key } of channels) {
    const value = readNumber(raw[key])
    record[key as `ch${number}`] = value
    if (value === null) {
      record.errors ??= {}
      record.errors[key] = valueError(raw[key])
    }
  }
  return record
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

function byId(a: SeriesRecord, b: SeriesRecord): number {
  const difference = (a.dataId ?? 0) - (b.dataId ?? 0)
  return Math.abs(difference) > HALF_TURN ? -difference : difference
}
