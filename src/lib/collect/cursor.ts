/** What was delivered of a device, and how that moves on. */

import type { TimeStyle } from '../decode/time'
import type { Gap } from '../readings/continuity'
import type { Series, SeriesPart, SeriesRecord } from '../readings/series'
import type { Hole } from './holes'
import {
  byTimeAndNumber,
  hashesOf,
  inTime,
  type KnownRecords,
  MAX_AHEAD_MS,
  MAX_ENCODED,
  type RecordKey,
  readKnown,
  type SavedRecords,
  saveKnown,
  timeOf,
  without,
} from './known-records'

/**
 * Identifies the records of a device that were delivered: those of the last response, and later ones that it did not
 * contain (docs/collecting.md, *Records*).
 */
export interface RecordCursor extends SavedRecords {
  /** Earlier records are not delivered, ms since 1970 UTC; `null` if all records are delivered. */
  since: number | null
  /** The time from which records must be complete, if `held` contains none with a time, ms since 1970 UTC. */
  from: number | null
  /** When the last response with new records arrived, ms since 1970 UTC. */
  at: number
  /** Periods whose records are still to be fetched, newest first; absent if there are none. */
  holes?: readonly Hole[]
  /** What the next message has to say about missing records, because no message was left to carry it. */
  unreported?: Unreported
}

export interface Unreported {
  /** Whether records were lost. */
  overflow: boolean
  gaps: readonly Gap[]
}

export const NOTHING: Unreported = { overflow: false, gaps: [] }

/** Identifies the alert texts of a device that were delivered (docs/collecting.md, *Alerts*). */
export interface AlertCursor {
  /** The newest texts that responses contained, as `idOf` identifies them, those of the last response at the end. */
  seen: string[]
  /** Set if nothing has been acknowledged yet, so that entries that are not in the cursor do not count as lost. */
  isFirst?: true
}

export type Cursor = RecordCursor | AlertCursor

/** A node polls either records or alerts. */
export type CursorKind = 'records' | 'alerts'

export function kindOf(cursor: Cursor): CursorKind {
  return 'seen' in cursor ? 'alerts' : 'records'
}

/**
 * What a node without a cursor delivers from its first response: everything, nothing, or the records since a time, ms
 * since 1970 UTC.
 */
export type Start = 'all' | 'now' | { since: number }

/** The records of a response. */
export interface ReceivedRecords {
  series: Series
  /** When the response arrived, ms since 1970 UTC. */
  receivedAt: number
  /** Number of records in a full response. */
  most: number
  /** The format of times, for a gap after a record that is not in the response. */
  time: TimeStyle
}

/** A decoded cursor. */
export type Known = KnownRecords & Pick<RecordCursor, 'since' | 'from' | 'at'> & { holes: readonly Hole[] }

/** The cursor of a node that has not delivered anything yet. */
export function createFirstCursor(start: Start, at: number): RecordCursor {
  const since = typeof start === 'object' ? start.since : null
  return { held: '', hashes: [], since, from: since, at }
}

export function readCursor(cursor: RecordCursor): Known {
  const { since, from, at, holes = [] } = cursor
  return { ...readKnown(cursor), since, from, at, holes }
}

/**
 * The cursor after the response, with its records, with known ones that are later, because the response may come from a
 * replica that lags, and with earlier ones if there is room.
 */
export function advance(known: Known, { series, receivedAt, most }: ReceivedRecords): RecordCursor {
  const { records, channels } = series
  const newest = inTime(records, receivedAt).at(-1)?.timestamp ?? null
  const others = without(known.records, records)
  const isLater = (record: RecordKey) => newest !== null && timeOf(record) > newest
  const earlier = others.filter((record) => !isLater(record))
  const held = [
    ...lastOf(earlier, most - records.length),
    ...records,
    ...lastOf(others.filter(isLater), most),
  ]
  const hashes = [...known.hashes, ...hashesOf(records, channels, newest)]
  // After responses without times, only the time shows which records are new. Allow for different clocks.
  const hasTimes = held.some(({ timestamp }) => timestamp !== null)
  const begin = held.length > 0 ? receivedAt - MAX_AHEAD_MS : 0
  const from = hasTimes ? null : (known.from ?? begin)
  return { ...saveKnown(lastOf(held, MAX_ENCODED), hashes), since: known.since, from, at: receivedAt }
}

/**
 * The cursor after records of a hole were delivered, which a longer response may contain later.
 * @param page sorted by time
 */
export function rememberFilled(
  cursor: RecordCursor,
  page: readonly SeriesRecord[],
  { channels }: SeriesPart,
  most: number,
): RecordCursor {
  const known = readKnown(cursor)
  const filled = lastOf(page, most)
  const timeless = known.records.filter(({ timestamp }) => timestamp === null)
  const timed: RecordKey[] = [...without(filled, known.records), ...known.records.slice(timeless.length)]
  timed.sort(byTimeAndNumber)
  const held = [...timeless, ...lastOf(timed, Math.max(most, known.records.length) - timeless.length)]
  return { ...cursor, ...saveKnown(held, [...known.hashes, ...hashesOf(filled, channels, null)]) }
}

const lastOf = <T>(list: readonly T[], count: number): T[] =>
  list.slice(Math.max(0, list.length - Math.max(0, count)))

/**
 * A cursor for which these records are new, and which requires all records from the first of them on. It is saved if
 * nothing has been acknowledged before.
 */
export function createCursorBefore(
  fresh: readonly SeriesRecord[],
  { since, from }: Known,
  receivedAt: number,
): RecordCursor {
  const [first] = inTime(fresh, receivedAt)
  return { held: '', hashes: [], since, from: since ?? first?.timestamp ?? from, at: receivedAt }
}
