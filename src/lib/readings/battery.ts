export type BatteryLevel = 'replace-now' | 'replace-soon' | 'half' | 'low' | 'sufficient' | 'unknown'

export interface Battery {
  /** As the service counts; `null` where none was sent. */
  code: number | null
  level: BatteryLevel
}

/** Code → level: standalone devices of series 1; relay units and series 2 (docs/service.md, *Fields*). */
const levels: Record<number, readonly [series1: BatteryLevel, others: BatteryLevel]> = {
  1: ['replace-now', 'replace-now'],
  2: ['replace-soon', 'replace-now'],
  3: ['half', 'replace-now'],
  4: ['low', 'replace-soon'],
  5: ['sufficient', 'sufficient'],
}

/**
 * The first column holds for standalone devices whose model begins with one of `series1Models`; everything
 * else takes the second, which is the more cautious.
 */
export function readBattery(
  code: number | null,
  device: { standalone: boolean; model: string },
  series1Models: readonly string[],
): Battery {
  const series1 = device.standalone && series1Models.some((beginning) => device.model.startsWith(beginning))
  const row = code === null ? undefined : levels[code]
  return { code, level: row ? row[series1 ? 0 : 1] : 'unknown' }
}
