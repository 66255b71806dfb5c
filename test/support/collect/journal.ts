import type { Gap } from '../../../src/lib/readings/continuity'
import type { MeasuredRecord } from './device'
import type { NodeEntry } from './simulated-node'

/** A response with the newest records, and the service's records at that time. */
export interface ReceivedResponse {
  records: MeasuredRecord[]
  stored: MeasuredRecord[]
  /** Number of records that were measured before. */
  measured: number
  receivedAt: number
  /** Whether it came from a replica that lacked records. */
  isOld: boolean
}

/** The events of a run, in order; oracles read them. */
export type JournalEntry =
  | NodeEntry
  /** A latest response. */
  | { kind: 'answered'; response: ReceivedResponse }
  /** A page was requested. */
  | { kind: 'page' }
  | {
      kind: 'delivered'
      records: MeasuredRecord[]
      gaps: Gap[]
      isOverflow: boolean
      isBackfill: boolean
      receipt: string | undefined
      /** Monotonic, ms. */
      at: number
    }
  /** The failure of a page was reported. */
  | { kind: 'reported'; reason: string }
  /** A trigger completed, with the service's records at that time. */
  | { kind: 'completed'; stored: MeasuredRecord[]; requests: number }
