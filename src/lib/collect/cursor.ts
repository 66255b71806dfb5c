import { createHash } from 'node:crypto'

/** Which records or alerts of a device were delivered. */
export interface Cursor {
  /**
   * Orders the cursors of a device; later ones are greater. It is the time at which the response was received, in ms
   * since 1970 UTC, or the previous sequence plus 1 if the host's clock was set back.
   */
  sequence: number
}

/** Which records of a device were delivered (docs/collecting.md, *Records*). */
export interface RecordCursor extends Cursor {
  /** The records of the last response, encoded by `encodeHeld`. */
  held: string
  /** For records with the same time and number: their keys, each with a hash of the values. */
  hashes: string[]
  /** Earlier records are not wanted, ms since 1970 UTC; `null` if all records are wanted. */
  since: number | null
  /** If `held` is empty: the time from which records must be complete, ms since 1970 UTC. */
  from: number | null
}

/** What a node remembers about a device's alert log (docs/collecting.md, *Alerts*). */
export interface AlertCursor extends Cursor {
  /** The texts of the last response, by `idOf`, newest last; also earlier ones if the response was short. */
  seen: string[]
  /** Nothing has been acknowledged yet, so entries that are not remembered were not lost. */
  isFirst?: true
}

/** A node polls only one of the two. */
export type CursorKind = 'records' | 'alerts'

export function kindOf(cursor: Cursor): CursorKind {
  return 'seen' in cursor ? 'alerts' : 'records'
}

/** Whether two cursors are equal except for their sequence. */
export function isSameExceptSequence(one: Cursor | null, other: Cursor): boolean {
  const text = (cursor: Cursor) => JSON.stringify(Object.entries({ ...cursor, sequence: 0 }).sort())
  return one !== null && text(one) === text(other)
}

/** Twelve characters of a hash identify a record or an alert, because cursors are saved and included in receipts. */
export function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 12)
}
