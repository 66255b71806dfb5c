import { isSeries1 } from '../readings/device'
import { medianInterval } from '../readings/median-interval'
import type { Series } from '../readings/series'
import type { LostPeriod } from './holes'

/** Numbers of records that the service keeps of a device (docs/service.md, *Fields*). */
const KEPT = { remote: 1500, series1: 80_000, others: 160_000 }
/** The share of these that a device has at least if the service has already deleted older ones. */
const FULL = 0.9

/**
 * The beginning of a period whose records the service no longer has: the period begins long before its first record, and
 * the service has about as many records of the device since then as it keeps. Otherwise, the device has probably not
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
  const intervalMs = medianInterval(records)
  if (first === null || !intervalMs || first - from <= 2 * intervalMs) return undefined
  const later = Math.max(0, receivedAt - to) / intervalMs
  return records.length + later >= FULL * keptOf(series, series1Models) ? { from, to: first } : undefined
}

function keptOf(series: Series, series1Models: readonly string[]): number {
  if (!series.standalone) return KEPT.remote
  return isSeries1(series, series1Models) ? KEPT.series1 : KEPT.others
}
