import { formatTime, type TimeStyle } from '../decode/time'
import { type Gap, type NumberedRecord, placeGaps } from '../readings/continuity'
import type { SeriesRecord } from '../readings/record-reader'
import type { Series } from '../readings/series'
import { compareRecords, isSetBackTooFar, type RecordComparison } from './record-comparison'
import {
  createFirstCursor,
  keyRank,
  latestKeyTime,
  latestTime,
  MAX_AHEAD_MS,
  MAX_HASHES_AT_TIME,
  MAX_OUT_OF_ORDER,
  type ReceivedRecords,
  type RecordCursor,
  type Start,
  sortKeys,
} from './record-cursor'

/** What follows from an answer. */
export type RecordPlan =
  /**
   * The device's clock was set back, and its records cannot be distinguished from delivered ones, or not all of them.
   */
  | { kind: 'clock-set-back' }
  /** Records between the cursor and the answer are missing: ms since 1970 UTC, from inclusive, to exclusive. */
  | { kind: 'backfill-needed'; from: number; to: number }
  | {
      kind: 'complete'
      /** The new records. */
      fresh: Series
      /** The cursor once they are delivered. */
      next: RecordCursor
      /** The device's clock was set back: some new records have an earlier time than delivered ones. */
      isSetBack: boolean
    }

/**
 * Determines which records of an answer are new.
 * @param known the device's cursor; `null` where nothing was delivered yet
 * @param canBackfill whether records that are missing before the answer can be fetched
 */
export function planRecords(
  known: RecordCursor | null,
  received: ReceivedRecords,
  { start, canBackfill }: { start: Start; canBackfill: boolean },
): RecordPlan {
  const { series, time: style } = received
  const { standalone } = series
  const cursor = known ?? createFirstCursor(start, received.sequence)
  const compared = compareRecords(received, cursor)
  const setBack = new Set(compared.findSetBack(cursor))
  if (setBack.size === 0 && isSetBackTooFar(compared, standalone)) return { kind: 'clock-set-back' }
  const missing = canBackfill ? findMissing(compared, known !== null) : undefined
  if (missing) return { kind: 'backfill-needed', ...missing }

  const isSilent = known === null && start === 'now'
  const fresh = isSilent ? [] : findNew(compared, setBack)
  const next = advanceCursor(compared, received)
  // The clock may also have been set back within the answer: then the cursor continues from the last such record.
  const within = compared.findSetBack(next)
  const last = within.at(-1)
  for (const record of within) setBack.add(record)
  const before = lastDelivered(compared, style, series.utcOffset)
  const gaps = findGapsBeforeNew(fresh, compared, setBack, before, standalone)
  return {
    kind: 'complete',
    fresh: { ...series, records: fresh, gaps },
    next: last ? moveCursorBack(next, last, compared) : next,
    isSetBack: !isSilent && known !== null && setBack.size > 0,
  }
}

/** The period that is missing between the cursor and the answer; `undefined` where the answer reaches back to it. */
function findMissing(compared: RecordComparison, isKnown: boolean): { from: number; to: number } | undefined {
  const { cursor, records, inOrder, outOfOrder } = compared
  const oldest = records.find(({ timestamp }) => timestamp !== null)?.timestamp ?? null
  // Where the first answer was empty, all records are new since; where all are ahead, it goes on from the last of them.
  const ahead = latestKeyTime(cursor.outOfOrder)
  const from = (inOrder.length === 0 ? ahead : null) ?? cursor.time ?? ahead ?? (isKnown ? 0 : null)
  if (from === null || oldest === null || oldest < from || inOrder.some(compared.wasAtTime)) return undefined
  const holdsFirst = cursor.firstHashes?.every((hash) =>
    inOrder.some((record) => record.timestamp === cursor.time && compared.hash(record) === hash),
  )
  const isAllOutOfOrder = cursor.time === null || inOrder.length === 0
  if (holdsFirst || (isAllOutOfOrder && outOfOrder.some(compared.wasOutOfOrder))) return undefined
  return { from, to: oldest + 1000 }
}

/** @param setBack records after the cursor despite earlier times */
function findNew(compared: RecordComparison, setBack: ReadonlySet<SeriesRecord>): SeriesRecord[] {
  const { cursor, records, isOutOfOrder, wasOutOfOrder, wasAtTime } = compared
  const isKnown = (record: SeriesRecord) => {
    if (isOutOfOrder(record)) return wasOutOfOrder(record)
    if (cursor.time === null || setBack.has(record)) return false
    return (record.timestamp as number) < cursor.time || wasAtTime(record)
  }
  return records.filter((record) => !isKnown(record))
}

/** The cursor once all new records are delivered. */
function advanceCursor(compared: RecordComparison, { receivedAt, sequence }: ReceivedRecords): RecordCursor {
  const { cursor, inOrder } = compared
  // Where all records are ahead of the clock, earlier ones whose time has passed by now count as delivered.
  const passed = inOrder.length === 0 ? latestKeyTime(cursor.outOfOrder, receivedAt - MAX_AHEAD_MS) : null
  const keys = outOfOrderKeys(compared)
  const latest = inOrder.at(-1)?.timestamp ?? null
  // The cursor passes those that are too many to be remembered.
  const time = latestTime(latest, cursor.time, passed, latestKeyTime(keys.slice(0, -MAX_OUT_OF_ORDER)))
  return {
    time,
    hashesAtTime: hashesAt(time, compared, cursor.time === time ? cursor.hashesAtTime : []),
    outOfOrder: keys.filter((key) => time === null || keyRank(key) >= time),
    id: inOrder.findLast(({ timestamp }) => timestamp === time)?.dataId ?? cursor.id,
    sequence,
  }
}

/** The cursor at the last record since the device's clock was set back; records with later times are remembered. */
function moveCursorBack(
  next: RecordCursor,
  { timestamp, dataId }: SeriesRecord,
  compared: RecordComparison,
): RecordCursor {
  const time = timestamp as number
  const later = compared.inOrder.filter((record) => (record.timestamp as number) > time)
  const keys = outOfOrderKeys(compared).filter((key) => keyRank(key) >= time)
  return {
    ...next,
    time,
    id: dataId,
    hashesAtTime: hashesAt(time, compared),
    outOfOrder: sortKeys([...keys, ...later.map(compared.key)]).slice(-MAX_OUT_OF_ORDER),
  }
}

/** Keys of all records out of order, of before and of the answer. */
function outOfOrderKeys({ cursor, outOfOrder, key }: RecordComparison): string[] {
  return sortKeys([...cursor.outOfOrder, ...outOfOrder.map(key)])
}

/** Hashes of the records with that time, after those that are known already. */
function hashesAt(
  time: number | null,
  { inOrder, hash }: RecordComparison,
  known: readonly string[] = [],
): string[] {
  const records = inOrder.filter(({ timestamp }) => timestamp === time).slice(-MAX_HASHES_AT_TIME)
  return [...new Set([...known, ...records.map(hash)])].slice(0, MAX_HASHES_AT_TIME)
}

/** The last record that was delivered, where the answer does not contain it: a gap may follow it. */
function lastDelivered(
  { cursor: { time, id }, inOrder, wasAtTime }: RecordComparison,
  style: TimeStyle,
  offsetMinutes: number,
): NumberedRecord[] {
  if (time === null || id === null || inOrder.some(wasAtTime)) return []
  return [{ time: formatTime(time, style, offsetMinutes), timestamp: time, dataId: id }]
}

/**
 * Finds the gaps before new records. Ids of records out of order, and of those since a clock was set back, are not
 * missing, whatever their time is; sorted by time they would seem to have many gaps.
 */
function findGapsBeforeNew(
  fresh: readonly SeriesRecord[],
  { inOrder, outOfOrder }: RecordComparison,
  setBack: ReadonlySet<SeriesRecord>,
  before: readonly NumberedRecord[],
  standalone: boolean,
): Gap[] {
  const isNew = new Set<NumberedRecord>(fresh)
  const ordered: NumberedRecord[] = [...before, ...inOrder.filter((record) => !setBack.has(record))]
  const others = [...outOfOrder, ...setBack].map(({ dataId }) => ({ time: null, timestamp: null, dataId }))
  return placeGaps([...others, ...ordered], standalone)
    .filter(({ at }) => isNew.has(ordered[at - others.length] as NumberedRecord))
    .map(({ gap }) => gap)
}
