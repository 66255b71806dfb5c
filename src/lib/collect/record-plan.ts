/**
 * Determines which records of a response are new: those that were not delivered, regardless of their time
 * (docs/collecting.md, *Records*).
 */
import { createTimeFormatter } from '../decode/time'
import { findGaps, type Gap, type NumberedRecord } from '../readings/continuity'
import type { Series, SeriesRecord } from '../readings/series'
import {
  advance,
  createCursorBefore,
  createFirstCursor,
  type Known,
  NOTHING,
  type ReceivedRecords,
  type RecordCursor,
  readCursor,
  type Start,
} from './cursor'
import { addHole, type Hole, isInside, type LostPeriod, rememberInHoles, selectMissing } from './holes'
import {
  areAhead,
  encodeRecords,
  follows,
  hashesOf,
  inTime,
  isAhead,
  isOlder,
  isSameRecord,
  keyOf,
  type RecordKey,
  saveKnown,
  selectUnknown,
  timeOf,
} from './known-records'

/** The consequences of a response. */
export interface RecordPlan {
  /** The new records. */
  fresh: Series
  /** Whether the messages say that records before the new ones are lost. */
  overflow: boolean
  /** The period of records that this response shows to be lost. */
  lost?: LostPeriod
  /** The cursor after delivery. */
  next: RecordCursor
  /** The cursor to save for a device that has none yet. Compared with it, the same records are new again. */
  before: RecordCursor
}

/**
 * @param cursor the device's cursor; `null` if nothing was delivered yet
 * @param backfill whether missing records are fetched later; if not, they are lost
 */
export function planRecords(
  cursor: RecordCursor | null,
  received: ReceivedRecords,
  { start, backfill }: { start: Start; backfill: boolean },
): RecordPlan {
  const { series, receivedAt } = received
  // Most responses contain the same records as the last one.
  if (cursor && cursor.held !== '' && encodeRecords(series.records) === cursor.held)
    return planNothing(cursor, series)
  const known = readCursor(cursor ?? createFirstCursor(start, receivedAt))
  const deliversNothing = cursor === null && start === 'now'
  const records = deliversNothing ? [] : findNew(known, received)
  // It may come from a replica that lags, so it must not replace what is known.
  if (cursor && records.length === 0) return planNothing(cursor, series)

  const hole = findHole(known, records, received)
  const lost = backfill ? undefined : findLost(known, hole, received)
  const { unreported = NOTHING } = cursor ?? {}
  const next = advance(known, received)
  const holes = rememberInHoles(known.holes, records, series)
  const all = hole ? addHole(holes, hole) : holes
  if (backfill && all.length > 0) next.holes = all
  return {
    fresh: {
      ...series,
      records,
      gaps: [...unreported.gaps, ...findNewGaps(known, records, received, lost !== undefined)],
    },
    overflow: lost !== undefined || unreported.overflow,
    ...(lost && { lost }),
    next,
    before: createCursorBefore(records, known, receivedAt),
  }
}

/** The period of records that are lost because missing records are not fetched. */
function findLost(
  known: Known,
  hole: Hole | undefined,
  { series, most }: ReceivedRecords,
): LostPeriod | undefined {
  // A hole before all known records may be older than the device, unless the response is full.
  const isLost =
    hole &&
    (known.records.some(({ timestamp }) => timestamp !== null && timestamp <= hole.to) ||
      (series.records.length >= most && (known.since !== null || hole.from < hole.to)))
  const holes = isLost ? [hole, ...known.holes] : known.holes
  if (holes.length === 0) return undefined
  return { from: Math.min(...holes.map(({ from }) => from)), to: Math.max(...holes.map(({ to }) => to)) }
}

function planNothing(cursor: RecordCursor, series: Series): RecordPlan {
  const fresh = { ...series, records: [], gaps: [] }
  return { fresh, overflow: false, next: cursor, before: cursor }
}

/**
 * The period before a response whose oldest record is new, from the newest known record that is not later. There is
 * none if the numbers of these two records are consecutive.
 */
function findHole(
  known: Known,
  fresh: readonly SeriesRecord[],
  { series: { records, channels, standalone }, receivedAt }: ReceivedRecords,
): Hole | undefined {
  const timed = inTime(records, receivedAt)
  const areAllAhead = areAhead(timed, receivedAt)
  // A known record that was ahead of the last response does not show that the records since then are known.
  const oldest = timed.find((record) => areAllAhead || fresh.includes(record) || timeOf(record) <= known.at)
  if (!oldest || !fresh.includes(oldest)) return undefined
  const to = timeOf(oldest)
  const notLater = known.records.filter(({ timestamp }) => timestamp !== null && timestamp <= to)
  const begin = notLater.findLast((record) => !isAhead(timeOf(record), known.at)) ?? notLater.at(-1)
  if (begin && follows(begin, oldest, standalone)) return undefined
  const completeTo = begin ? completeUntil(begin, known) : known.from
  if (completeTo === null) return undefined
  const since = known.since ?? Number.NEGATIVE_INFINITY
  const from = Math.max(completeTo, since)
  if (from > to) return undefined
  const before = known.records.filter((record) => timeOf(record) >= from && timeOf(record) <= to)
  const atEnd = records.filter(({ timestamp }) => timestamp === to)
  const hashes = [...known.hashes, ...hashesOf(atEnd, channels, to)]
  const wanted = begin && timeOf(begin) >= since ? begin : null
  return { from, to, begin: wanted, ...saveKnown([...before, ...atEnd], hashes) }
}

/**
 * The time from which records may be missing. It is not later than the last response, because a fast clock may have
 * been corrected since then, and not earlier than the oldest known record and the holes before it, because the known
 * records since then are complete.
 */
function completeUntil(newest: RecordKey, { records, at, holes }: Known): number {
  const [oldest = newest] = records.filter(({ timestamp }) => timestamp !== null)
  const isAlone = timeOf(oldest) === timeOf(newest)
  // Other records of the second of the oldest known one were delivered before, or belong to the hole before it.
  const complete = isAlone ? timeOf(oldest) : timeOf(oldest) + 1
  const ends = holes.flatMap(({ to }) => (to <= timeOf(newest) ? [to + 1] : []))
  return Math.max(Math.min(timeOf(newest), at), complete, ...ends)
}

/** The records that were not delivered, except records that are too old to have been in the last response. */
function findNew(known: Known, { series, most }: ReceivedRecords): SeriesRecord[] {
  const { records, channels, standalone } = series
  const [oldest] = known.records.filter(({ timestamp }) => timestamp !== null)
  const reach = known.records.length >= most ? oldest : undefined
  const isKnown = new Set(known.records.map(keyOf))
  const missing = new Set(known.holes.flatMap((hole) => selectMissing(hole, records, channels)))
  return selectUnknown(known, records, channels).filter((record) => {
    const { timestamp } = record
    if (timestamp !== null && known.since !== null && timestamp < known.since) return false
    if (known.holes.some((hole) => isInside(hole, record))) return missing.has(record)
    return isKnown.has(keyOf(record)) || !(reach && isOlder(record, reach, standalone))
  })
}

/**
 * The gaps before records that are later than all known ones. Records that arrive late or have a wrong time do not
 * reveal gaps, but their numbers count as received.
 * @param withBorder whether to report a gap between the known records and the response; if not, it is reported when the
 * hole between them is closed
 */
function findNewGaps(
  known: Known,
  fresh: readonly SeriesRecord[],
  { series, receivedAt, time }: ReceivedRecords,
  withBorder: boolean,
): Gap[] {
  const inOrder = inTime(series.records, receivedAt)
  const [oldest] = inOrder
  const newest = newestKnown(known, inOrder, receivedAt)
  const others = [...known.records, ...series.records].map(({ dataId }) => ({
    time: null,
    timestamp: null,
    dataId,
  }))
  const isInResponse = newest && inOrder.some((record) => isSameRecord(record, newest))
  const isBorder = newest && oldest && fresh.includes(oldest) && timeOf(newest) <= timeOf(oldest)
  const before: NumberedRecord[] =
    newest && !isInResponse && (withBorder || !isBorder)
      ? [{ ...newest, time: createTimeFormatter(time)(newest.timestamp, series.utcOffset) }]
      : []
  const ordered: NumberedRecord[] = [...before, ...inOrder].sort((a, b) => timeOf(a) - timeOf(b))
  const isLater = new Set<NumberedRecord>(
    fresh.filter(({ timestamp }) => timestamp !== null && timestamp >= (newest?.timestamp ?? 0)),
  )
  return [...findGaps([...others, ...ordered], series.standalone)].flatMap(([record, gap]) => {
    const hasPredecessor = known.records.some((before) => follows(before, record, series.standalone))
    return isLater.has(record) && !hasPredecessor ? [gap] : []
  })
}

/**
 * The known record with the latest time. A record that was ahead when it was received counts only if all records of the
 * response are ahead.
 */
function newestKnown(
  { records, at }: Known,
  inOrder: readonly RecordKey[],
  receivedAt: number,
): RecordKey | undefined {
  const limit = areAhead(inOrder, receivedAt) ? Number.POSITIVE_INFINITY : Math.min(at, receivedAt)
  return records.findLast(({ timestamp }) => timestamp !== null && !isAhead(timestamp, limit))
}
