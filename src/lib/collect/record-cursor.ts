import { createHash } from 'node:crypto'
import type { TimeStyle } from '../decode/time'
import { fingerprint, type Series } from '../readings/series'
import type { Cursor } from './delivery'

/** What of a device's records was delivered (docs/collecting.md, *Records*). */
export interface RecordCursor extends Cursor {
  /** Time of the latest record that was delivered, ms since 1970 UTC; `null` where none with a time was. */
  time: number | null
  /** Hashes of the delivered records of that time; `MAX_HASHES_AT_TIME` of them stand for all records of that time. */
  hashesAtTime: string[]
  /** Where nothing was acknowledged yet: hashes of the first records of that time, which are the first to deliver. */
  firstHashes?: string[]
  /** Keys of delivered records that do not move `time`, being ahead of the clock or without a time. */
  outOfOrder: string[]
  /** The id of the latest record, to see whether the next one follows it. */
  id: number | null
}

/** What a node without a cursor delivers of its first answer: all it holds, nothing, or what is since a time, ms. */
export type Start = 'held' | 'now' | { since: number }

/** The records of an answer, with those that were fetched before it. */
export interface ReceivedRecords {
  series: Series
  /** When the answer arrived, ms since 1970 UTC. */
  receivedAt: number
  /** Sequence of the cursor that is made from it. */
  sequence: number
  /** How times are written, for a gap after a record that is not in the answer. */
  time: TimeStyle
}

/** A record further than this ahead of the answer's arrival has a wrong time. */
export const MAX_AHEAD_MS = 3_600_000
/** Delivered records out of order that are remembered: three hours of one every six seconds. */
export const MAX_OUT_OF_ORDER = 2000
/** Records of one second that are distinguished. Loggers measure once a second at most, and are set back by an hour. */
export const MAX_HASHES_AT_TIME = 1000
/** An answer that holds so many of the first records is taken to hold all of them. */
const MAX_FIRST_HASHES = 10

/** Twelve characters of a hash stand for a record or an alert, because cursors are saved and travel in receipts. */
export function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 12)
}

/** The cursor of a node that has delivered nothing yet. */
export function createFirstCursor(start: Start, sequence: number): RecordCursor {
  const time = typeof start === 'object' ? start.since : null
  return { time, hashesAtTime: [], outOfOrder: [], id: null, sequence }
}

/**
 * A cursor from which these records are new. It is saved where nothing was acknowledged before.
 * @param next the cursor once they are delivered
 */
export function createCursorBefore(
  { records, channels }: Series,
  { receivedAt }: ReceivedRecords,
  next: RecordCursor,
): RecordCursor {
  const first = records.find(({ timestamp }) => timestamp !== null && timestamp <= receivedAt + MAX_AHEAD_MS)
  const time = first?.timestamp ?? null
  const cursor = { time, hashesAtTime: [], outOfOrder: [], id: null, sequence: next.sequence - 1 }
  if (!first) return cursor
  const atTime = records.filter(({ timestamp }) => timestamp === time).slice(0, MAX_FIRST_HASHES)
  return { ...cursor, firstHashes: atTime.map((record) => shortHash(fingerprint(record, channels))) }
}

/** The key of a record out of order: `<time> <hash>`, the time in ms or `null`. */
export const toKey = (time: number | null, hash: string) => `${time} ${hash}`

/** The time in a key, ms; `NaN` for a record without one. */
export const keyTime = (key: string) => Number.parseFloat(key)

/** The same to sort by: records without a time come last. */
export const keyRank = (key: string) =>
  Number.isFinite(keyTime(key)) ? keyTime(key) : Number.POSITIVE_INFINITY

/** Each key once, the earliest first. */
export function sortKeys(keys: readonly string[]): string[] {
  const ranked = Array.from(new Set(keys), (key) => ({ key, rank: keyRank(key) }))
  return ranked.sort((a, b) => a.rank - b.rank).map(({ key }) => key)
}

/** The latest of the times that are not `null`; `null` where all are. */
export function latestTime(...times: (number | null)[]): number | null {
  const known = times.filter((time) => time !== null)
  return known.length > 0 ? Math.max(...known) : null
}

/** The latest time in keys that is not after `until`, ms; `null` where there is none. */
export function latestKeyTime(keys: readonly string[], until = Number.POSITIVE_INFINITY): number | null {
  return latestTime(...keys.map(keyTime).filter((time) => Number.isFinite(time) && time <= until))
}
