import type { Gap } from '../readings/continuity'
import type { Hole } from './holes'

/** Identifies the records of a device that were delivered (docs/collecting.md, *Records*). */
export interface RecordCursor {
  /** The records of the last response, and later ones that it did not contain, encoded by `encodeRecords`. */
  held: string
  /** For records with the same time and number: their keys, each with a hash of the values. */
  hashes: string[]
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
