import { createHash } from 'node:crypto'
import { type Gap, placeGaps } from '../readings/continuity'
import { fingerprint, type Series, type SeriesRecord } from '../readings/series'

/** Where a node is with the records of a device (nodes.md, *envlog-latest*): what was delivered so far. */
export interface RecordCursor {
  /** Time of the newest that was delivered, ms; `null` where none was that has one. */
  time: number | null
  /** Prints of those delivered with that time. */
  at: string[]
  /** Delivered ones that move no cursor, being ahead of the clock or without a time: `time print`. */
  beside: string[]
  /** The id of the newest: the neighbour of what comes next. */
  id: number | null
  /** When the answer came that it is made of, ms, but always later than the cursor before: the later is the further. */
  taken: number
}

/** What a node that has no cursor yet takes of its first answer: what it holds, nothing, or what is since then. */
export type Start = 'held' | 'now' | { since: number }

/** What to do with an answer. */
export type RecordPlan =
  /** The device's clock was set back: its records cannot be told from delivered ones. */
  | { kind: 'set-back' }
  /** Records between the cursor and the answer are not in it: ms, from inclusive, to exclusive. */
  | { kind: 'hole'; from: number; to: number }
  | { kind: 'complete'; fresh: Series; next: RecordCursor }

const AN_HOUR = 3_600_000

export interface Received {
  series: Series
  /** When the answer arrived, ms. */
  receivedAt: number
  /** Of the cursor that it makes. */
  taken: number
  /** How instants are written, for a neighbour that is not in the answer. */
  write(timestamp: number): string | null
}

/** Whether the answer reaches back to the cursor, and what of it is new. */
export function planRecords(
  known: RecordCursor | null,
  { series, receivedAt, taken, write }: Received,
  { start, fill }: { start: Start; fill: boolean },
): RecordPlan {
  const { records } = series
  const print = (record: SeriesRecord) => shorten(fingerprint(record, series.channels))
  const keyOf = (record: SeriesRecord) => `${record.timestamp} ${print(record)}`
  const counts = ({ timestamp }: SeriesRecord) => timestamp !== null && timestamp <= receivedAt + AN_HOUR
  const normal = records.filter(counts)
  const newest = normal.at(-1)?.timestamp ?? null
  const oldest = normal[0]?.timestamp ?? null
  const cursor = known ?? firstCursor(start, taken)

  if (cursor.time !== null && newest !== null && newest < cursor.time) {
    if (known) return { kind: 'set-back' }
    return { kind: 'complete', fresh: { ...series, records: [], gaps: [] }, next: { ...cursor, taken } }
  }
  const beside = new Set(cursor.beside)
  const isKnown = (record: SeriesRecord) => {
    if (counts(record) && cursor.time !== null) {
      const timestamp = record.timestamp as number
      if (timestamp < cursor.time) return true
      if (timestamp === cursor.time && cursor.at.includes(print(record))) return true
    }
    return beside.size > 0 && beside.has(keyOf(record))
  }
  const reaches =
    cursor.time === null ||
    oldest === null ||
    oldest < cursor.time ||
    normal.some((record) => record.timestamp === cursor.time && cursor.at.includes(print(record)))
  if (!reaches && fill) return { kind: 'hole', from: cursor.time as number, to: (oldest as number) + 1000 }

  const silent = known === null && start === 'now'
  const fresh = silent ? [] : records.filter((record) => !isKnown(record))
  const time = newest === null ? cursor.time : Math.max(newest, cursor.time ?? newest)
  const atTime = normal.filter(({ timestamp }) => timestamp === time).map(print)
  const kept = cursor.beside.filter((key) => Number(key.split(' ')[0]) > (time ?? 0))
  const next: RecordCursor = {
    time,
    at: [...new Set([...(cursor.time === time ? cursor.at : []), ...atTime])],
    beside: [...new Set([...kept, ...records.filter((record) => !counts(record)).map(keyOf)])],
    id: normal.findLast(({ timestamp }) => timestamp === time)?.dataId ?? cursor.id,
    taken,
  }
  const gaps = gapsBefore(new Set(fresh), normal, cursor, series.standalone, write)
  return { kind: 'complete', fresh: { ...series, records: fresh, gaps }, next }
}

function firstCursor(start: Start, taken: number): RecordCursor {
  const none = { at: [], beside: [], id: null, taken }
  return { time: typeof start === 'object' ? start.since : null, ...none }
}

/**
 * Gaps told with what is new: each stands before a new record, its neighbour being the record before it or, where
 * the answer does not hold that one, the last that was delivered.
 */
function gapsBefore(
  fresh: ReadonlySet<SeriesRecord>,
  normal: readonly SeriesRecord[],
  { time, id }: RecordCursor,
  standalone: boolean,
  write: (timestamp: number) => string | null,
): Gap[] {
  const first = normal[0]?.timestamp ?? null
  const needsNeighbour = time !== null && id !== null && first !== null && first > time
  const neighbour = needsNeighbour ? [{ time: write(time), timestamp: time, dataId: id }] : []
  return placeGaps([...neighbour, ...normal], standalone)
    .filter(({ at }) => fresh.has(normal[at - neighbour.length] as SeriesRecord))
    .map(({ gap }) => gap)
}

/** A cursor is saved and travels in receipts: twelve characters of a hash stand for a record. */
export function shorten(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 12)
}
