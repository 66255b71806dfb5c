import { readValueError } from '../decode/number'
import { type Column, getColumn, getValue, type RecordTable } from '../decode/record-table'
import { readTimestamp } from '../decode/time'
import type { Channel } from './channel'

/** One record of a series (docs/messages.md), with a value for each of its channels. */
export interface SeriesRecord {
  time: string | null
  /** ms since 1970 UTC. */
  timestamp: number | null
  dataId: number | null
  /** Why values are `null`, by key of the channel. Absent from records whose values are all numbers. */
  errors?: Record<string, string>
  [key: `ch${number}`]: number | null
}

/** How many records are read between two chances to pause. */
const RECORDS_PER_STEP = 2000

/** Reads the records of a table in its order, in steps. @throws EnvlogError `reply-unreadable` for an invalid time */
export function* readRecordsStepwise(
  table: RecordTable,
  channels: readonly Channel[],
  formatTime: (timestamp: number | null) => string | null,
): Generator<undefined, SeriesRecord[]> {
  const records: SeriesRecord[] = []
  const read = createRecordReader(table, channels, formatTime)
  for (let from = 0; from < table.length; from += RECORDS_PER_STEP) {
    if (from > 0) yield undefined
    read(records, from, Math.min(table.length, from + RECORDS_PER_STEP))
  }
  return records
}

function createRecordReader(
  table: RecordTable,
  channels: readonly Channel[],
  formatTime: (timestamp: number | null) => string | null,
) {
  const times = getColumn(table, 'unixtime')
  const [ids, otherIds] = [getColumn(table, 'data-id').numbers, getColumn(table, 'data_id').numbers]
  const columns = channels.map(({ key }) => getColumn(table, key))
  const values = columns.map(({ numbers }) => numbers)
  const createRecord = chooseRecordFactory(channels)
  return (records: SeriesRecord[], from: number, to: number): void => {
    for (let index = from; index < to; index++) {
      const timestamp = readTimestamp(getValue(times, index), () => `data.${index}.unixtime`)
      // Of two spellings the first that has a value.
      const id = ids[index] as number
      const dataId = readId(Number.isNaN(id) ? otherIds[index] : id)
      records.push(createRecord(formatTime(timestamp), timestamp, dataId, index, values))
    }
    const step = { from, to }
    for (const [place, { key }] of channels.entries()) addErrors(records, step, key, columns[place] as Column)
  }
}

/** Adds why values of a channel are `null`. */
function addErrors(
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

type RecordFactory = (
  time: string | null,
  timestamp: number | null,
  dataId: number | null,
  index: number,
  values: readonly Float64Array[],
) => SeriesRecord

/** By number of channels. An object literal takes half the time of an object whose keys are added one by one. */
const RECORD_FACTORIES: RecordFactory[] = [
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

/** Devices have up to four channels, numbered from 1. Records with others are created key by key. */
function chooseRecordFactory(channels: readonly Channel[]): RecordFactory {
  const factory = RECORD_FACTORIES[channels.length]
  if (factory && channels.every(({ number }, index) => number === index + 1)) return factory
  return (time, timestamp, dataId, index, values) => {
    const record: SeriesRecord = { time, timestamp, dataId }
    for (const [place, { key }] of channels.entries()) {
      record[key as `ch${number}`] = numberAt(values[place], index)
    }
    return record
  }
}

/** Ids are whole numbers; `null` for anything else. */
function readId(id: number | undefined): number | null {
  return Number.isSafeInteger(id) ? (id as number) : null
}
