import { countOf } from '../readings/content'
import type { Backfill } from './backfill'
import type { DeliveryState } from './delivery'
import type { Collected } from './fetch'

/** Records and alerts that all nodes of a process keep in memory: of unfinished backfills, and until receipts arrive. */
export interface RetainedCount {
  count: number
}

/** Records and alerts beyond this are requested again (docs/collecting.md, *Bounds*). */
export const MAX_RETAINED = 100_000

/** A delivery that is kept in memory until its receipt arrives. */
export interface RetainedDelivery extends Omit<Collected, 'failed'> {
  /** Older records or alerts were lost, or could not be fetched. */
  overflow?: boolean
}

export type DeviceDeliveryState = DeliveryState<Backfill, RetainedDelivery>

/** Records and alerts of a device that are kept in memory. */
export function countRetained(state: DeviceDeliveryState | undefined): number {
  if (!state) return 0
  const { phase } = state
  if (phase.name === 'backfilling') {
    const { received, paging } = phase.backfill
    return paging.parts.reduce((sum, { records }) => sum + records.length, received.series.records.length)
  }
  return 'retained' in phase && phase.retained ? countOf(phase.retained.content) : 0
}
