import type { Gap } from '../../../src/lib/readings/continuity'
import type { MeasuredRecord } from './device'

/** A response with the newest records, and the service's records at that time. */
export interface ReceivedResponse {
  records: MeasuredRecord[]
  stored: MeasuredRecord[]
  receivedAt: number
}

/** The events of a run, in order; oracles read them. */
export type JournalEntry =
  /** A latest response. */
  | { kind: 'answered'; response: ReceivedResponse }
  | {
      kind: 'delivered'
      records: MeasuredRecord[]
      gaps: Gap[]
      isOverflow: boolean
      receipt: string | undefined
      /** Monotonic, ms. */
      at: number
    }
  /** A trigger completed, with the service's records at that time. */
  | { kind: 'completed'; stored: MeasuredRecord[]; requests: number }
  | { kind: 'failed'; code: string }
  /** A trigger found the receipt pending. */
  | { kind: 'forgotten' }
  /**
   * A sink has stored a delivery (an index in this journal), and its receipt was returned; sequences of the cursor, ms.
   */
  | { kind: 'acknowledged'; delivery: number; from: number; to: number }
  /** The process died, and continued with the state that was saved when the journal had this length. */
  | { kind: 'died'; at: number; hasCursor: boolean }
