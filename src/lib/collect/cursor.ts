import { createHash } from 'node:crypto'

/** Identifies the records or alerts of a device that were delivered. */
export interface Cursor {
  /**
   * Orders the cursors of a device: a later cursor has a greater sequence. It is the time at which the response was
   * received, in ms since 1970 UTC, or the previous sequence plus 1 if the host's clock was set back.
   */
  sequence: number
}

/** Identifies the records of a device that were delivered (docs/collecting.md, *Records*). */
export interface RecordCursor extends Cursor {
  /** The records of the last response, encoded by `encodeRecords`. */
  held: string
  /** For records with the same time and number: their keys, each with a hash of the values. */
  hashes: string[]
  /** Earlier records are not delivered, ms since 1970 UTC; `null` if all records are delivered. */
  since: number | null
  /** The time from which records must be complete, if `held` is empty, ms since 1970 UTC. */
  from: number | null
}

/** Identifies the alert texts of a device that were delivered (docs/collecting.md, *Alerts*). */
export interface AlertCursor extends Cursor {
  /**
   * The texts of the last response as `idOf` identifies them, newest last, preceded by earlier ones if there is room.
   */
  seen: string[]
  /** Set if nothing has been acknowledged yet, so that entries that are not in the cursor do not count as lost. */
  isFirst?: true
}

/** A node polls either records or alerts. */
export type CursorKind = 'records' | 'alerts'

export function kindOf(cursor: Cursor): CursorKind {
  return 'seen' in cursor ? 'alerts' : 'records'
}

/** Whether two cursors are equal except for their sequence. */
export function isSameExceptSequence(a: Cursor | null, b: Cursor): boolean {
  const text = (cursor: Cursor) => JSON.stringify(Object.entries({ ...cursor, sequence: 0 }).sort())
  return a !== null && text(a) === text(b)
}

/**
 * A hash that identifies a record or an alert. It has only twelve characters, because cursors are saved and included in
 * receipts.
 */
export function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 12)
}
