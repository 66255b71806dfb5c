import { type Device, isSeries1 } from './device'

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

const URGENCY = new Map([
  ['replace-soon', 1],
  ['replace-now', 2],
])

/** How urgently a battery must be replaced: 0 if not, 1 soon, 2 now. @param level any text */
export const urgencyOf = (level: string | null): number => URGENCY.get(level ?? '') ?? 0

/** Whether the meaning of a code is known. */
export const isBatteryCode = (code: number): boolean => code in LEVELS

/**
 * Determines the battery level. For devices that are not known to belong to series 1, the levels warn earlier.
 */
export function readBattery(
  code: number | null,
  device: Pick<Device, 'standalone' | 'model'>,
  series1Models: readonly string[],
): Battery {
  const row = code === null ? undefined : LEVELS[code]
  return { code, level: row ? row[isSeries1(device, series1Models) ? 0 : 1] : 'unknown' }
}
