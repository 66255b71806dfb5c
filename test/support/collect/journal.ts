import type { Gap } from '../../../src/lib/readings/continuity'
import type { MeasuredRecord } from './device'

/** What a first answer, or the one a hole was seen in, held; and how far the service was then. */
export interface ReceivedAnswer {
  records: MeasuredRecord[]
  /** Records there had been so far. */
  upTo: number
  receivedAt: number
  /** Its newest that is not ahead of the clock, ms, if there is one; and how far those before had reached. */
  newest: number | undefined
  reached: number
}

/** What came of a run, one after the other: oracles read it. */
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
  /** A sink has stored a delivery (an index of this journal), and its receipt came: the cursor was made then, ms. */
  | { kind: 'acknowledged'; delivery: number; from: number; to: number }
  /** The process died, and began again with what it had written when the journal was this long. */
  | { kind: 'died'; at: number; hasCursor: boolean }
