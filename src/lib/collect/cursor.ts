import { createHash } from 'node:crypto'

/** What counts as delivered of a device's records or alerts. */
export interface Cursor {
  /**
   * Orders the cursors of a device: a later one is greater. It is the time at which the cursor's answer was received,
   * in ms since 1970 UTC, or one more than the latest before if the host's clock was set back.
   */
  sequence: number
}

/** What counts as delivered of a device's records (docs/collecting.md, *Records*). */
export interface RecordCursor extends Cursor {
  /** The records of the last response, by `encodeHeld`. */
  held: string
  /** For records that time and number do not tell apart: their keys, each with a hash of the values. */
  hashes: string[]
  /** Earlier records are not wanted, ms since 1970 UTC; `null` if all are. */
  since: number | null
  /** If nothing is held: since when the records have to be complete, ms since 1970 UTC. */
  from: number | null
}

/** What a node remembers of a device's alert log (docs/collecting.md, *Alerts*). */
export interface AlertCursor extends Cursor {
  /** The texts of the last response, by `idOf`, the newest last; more from before if it was short. */
  seen: string[]
  /** Nothing was acknowledged yet: entries that are not remembered were not lost. */
  isFirst?: true
}

/** A node polls only one kind. */
export type CursorKind = 'records' | 'alerts'

export function kindOf(cursor: Cursor): CursorKind {
  return 'seen' in cursor ? 'alerts' : 'records'
}

/** Whether two cursors differ in nothing but their sequence. */
export function isSameBeyondSequence(one: Cursor | null, other: Cursor): boolean {
  const text = (cursor: Cursor) => JSON.stringify(Object.entries({ ...cursor, sequence: 0 }).sort())
  return one !== null && text(one) === text(other)
}

/** Twelve characters of a hash stand for a record or an alert, because cursors are saved and travel in receipts. */
export function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 12)
}
