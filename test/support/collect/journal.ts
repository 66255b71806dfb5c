import type { Gap } from '../../../src/lib/readings/continuity'
import type { MeasuredRecord } from './device'

/** An answer of the newest records, and what the service had then. */
export interface ReceivedAnswer {
  records: MeasuredRecord[]
  stored: MeasuredRecord[]
  receivedAt: number
}

/** The events of a run, in order; oracles read them. */
export type JournalEntry =
  /** The latest answer. */
  | { kind: 'answered'; answer: ReceivedAnswer }
  | {
      kind: 'delivered'
      records: MeasuredRecord[]
      gaps: Gap[]
      isOverflow: boolean
      receipt: string | undefined
      /** Monotonic, ms. */
      at: number
    }
  /** A trigger went to its end, and what the service had then. */
  | { kind: 'completed'; stored: MeasuredRecord[]; requests: number }
  | { kind: 'failed'; code: string }
  /** A trigger found the receipt open. */
  | { kind: 'skipped'; requests: number }
  | { kind: 'forgotten' }
  /**
   * A sink has stored a delivery (an index of this journal), and its receipt was returned; sequences of the cursor, ms.
   */
  | { kind: 'acknowledged'; delivery: number; from: number; to: number }
  /** The process died, and continued with what was saved when the journal had this length. */
  | { kind: 'died'; at: number; hasCursor: boolean }
