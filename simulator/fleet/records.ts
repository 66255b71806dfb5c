/** The records of a device, with known indexes of the oldest and the newest, regardless of their origin. */
import type { RecordDefinition, RecordValue } from './definition'

export interface StoredRecord {
  /** Unix time in seconds */
  time: number
  id: number
  /** in the order of the device's channels */
  values: readonly RecordValue[]
}

/** What is stored at one moment: indexes `low` (inclusive) to `high` (exclusive), in order of time. */
export interface RecordView {
  low: number
  high: number
  timeAt(index: number): number
  at(index: number): StoredRecord
  /** the index that arrived last, reported by current */
  last: number
  /** order of arrival, if it differs from the order of time */
  arrival?(index: number): number
  /** two views with the same stamp are identical at the same index; undefined: unknown */
  stamp?: string
}

export type RecordSource = (now: number) => RecordView

interface ListShape {
  channels: readonly { num: number }[]
  capacity: number
  firstId: number
  idModulus: number
}

/** Records given as a list, or by a function of time. Sorted by time; records of the same second keep their order. */
export function listedRecords(
  records: readonly RecordDefinition[] | ((now: number) => readonly RecordDefinition[]),
  shape: ListShape,
): RecordSource {
  if (typeof records === 'function') return (now) => viewOf(arrived(records(now), now), shape)
  if (records.every((record) => record.arrives === undefined)) {
    const view = { ...viewOf(records, shape), stamp: 'all' }
    return () => view
  }
  return (now) => {
    const there = arrived(records, now)
    return { ...viewOf(there, shape), stamp: `first ${there.length} of ${arrivalKey(there)}` }
  }
}

function arrived(records: readonly RecordDefinition[], now: number): RecordDefinition[] {
  return records.filter((record) => (record.arrives ?? now) <= now)
}

function arrivalKey(records: readonly RecordDefinition[]): number {
  return records.reduce((latest, record) => Math.max(latest, record.arrives ?? 0), 0)
}

function viewOf(records: readonly RecordDefinition[], shape: ListShape): RecordView {
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

/** The first index from `low` on whose record is at or after `time` (only after it, with `after`). */
export function indexAt(view: RecordView, time: number, after: boolean): number {
  let low = view.low
  let high = view.high
  while (low < high) {
    const middle = (low + high) >>> 1
    const there = view.timeAt(middle)
    if (after ? there <= time : there < time) low = middle + 1
    else high = middle
  }
  return low
}
