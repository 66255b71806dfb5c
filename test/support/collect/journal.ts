import type { Gap } from '../../../src/lib/readings/continuity'
import type { MeasuredRecord } from './device'

/** A first answer, or one that showed a gap: its records, and the state of the service then. */
export interface ReceivedAnswer {
  records: MeasuredRecord[]
  /** Records there had been so far. */
  upTo: number
  receivedAt: number
  /** Its newest that is not ahead of the clock, ms, if there is one; and how far those before had reached. */
  newest: number | undefined
  reached: number
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
  /** A trigger went to its end; the service kept what is not older than this. */
  | { kind: 'completed'; keptFrom: number; requests: number }
  | { kind: 'failed'; code: string }
  /** A trigger found the receipt open. */
  | { kind: 'skipped'; requests: number }
  | { kind: 'warned' }
  | { kind: 'forgotten' }
  /**
   * A sink has stored a delivery (an index of this journal), and its receipt was returned; sequences of the cursor, ms.
   */
  | { kind: 'acknowledged'; delivery: number; from: number; to: number }
  /** The process died, and continued with what was saved when the journal had this length. */
  | { kind: 'died'; at: number; hasCursor: boolean }
