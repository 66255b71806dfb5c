/**
 * Determines which records of a response are new: those that the previous response did not contain, regardless of
 * their time (docs/collecting.md, *Records*).
 */
import { createTimeFormatter, type TimeStyle } from '../decode/time'
import { type Gap, ID_MODULUS, type NumberedRecord, placeGaps } from '../readings/continuity'
import type { SeriesRecord } from '../readings/record-reader'
import { fingerprint, type Series } from '../readings/series'
import { type RecordCursor, shortHash } from './cursor'
import { decodeRecords, encodeRecords, keyOf, MAX_ENCODED, type RecordKey } from './cursor-records'

/**
 * What a node without a cursor delivers from its first response: everything, nothing, or the records since a time, ms
 * since 1970 UTC.
 */
export type Start = 'all' | 'now' | { since: number }

/** The records of a response, including missing ones that a backfill has added. */
export interface ReceivedRecords {
  series: Series
  /** When the response arrived, ms since 1970 UTC. */
  receivedAt: number
  /** Whether the response was full, so that there may be earlier records. */
  isFull: boolean
  /** Number of records in a full response. */
  most: number
  /** The sequence of the cursor for this response. */
  sequence: number
  /** The format of times, for a gap after a record that is not in the response. */
  time: TimeStyle
}

/** The consequences of a response. */
export type RecordPlan =
  /** Records may be missing between `from` and the response's oldest record, at `to`; ms since 1970 UTC. */
  | { kind: 'backfill-needed'; from: number; to: number }
  | {
      kind: 'complete'
      /** The new records. */
      fresh: Series
      /** Whether records between the cursor and the new ones are lost, according to numbers or times. */
      overflow: boolean
      /** The cursor after delivery. */
      next: RecordCursor
      /** The cursor to save for a device that has none yet. Compared with it, the same records are new again. */
      before: RecordCursor
    }

/** A record whose time is more than this after the arrival of the response has a wrong time. */
const MAX_AHEAD_MS = 3_600_000
/** If all of the newest records are further ahead than this, users are warned that they hide the current ones. */
const FAR_AHEAD_MS = 86_400_000
/** Maximum number of records whose values are compared. The others are compared by time and number only. */
const MAX_HASHES = 1000

/** A decoded cursor. */
interface Known {
  records: readonly RecordKey[]
  counts: ReadonlyMap<string, number>
  hashes: ReadonlySet<string>
  since: number | null
  from: number | null
  /** When the cursor's response arrived, ms since 1970 UTC. */
  at: number
}

/**
 * @param cursor the device's cursor; `null` if nothing was delivered yet
 * @param received the new response, including records that a backfill has added
 * @param alone the new response without those records
 * @param canBackfill whether records missing before the response can be fetched
 */
export function planRecords(
  cursor: RecordCursor | null,
  received: ReceivedRecords,
  { start, canBackfill, alone = received }: { start: Start; canBackfill: boolean; alone?: ReceivedRecords },
): RecordPlan {
  const { series, sequence, receivedAt } = received
  if (cursor && cursor.held !== '' && encodeRecords(series.records) === cursor.held) {
    // A shortcut, because most responses contain the same records as the last one.
    const next = { ...cursor, sequence }
    const fresh = { ...series, records: [], gaps: [] }
    return { kind: 'complete', fresh, overflow: false, next, before: next }
  }
  const known = readCursor(cursor ?? createFirstCursor(start, sequence))
  const hole = findHole(known, received)
  if (hole && canBackfill) return { kind: 'backfill-needed', ...hole }

  const deliversNothing = cursor === null && start === 'now'
  const fresh = deliversNothing ? [] : findNew(known, received)
  const next = advance(known, alone)
  // After a response without records, only the time shows which records are new. Allow for different clocks.
  if (next.held === '' && known.from === null) next.from = receivedAt - MAX_AHEAD_MS
  if (deliversNothing) next.since = next.from
  const gaps = findGaps(known, fresh, received)
  // Only a known record with a usable time shows that a backfill lacks records.
  const showsLoss = () => newestKnown(known, received) !== undefined
  return {
    kind: 'complete',
    fresh: { ...series, records: fresh, gaps },
    overflow: hole !== undefined && (showsLoss() || (alone === received && hole.from < hole.to)),
    next,
    before: createCursorBefore(fresh, known, received),
  }
}

/** The cursor of a node that has not delivered anything yet. */
function createFirstCursor(start: Start, sequence: number): RecordCursor {
  const since = typeof start === 'object' ? start.since : null
  return { held: '', hashes: [], since, from: since, sequence }
}

function readCursor({ held, hashes, since, from, sequence }: RecordCursor): Known {
  const records = decodeRecords(held) ?? []
  return { records, counts: countKeys(records), hashes: new Set(hashes), since, from, at: sequence }
}

/** The period between the known records and a full response that contains none of them. */
function findHole(known: Known, received: ReceivedRecords): { from: number; to: number } | undefined {
  const { series, isFull, receivedAt } = received
  const timed = inTime(series.records, receivedAt)
  const [oldest] = timed
  if (!isFull || !oldest) return undefined
  if (timed.some((record) => known.counts.has(keyOf(record)))) return undefined
  const newest = newestKnown(known, received)
  if (newest && follows(newest, oldest, series.standalone)) return undefined
  // The times of the known records may be unusable.
  const start = known.records.length > 0 ? known.at - MAX_AHEAD_MS : known.from
  const from = newest ? completeUntil(newest, known) : start
  return from === null || from > timeOf(oldest) ? undefined : { from, to: timeOf(oldest) }
}

/**
 * The time from which records may be missing. It is not later than the last response, because a fast clock may have
 * been corrected since then, and not earlier than the oldest known record, because the known records are complete.
 */
function completeUntil(newest: RecordKey, { records, at }: Known): number {
  const [oldest = newest] = records.filter(({ timestamp }) => timestamp !== null)
  return Math.max(timeOf(oldest), Math.min(timeOf(newest), at))
}

/** The records that the last response did not contain, except records that are too old to have been in it. */
function findNew(known: Known, { series, most }: ReceivedRecords): SeriesRecord[] {
  const { records, channels, standalone } = series
  const counts = countKeys(records)
  const [oldest] = known.records.filter(({ timestamp }) => timestamp !== null)
  const reach = known.records.length >= most ? oldest : undefined
  return records.filter((record) => {
    const { timestamp } = record
    if (timestamp !== null && known.since !== null && timestamp < known.since) return false
    const key = keyOf(record)
    const before = known.counts.get(key) ?? 0
    if (before === 0) return !(reach && isOlder(record, reach, standalone))
    const now = counts.get(key) ?? 0
    if (before === 1 && now === 1) return false
    // If in doubt, deliver the record again.
    return now > before && !known.hashes.has(hashOf(record, key, channels))
  })
}

/** The cursor after the response, with its records and, if there is room, previously known ones. */
function advance(known: Known, { series, sequence, most }: ReceivedRecords): RecordCursor {
  const { records, channels } = series
  const counts = countKeys(records)
  const room = Math.max(0, most - records.length)
  const earlier = room === 0 ? [] : known.records.filter((record) => !counts.has(keyOf(record))).slice(-room)
  const held = [...earlier, ...records].sort(
    (a, b) => timeOf(a) - timeOf(b) || (a.dataId ?? 0) - (b.dataId ?? 0),
  )
  const newest = records.at(-1)?.timestamp
  const hashes = records.flatMap((record) => {
    const key = keyOf(record)
    const mayBeShared = record.timestamp === newest && !record.dataId
    return mayBeShared || (counts.get(key) ?? 0) > 1 ? [hashOf(record, key, channels)] : []
  })
  const keys = new Set(held.map(keyOf))
  const kept = [...known.hashes].filter((hash) => keys.has(hash.split(' ')[0] ?? ''))
  return {
    held: encodeRecords(held.slice(-MAX_ENCODED)),
    hashes: [...new Set([...kept, ...hashes])].slice(-MAX_HASHES),
    since: known.since,
    from: held.length === 0 ? known.from : null,
    sequence,
  }
}

/**
 * A cursor for which these records are new, and which requires all records from the first of them on. It is saved if
 * nothing has been acknowledged before.
 */
function createCursorBefore(
  fresh: readonly SeriesRecord[],
  known: Known,
  { sequence, receivedAt }: ReceivedRecords,
): RecordCursor {
  const [first] = inTime(fresh, receivedAt)
  const from = first?.timestamp ?? known.from
  return { held: '', hashes: [], since: known.since, from, sequence: sequence - 1 }
}

/**
 * The gaps before records that are later than all known ones. Records that arrive late or have a wrong time do not
 * reveal gaps, but their numbers count as received.
 */
function findGaps(known: Known, fresh: readonly SeriesRecord[], received: ReceivedRecords): Gap[] {
  const { series, receivedAt, time } = received
  const newest = newestKnown(known, received)
  const others = [...known.records, ...series.records].map(({ dataId }) => ({
    time: null,
    timestamp: null,
    dataId,
  }))
  const numbers = new Set(others.map(({ dataId }) => dataId))
  const inOrder = inTime(series.records, receivedAt)
  const isInResponse = newest && inOrder.some((record) => keyOf(record) === keyOf(newest))
  const before: NumberedRecord[] =
    newest && !isInResponse
      ? [{ ...newest, time: createTimeFormatter(time, series.utcOffset)(newest.timestamp) }]
      : []
  const ordered: NumberedRecord[] = [...before, ...inOrder].sort((a, b) => timeOf(a) - timeOf(b))
  const isLater = new Set<NumberedRecord>(
    fresh.filter(({ timestamp }) => timestamp !== null && timestamp >= (newest?.timestamp ?? 0)),
  )
  return placeGaps([...others, ...ordered], series.standalone)
    .filter(({ at, gap }) => {
      const record = ordered[at - others.length] as NumberedRecord
      // If a clock was set back, consecutive numbers are not in chronological order.
      const isConsecutive = gap.kind === 'restart' && numbers.has((record.dataId ?? 0) - 1)
      return isLater.has(record) && !isConsecutive
    })
    .map(({ gap }) => gap)
}

const timeOf = ({ timestamp }: { timestamp: number | null }) => timestamp ?? Number.NEGATIVE_INFINITY
const isAhead = (timestamp: number, receivedAt: number) => timestamp > receivedAt + MAX_AHEAD_MS

/** Whether all records are so far ahead that they hide the current ones. @param now ms since 1970 UTC */
export function areFarAhead({ records }: Series, now: number): boolean {
  return records.every(({ timestamp }) => timestamp !== null && timestamp > now + FAR_AHEAD_MS)
}

/** The numbers of standalone devices start at 1, so 0 means that there is no number. */
const hasNumber = ({ dataId }: RecordKey, standalone: boolean) =>
  dataId !== null && !(standalone && dataId === 0)

/** The records with a time, except those ahead of the response. If all are ahead, all are returned. */
function inTime<R extends RecordKey>(records: readonly R[], receivedAt: number): R[] {
  const timed = records.filter(({ timestamp }) => timestamp !== null)
  const notAhead = timed.filter(({ timestamp }) => !isAhead(timestamp as number, receivedAt))
  return notAhead.length > 0 ? notAhead : timed
}

/**
 * The known record with the latest time. A record that was ahead when it was received counts only if all records of the
 * response are ahead.
 */
function newestKnown({ records, at }: Known, { series, receivedAt }: ReceivedRecords): RecordKey | undefined {
  const [first] = inTime(series.records, receivedAt)
  const areAllAhead = first !== undefined && isAhead(timeOf(first), receivedAt)
  const limit = areAllAhead ? Number.POSITIVE_INFINITY : Math.min(at, receivedAt)
  return records.findLast(({ timestamp }) => timestamp !== null && !isAhead(timestamp, limit))
}

/** How far a number is after another; negative if it is before. The numbers of remote units wrap around. */
function distance(number: number, other: number, standalone: boolean): number {
  const by = number - other
  return standalone || Math.abs(by) <= ID_MODULUS / 2 ? by : by - Math.sign(by) * ID_MODULUS
}

const follows = (before: RecordKey, after: RecordKey, standalone: boolean) =>
  hasNumber(before, standalone) &&
  hasNumber(after, standalone) &&
  distance(after.dataId ?? 0, before.dataId ?? 0, standalone) === 1

/** Whether a record is older than another by both time and number. */
function isOlder(record: RecordKey, other: RecordKey, standalone: boolean): boolean {
  if (record.timestamp === null || record.timestamp >= timeOf(other)) return false
  if (!hasNumber(record, standalone) || !hasNumber(other, standalone)) return false
  return distance(record.dataId ?? 0, other.dataId ?? 0, standalone) < 0
}

function countKeys(records: readonly RecordKey[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const key of records.map(keyOf)) counts.set(key, (counts.get(key) ?? 0) + 1)
  return counts
}

const hashOf = (record: SeriesRecord, key: string, channels: Series['channels']) =>
  `${key} ${shortHash(fingerprint(record, channels))}`
