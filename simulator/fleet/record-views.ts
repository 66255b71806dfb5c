/** Access to the records of a device by index, whether they are listed or generated. */
import type { RecordDefinition, RecordValue } from './definition'

export interface StoredRecord {
  /** Unix time in seconds */
  time: number
  id: number
  /** in the order of the device's channels */
  values: readonly RecordValue[]
}

/** The records stored at a given time, in order of time: indexes `low` (inclusive) to `high` (exclusive). */
export interface RecordView {
  low: number
  high: number
  timeAt(index: number): number
  at(index: number): StoredRecord
  /** index of the record that arrived last, which current returns */
  last: number
  /** order of arrival, if it differs from the order of time */
  arrival?(index: number): number
}

export type RecordSource = (now: number) => RecordView

interface ListShape {
  channels: readonly { num: number }[]
  capacity: number
  firstId: number
  idModulus: number
}

/**
 * Records from a list, or from a function of time. They are sorted by time; records of the same second keep their
 * order.
 */
export function listedRecords(
  records: readonly RecordDefinition[] | ((now: number) => readonly RecordDefinition[]),
  shape: ListShape,
): RecordSource {
  if (typeof records === 'function') return (now) => createView(arrivedRecords(records(now), now), shape)
  if (records.some((record) => record.arrives !== undefined))
    return (now) => createView(arrivedRecords(records, now), shape)
  const view = createView(records, shape)
  return () => view
}

function arrivedRecords(records: readonly RecordDefinition[], now: number): RecordDefinition[] {
  return records.filter((record) => (record.arrives ?? now) <= now)
}

function createView(records: readonly RecordDefinition[], shape: ListShape): RecordView {
  const rows = records.map((record, rank) => ({
    time: record.unixtime,
    id: record.id ?? (rank + shape.firstId) % shape.idModulus,
    values: shape.channels.map((channel) => record.values[channel.num] ?? null),
    rank,
  }))
  const sorted = [...rows].sort((a, b) => a.time - b.time || a.rank - b.rank)
  const at = (index: number) => sorted[index] as (typeof rows)[number]
  return {
    low: Math.max(0, sorted.length - shape.capacity),
    high: sorted.length,
    timeAt: (index) => at(index).time,
    at,
    arrival: (index) => at(index).rank,
    last: sorted.findIndex((row) => row.rank === rows.length - 1),
  }
}

/** The view without the records after `from` and before `until` (s). */
export function withoutPeriod(
  view: RecordView,
  { from, until }: { from: number; until: number },
): RecordView {
  const start = indexAt(view, from, true)
  const skipped = indexAt(view, until, false) - start
  const position = (index: number) => (index < start ? index : index + skipped)
  const high = view.high - skipped
  return {
    low: view.low,
    high,
    timeAt: (index) => view.timeAt(position(index)),
    at: (index) => view.at(position(index)),
    last: high - 1,
  }
}

/** The index of the first record at or after `time`. If `after` is set, a record at `time` is skipped. */
export function indexAt(view: RecordView, time: number, after: boolean): number {
  let low = view.low
  let high = view.high
  while (low < high) {
    const middle = (low + high) >>> 1
    const middleTime = view.timeAt(middle)
    if (after ? middleTime <= time : middleTime < time) low = middle + 1
    else high = middle
  }
  return low
}
