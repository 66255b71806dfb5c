import type { Gap } from '../../../src/lib/readings/continuity'
import type { MeasuredRecord } from './device'
import type { NodeEntry } from './simulated-node'

/** A response with the newest records, and the service's records at that time. */
export interface ReceivedResponse {
  records: MeasuredRecord[]
  stored: MeasuredRecord[]
  receivedAt: number
}

/** The events of a run, in order; oracles read them. */
export type JournalEntry =
  | NodeEntry
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
