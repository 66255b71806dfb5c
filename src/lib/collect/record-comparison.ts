import { TURN } from '../readings/continuity'
import type { SeriesRecord } from '../readings/record-reader'
import { fingerprint } from '../readings/series'
import { AN_HOUR, MOST_AT, type Received, type RecordCursor, shorten, timeOf } from './record-cursor'

/** The records of an answer, held against a cursor. */
export interface Comparison {
  cursor: RecordCursor
  records: readonly SeriesRecord[]
  /** Those that move no cursor: ahead of the clock, or without a time. */
  beside: readonly SeriesRecord[]
  /** All others, the oldest first. */
  normal: readonly SeriesRecord[]
  isBeside(record: SeriesRecord): boolean
  /** Whether such a record was delivered. */
  wasBeside(record: SeriesRecord): boolean
  /** Whether it has the cursor's time and was delivered. */
  wasAt(record: SeriesRecord): boolean
  /** Records after those of a cursor that have earlier times: the device's clock was set back. The last comes last. */
  afterSetBack(from: RecordCursor): SeriesRecord[]
  hashOf(record: SeriesRecord): string
  /** `<time> <hash>`. */
  keyOf(record: SeriesRecord): string
}

export function compare({ series, receivedAt }: Received, cursor: RecordCursor): Comparison {
  const { records, channels, standalone } = series
  const keys = new Set(cursor.beside)
  const times = new Set(cursor.beside.map(timeOf))
  const hashes = new Set(cursor.at)
  const hashOf = (record: SeriesRecord) => shorten(fingerprint(record, channels))
  const keyOf = (record: SeriesRecord) => `${record.timestamp} ${hashOf(record)}`
  // Times are compared first: to hash each of 100,000 records would stop the event loop.
  const wasBeside = (record: SeriesRecord) =>
    times.has(record.timestamp ?? Number.NaN) && keys.has(keyOf(record))
  const aheadFrom = Math.max(receivedAt + AN_HOUR, cursor.time ?? 0)
  const isAhead = ({ timestamp }: SeriesRecord) => timestamp !== null && timestamp > aheadFrom
  // A record that was ahead once moves no cursor later either: it would hide what is measured until its time comes.
  const beside = records.filter((record) => record.timestamp === null || isAhead(record) || wasBeside(record))
  const aside = new Set(beside)
  // Ids of records that were ahead once are not missing between the others.
  const timed = records.filter((record) => record.timestamp !== null && !isAhead(record))
  return {
    cursor,
    records,
    beside,
    normal: records.filter((record) => !aside.has(record)),
    isBeside: (record) => aside.has(record),
    wasBeside,
    wasAt: (record) =>
      record.timestamp === cursor.time && (hashes.size >= MOST_AT || hashes.has(hashOf(record))),
    afterSetBack: (from) => afterSetBack(timed, from, standalone).filter((record) => !aside.has(record)),
    hashOf,
    keyOf,
  }
}

/** Whether the device's clock was set back so that new records cannot be told from delivered ones, or not all of them. */
export function isStopped({ cursor, normal, beside, wasBeside }: Comparison, standalone: boolean): boolean {
  const newest = normal.at(-1)?.timestamp ?? null
  // A time to begin with that has not come yet is no clock that was set back.
  if (cursor.time === null || cursor.at.length === 0 || newest === null) return false
  if (newest !== cursor.time) return newest < cursor.time
  return beside.every(wasBeside) && goesOnEarlier(normal, cursor, standalone)
}

/**
 * Records that are earlier than the cursor and came after it by their ids: the device's clock was set back in between.
 * Ids that begin again look alike, but those records stand in a row of their own; here each stands between two whose
 * ids follow each other. The last by its id comes last.
 */
function afterSetBack(
  records: readonly SeriesRecord[],
  { time, id }: Pick<RecordCursor, 'time' | 'id'>,
  standalone: boolean,
): SeriesRecord[] {
  // Ids that begin again begin with 0: there a single record that was lost before looks the same.
  if (time === null || id === null || id === 0) return []
  const after: { record: SeriesRecord; by: number }[] = []
  let isBetween = true
  /** How much later than the cursor's the last id was of a record that is not earlier than the cursor. */
  let before: number | undefined
  /** Whether a record has come since that one. */
  let isOpen = false
  for (const record of records) {
    if (record.dataId === null) continue
    const by = laterBy(record.dataId, id, standalone)
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

/** How much later by its id a record is than another, below 0 for earlier. Ids of remote units turn over. */
function laterBy(dataId: number, id: number, standalone: boolean): number {
  const by = dataId - id
  return standalone || Math.abs(by) <= TURN / 2 ? by : by - Math.sign(by) * TURN
}

/**
 * Whether the earliest record is by its id the one after the cursor's: the clock was set back further than the answer
 * reaches. Of ids that begin again the earliest does not follow the cursor's.
 */
function goesOnEarlier(
  records: readonly SeriesRecord[],
  { time, id }: RecordCursor,
  standalone: boolean,
): boolean {
  const first = records.find(({ dataId }) => dataId !== null)
  if (!first || id === null || time === null || (first.timestamp as number) >= time) return false
  return laterBy(first.dataId as number, id, standalone) === 1
}
