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
  const channels = lineUpChannels(envelope.channel, channelsSeen(envelope.records)).map(
    ({ channel }) => channel,
  )
  const records = readRecords(envelope.records, channels, timeWriter(style, offset))
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

/** Numbers of the channels that records have. Nearly all have the same keys in the same order. */
function channelsSeen(records: readonly unknown[]): Set<number> {
  const seen = new Set<number>()
  let usual: string[] = []
  for (let index = 0; index < records.length; index++) {
    const record = guard(records[index], index)
    let at = 0
    for (const key in record) {
      if (usual[at++] === key) continue
      usual = Object.keys(record)
      for (const one of usual) {
        const number = channelNumber(one)
        if (number !== undefined) seen.add(number)
      }
      break
    }
  }
  return seen
}

function readRecords(
  found: readonly unknown[],
  channels: readonly Channel[],
  write: (timestamp: number | null) => string | null,
): SeriesRecord[] {
  const keys = channels.map(({ key }) => key as `ch${number}`)
  // All records get the same shape at once, instead of growing to it key by key.
  const blank: SeriesRecord = { time: null, timestamp: null, dataId: null }
  for (const key of keys) blank[key] = null
  return found.map((each, index) => {
    const raw = each as RawRecord
    const record = { ...blank }
    const timestamp = readTimestamp(raw.unixtime, () => `data.${index}.unixtime`)
    record.time = write(timestamp)
    record.timestamp = timestamp
    record.dataId = readId(raw['data-id'] ?? raw.data_id)
    for (const key of keys) {
      const value = readNumber(raw[key])
      if (value !== null) record[key] = value
      else {
        record.errors ??= {}
        record.errors[key] = valueError(raw[key])
      }
    }
    return record
  })
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
