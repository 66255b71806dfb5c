import { readValueError } from '../decode/number'
import { type Column, getColumn, getValue, type RecordTable } from '../decode/record-table'
import { readTimestamp } from '../decode/time'
import type { Channel } from './channel'

/** One measurement; `chN` for each channel of its series. */
export interface SeriesRecord {
  time: string | null
  timestamp: number | null
  dataId: number | null
  /** Only on records with a value that is no number: the reason by channel key. */
  errors?: Record<string, string>
  [key: `ch${number}`]: number | null
}

/** Records that are read in one step. */
const STEP = 2000

/** The records of a table, in its order, step by step. @throws EnvlogError `reply-unreadable` */
export function* readRecordsStepwise(
  table: RecordTable,
  channels: readonly Channel[],
  write: (timestamp: number | null) => string | null,
): Generator<undefined, SeriesRecord[]> {
  const records: SeriesRecord[] = []
  const read = recordReader(table, channels, write)
  for (let from = 0; from < table.length; from += STEP) {
    if (from > 0) yield undefined
    read(records, from, Math.min(table.length, from + STEP))
  }
  return records
}

function recordReader(
  table: RecordTable,
  channels: readonly Channel[],
  write: (timestamp: number | null) => string | null,
) {
  const times = getColumn(table, 'unixtime')
  const [ids, otherIds] = [getColumn(table, 'data-id').numbers, getColumn(table, 'data_id').numbers]
  const columns = channels.map(({ key }) => getColumn(table, key))
  const values = columns.map(({ numbers }) => numbers)
  const make = recordMaker(channels)
  return (records: SeriesRecord[], from: number, to: number): void => {
    for (let index = from; index < to; index++) {
      const timestamp = readTimestamp(getValue(times, index), () => `data.${index}.unixtime`)
      // Of two spellings the first that tells something.
      const id = ids[index] as number
      const dataId = readId(Number.isNaN(id) ? otherIds[index] : id)
      records.push(make(write(timestamp), timestamp, dataId, index, values))
    }
    const step = { from, to }
    for (const [place, { key }] of channels.entries())
      tellErrors(records, step, key, columns[place] as Column)
  }
}

/** Why a value is none. */
function tellErrors(
  records: readonly SeriesRecord[],
  { from, to }: { from: number; to: number },
  key: string,
  { numbers, nonNumbers }: Column,
): void {
  for (let index = from; index < to; index++) {
    if (!Number.isNaN(numbers[index])) continue
    const record = records[index] as SeriesRecord
    record.errors ??= {}
    record.errors[key] = readValueError(nonNumbers.get(index))
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

/** Devices have up to four channels, numbered from 1; any nonNumbers are made key by key. */
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
