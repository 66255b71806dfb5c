export type BatteryLevel = 'replace-now' | 'replace-soon' | 'half' | 'low' | 'sufficient' | 'unknown'

export interface Battery {
  /** As the service sends it; `null` if it sends none. */
  code: number | null
  level: BatteryLevel
}

/** The known codes and their levels, for series 1 and for all other devices (docs/messages.md, *Battery*). */
const LEVELS: Record<number, readonly [series1: BatteryLevel, others: BatteryLevel]> = {
  1: ['replace-now', 'replace-now'],
  2: ['replace-soon', 'replace-now'],
  3: ['half', 'replace-now'],
  4: ['low', 'replace-soon'],
  5: ['sufficient', 'sufficient'],
}

/** Whether the meaning of a code is known. */
export const isBatteryCode = (code: number | null): boolean => code !== null && code in LEVELS

/**
 * Determines the battery level. A standalone device whose model begins with one of `series1Models` belongs to series 1.
 * For all other devices, the levels warn earlier.
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
