import { createHash } from 'node:crypto'
import { fingerprint, type Series } from '../readings/series'
import type { TimeStyle } from '../readings/time'

/** What of a device's records was delivered so far (docs/collecting.md, *Records*). */
export interface RecordCursor {
  /** Time of the most recent record that was delivered, ms; `null` where none with a time was. */
  time: number | null
  /** Hashes of the records delivered with that time. With `MOST_AT` of them, all records of that time count as delivered. */
  at: string[]
  /** Where nothing was acknowledged yet: hashes of the first records of that time, which are the first to be delivered. */
  begins?: string[]
  /** Delivered records that do not move `time`, being ahead of the clock or without a time: `<time> <hash>`. */
  beside: string[]
  /** The id of the most recent record, to tell whether the next one follows it. */
  id: number | null
  /**
   * Orders the cursors of a device: the later is the one further on. It is when the answer came that the cursor is
   * made from, ms, or one more than the cursor before where the clock was set back.
   */
  taken: number
}

/** What a node without a cursor delivers of its first answer: what it holds, nothing, or what is since a time, ms. */
export type Start = 'held' | 'now' | { since: number }

/** An answer with records, all that there is of it. */
export interface Received {
  series: Series
  /** When the answer arrived, ms. */
  receivedAt: number
  /** Of the cursor that is made from it. */
  taken: number
  /** How times are written, for a gap after a record that is not in the answer. */
  time: TimeStyle
}

/** Records this far ahead of the clock that received them have a wrong time. */
export const AN_HOUR = 3_600_000
/** Delivered records beside `time` that are remembered: three hours of one every six seconds. */
export const MOST_BESIDE = 2000
/** Records of one second that are told apart. Loggers measure once a second at most, and are set back by an hour. */
export const MOST_AT = 1000
/** By so many of the first records an answer is known to hold them still. */
const MOST_BEGINS = 10

/** A cursor is saved and travels in receipts, so that twelve characters of a hash stand for a record. */
export function shorten(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 12)
}

/** Of a node that has delivered nothing yet. */
export function firstCursor(start: Start, taken: number): RecordCursor {
  const none = { at: [], beside: [], id: null, taken }
  return { time: typeof start === 'object' ? start.since : null, ...none }
}

/**
 * A cursor from which these records are new: saved where nothing was acknowledged before.
 * @param next the cursor once they are delivered
 */
export function cursorBefore(
  { records, channels }: Series,
  { receivedAt }: Received,
  next: RecordCursor,
): RecordCursor {
  const first = records.find(({ timestamp }) => timestamp !== null && timestamp <= receivedAt + AN_HOUR)
  const cursor = { time: first?.timestamp ?? null, at: [], beside: [], id: null, taken: next.taken - 1 }
  if (!first) return cursor
  const begins = records.filter(({ timestamp }) => timestamp === first.timestamp).slice(0, MOST_BEGINS)
  return { ...cursor, begins: begins.map((record) => shorten(fingerprint(record, channels))) }
}

/** The time of a `<time> <hash>`, ms; `NaN` for a record without one. */
export const timeOf = (key: string) => Number(key.split(' ')[0])

/** Records without a time come last. */
export const rankOf = (key: string) => (Number.isFinite(timeOf(key)) ? timeOf(key) : Number.POSITIVE_INFINITY)

/** Each once, the earliest first. */
export function inOrder(keys: readonly string[]): string[] {
  return [...new Set(keys)].sort((a, b) => rankOf(a) - rankOf(b))
}

export function latest(...times: (number | null)[]): number | null {
  const known = times.filter((time) => time !== null)
  return known.length > 0 ? Math.max(...known) : null
}

/** The time of the latest of them that is not after `until`, ms; `null` where there is none. */
export function latestOf(keys: readonly string[], until = Number.POSITIVE_INFINITY): number | null {
  return latest(...keys.map(timeOf).filter((time) => Number.isFinite(time) && time <= until))
}
