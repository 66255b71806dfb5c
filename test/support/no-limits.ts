import type { Simulator } from '../../simulator'
import { LIMITS } from '../../src/shared/service-limits'

/**
 * Account limits that are never reached. A refusal because of an error in a test closes them for a second, not an hour.
 */
export const NO_LIMITS = JSON.stringify(
  Object.fromEntries(
    Object.entries(LIMITS).map(([name, row]) => [
      name,
      { limit: 1_000_000, window: 1, ...('records' in row && { records: 1_000_000_000, recordsWindow: 1 }) },
    ]),
  ),
)

/** Account limits equal to those of the service, because the stricter ones apply. */
export function limitsOf({ options: { limits } }: Simulator): string {
  return limits === 'off' ? NO_LIMITS : JSON.stringify(limits)
}
