export type BatteryLevel = 'replace-now' | 'replace-soon' | 'half' | 'low' | 'sufficient' | 'unknown'

export interface Battery {
  /** As the service sends it, 1 to 5; `null` if it sends none. */
  code: number | null
  level: BatteryLevel
}

/** Level by code, for standalone devices of series 1 and for all others (docs/service.md, *Fields*). */
const LEVELS: Record<number, readonly [series1: BatteryLevel, others: BatteryLevel]> = {
  1: ['replace-now', 'replace-now'],
  2: ['replace-soon', 'replace-now'],
  3: ['half', 'replace-now'],
  4: ['low', 'replace-soon'],
  5: ['sufficient', 'sufficient'],
}

/**
 * Determines the battery level. A standalone device whose model begins with one of `series1Models` belongs to series 1.
 * For all others, the levels warn earlier.
 */
export function readBattery(
  code: number | null,
  device: { standalone: boolean; model: string },
  series1Models: readonly string[],
): Battery {
  const isSeries1 = device.standalone && series1Models.some((prefix) => device.model.startsWith(prefix))
  const row = code === null ? undefined : LEVELS[code]
  return { code, level: row ? row[isSeries1 ? 0 : 1] : 'unknown' }
}
