import { ID_MODULUS } from '../readings/continuity'
import type { SeriesRecord } from '../readings/record-reader'
import { fingerprint } from '../readings/series'
import {
  keyTime,
  MAX_AHEAD_MS,
  MAX_HASHES_AT_TIME,
  type ReceivedRecords,
  type RecordCursor,
  shortHash,
  toKey,
} from './record-cursor'

/** The records of an answer compared with a cursor. */
export interface RecordComparison {
  cursor: RecordCursor
  records: readonly SeriesRecord[]
  /** Records that move no cursor: ahead of the clock, or without a time. */
  outOfOrder: readonly SeriesRecord[]
  /** All others, the oldest first. */
  inOrder: readonly SeriesRecord[]
  isOutOfOrder(record: SeriesRecord): boolean
  /** Whether the record was delivered as one out of order. */
  wasOutOfOrder(record: SeriesRecord): boolean
  /** Whether the record has the time of the cursor and was delivered. */
  wasAtTime(record: SeriesRecord): boolean
  /** Records after a cursor by their ids but with earlier times, sorted by id. */
  findSetBack(from: RecordCursor): SeriesRecord[]
  hash(record: SeriesRecord): string
  key(record: SeriesRecord): string
}

/** Compares each record of an answer with what was delivered. */
export function compareRecords(
  { series, receivedAt }: ReceivedRecords,
  cursor: RecordCursor,
): RecordComparison {
  const { records, channels, standalone } = series
  const keys = new Set(cursor.outOfOrder)
  const times = new Set(cursor.outOfOrder.map(keyTime))
  const hashes = new Set(cursor.hashesAtTime)
  const hash = (record: SeriesRecord) => shortHash(fingerprint(record, channels))
  const key = (record: SeriesRecord) => toKey(record.timestamp, hash(record))
  // Times are compared first: to hash each of 100,000 records would stop the event loop.
  const wasOutOfOrder = (record: SeriesRecord) =>
    times.has(record.timestamp ?? Number.NaN) && keys.has(key(record))
  const maxTime = Math.max(receivedAt + MAX_AHEAD_MS, cursor.time ?? 0)
  const isAhead = ({ timestamp }: SeriesRecord) => timestamp !== null && timestamp > maxTime
  // A record that was once ahead never moves the cursor: it would hide all records until its time is reached.
  const outOfOrder = records.filter(
    (record) => record.timestamp === null || isAhead(record) || wasOutOfOrder(record),
  )
  const odd = new Set(outOfOrder)
  // Ids of records that were ahead once are not missing between the others.
  const timed = records.filter((record) => record.timestamp !== null && !isAhead(record))
  return {
    cursor,
    records,
    outOfOrder,
    inOrder: records.filter((record) => !odd.has(record)),
    isOutOfOrder: (record) => odd.has(record),
    wasOutOfOrder,
    wasAtTime: (record) =>
      record.timestamp === cursor.time && (hashes.size >= MAX_HASHES_AT_TIME || hashes.has(hash(record))),
    findSetBack: (from) => recordsAfterSetBack(timed, from, standalone).filter((record) => !odd.has(record)),
    hash,
    key,
  }
}

/** Whether the device's clock was set back so far that new records cannot be distinguished from delivered ones. */
export function isSetBackTooFar(compared: RecordComparison, standalone: boolean): boolean {
  const { cursor, records, inOrder, isOutOfOrder, wasOutOfOrder, wasAtTime } = compared
  const latest = inOrder.at(-1)?.timestamp ?? null
  // Before the first delivery, the cursor has the start time, which may be in the future.
  if (cursor.time === null || cursor.hashesAtTime.length === 0 || latest === null) return false
  if (latest !== cursor.time) return latest < cursor.time
  // A device that measures twice in the same second was not set back.
  const isNew = (record: SeriesRecord) =>
    isOutOfOrder(record) ? !wasOutOfOrder(record) : record.timestamp === latest && !wasAtTime(record)
  return !records.some(isNew) && continuesEarlier(inOrder, cursor, standalone)
}

/**
 * Records that are earlier than the cursor but after it by their ids: the device's clock was set back in between.
 * Restarted ids look similar, but those records form a sequence of their own; here each is between two records with
 * consecutive ids. Sorted by id.
 */
function recordsAfterSetBack(
  records: readonly SeriesRecord[],
  { time, id }: Pick<RecordCursor, 'time' | 'id'>,
  standalone: boolean,
): SeriesRecord[] {
  // After a first id a single record that was lost before looks the same.
  if (time === null || id === null || isFirstId(id, standalone)) return []
  const after: { record: SeriesRecord; by: number }[] = []
  let isBetween = true
  /** How much later than the cursor's the last id was of a record that is not earlier than the cursor. */
  let before: number | undefined
  /** Whether a record was found since that one. */
  let isOpen = false
  for (const record of records) {
    if (record.dataId === null) continue
    const by = idDistance(record.dataId, id, standalone)
    if (by > 0 && (record.timestamp as number) < time) {
      after.push({ record, by })
      isBetween &&= before !== undefined
      isOpen = true
    } else {
      if (isOpen) isBetween &&= by === (before ?? 0) + 1
      isOpen = false
      before = by
    }
  }
  if (!isBetween || isOpen) return []
  return after.sort((a, b) => a.by - b.by).map(({ record }) => record)
}

/** Whether this is the first id of a device, also after a restart of its ids. */
const isFirstId = (id: number, standalone: boolean) => id === (standalone ? 1 : 0)

/** How much later by its id a record is than another, below 0 for earlier. Ids of remote units wrap around. */
function idDistance(dataId: number, id: number, standalone: boolean): number {
  const by = dataId - id
  return standalone || Math.abs(by) <= ID_MODULUS / 2 ? by : by - Math.sign(by) * ID_MODULUS
}

/**
 * Whether the earliest record is by its id the one after the cursor's: the clock was set back further than the answer
 * reaches. After a restart of the ids, the earliest one does not follow the cursor's.
 */
function continuesEarlier(
  records: readonly SeriesRecord[],
  { time, id }: RecordCursor,
  standalone: boolean,
): boolean {
  const first = records.find(({ dataId }) => dataId !== null)
  if (!first || id === null || time === null || (first.timestamp as number) >= time) return false
  // Where the ids have just begun again, the earliest may be of any time before.
  if (isFirstId(id, standalone)) return false
  return idDistance(first.dataId as number, id, standalone) === 1
}
