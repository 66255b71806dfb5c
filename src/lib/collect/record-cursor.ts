import { createHash } from 'node:crypto'
import type { TimeStyle } from '../decode/time'
import type { Series } from '../readings/series'
import type { Cursor } from './delivery'

/** What of a device's records counts as delivered (docs/collecting.md, *Records*). */
export interface RecordCursor extends Cursor {
  /** The records of the last response, by `encodeHeld`. */
  held: string
  /** Of records that time and number do not tell apart: their keys, each with a hash of the values. */
  hashes: string[]
  /** Earlier records are not wanted, ms since 1970 UTC; `null` where all are. */
  since: number | null
  /** Where nothing is held: since when the records have to be complete, ms since 1970 UTC. */
  from: number | null
}

/** What a node without a cursor delivers of its first answer: all it holds, nothing, or what is since a time, ms. */
export type Start = 'all' | 'now' | { since: number }

/** The records of an answer, with those that were fetched before it. */
export interface ReceivedRecords {
  series: Series
  /** When the answer arrived, ms since 1970 UTC. */
  receivedAt: number
  /** The response was full: there may be earlier records. */
  isFull: boolean
  /** How many records a full response has. */
  most: number
  /** Sequence of the cursor that is made from it. */
  sequence: number
  /** How times are written, for a gap after a record that is not in the answer. */
  time: TimeStyle
}

/** Twelve characters of a hash stand for a record or an alert, because cursors are saved and travel in receipts. */
export function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 12)
}
