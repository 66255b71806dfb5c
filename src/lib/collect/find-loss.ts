import { isSeries1 } from '../readings/device'
import { recordingInterval } from '../readings/recording-interval'
import type { Series } from '../readings/series'
import type { LostPeriod } from './holes'

/** Numbers of records that the service keeps of a device (docs/service.md, *Fields*). */
export const KEPT = { remote: 1500, series1: 80_000, others: 160_000 }
/** Some records may be unreadable, and the number of those after the period is an estimate. */
const TOLERANCE = { received: 1.01, later: 1.1 }

/**
 * The beginning of a period whose records the service no longer has: the period begins long before its first record, and
 * the service has as many records of the device since then as it keeps. Otherwise, the device has probably not
 * recorded before.
 * @param series all records of the period that the service has
 * @param period ms since 1970 UTC
 * @param receivedAt when they were received, ms since 1970 UTC
 */
export function findLoss(
  series: Series,
  { from, to }: LostPeriod,
  receivedAt: number,
  series1Models: readonly string[],
): LostPeriod | undefined {
  const records = series.records.filter(({ timestamp }) => timestamp !== null)
  const first = records[0]?.timestamp ?? null
  const intervalMs = recordingInterval(records)
  if (first === null || !intervalMs || first - from <= 2 * intervalMs) return undefined
  const later = Math.max(0, receivedAt - to) / intervalMs
  const held = records.length * TOLERANCE.received + later * TOLERANCE.later
  return held >= keptOf(series, series1Models) ? { from, to: first } : undefined
}

function keptOf(series: Series, series1Models: readonly string[]): number {
  if (!series.standalone) return KEPT.remote
  return isSeries1(series, series1Models) ? KEPT.series1 : KEPT.others
}
