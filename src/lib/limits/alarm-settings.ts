import type { Condition } from './condition'

export interface AlarmSettings {
  /** Times after which a missing value and silence are alarms. Infinite if they are not watched. */
  errorAfterMs: number
  silentAfterMs: number
  /** Whether batteries are watched. */
  battery: boolean
  /** Time between reminders; 0 for none. */
  remindMs: number
}

export function watches(
  { errorAfterMs, silentAfterMs, battery }: AlarmSettings,
  kind: Condition['kind'],
): boolean {
  if (kind === 'error') return errorAfterMs < Number.POSITIVE_INFINITY
  if (kind === 'silent' || kind === 'no-data') return silentAfterMs < Number.POSITIVE_INFINITY
  return kind !== 'battery' || battery
}
