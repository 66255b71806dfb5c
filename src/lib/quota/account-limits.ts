import { type LimitsTable, limitRow } from '../../shared/service-limits'
import { type EndpointName, mapEndpoints } from '../endpoints'
import { createLimit, type OwnLimits, type RateLimit } from './window'

/**
 * The limits of one endpoint: of requests and, if the service counts them, of the records of each device. All of them
 * apply at the same time.
 */
export interface EndpointLimits {
  requests: OwnLimits
  records: OwnLimits | null
}

export type AccountLimits = Record<EndpointName, EndpointLimits>

/** The service's table of limits with the values that an account's `limits` replace. */
export function limitsWith(overrides?: LimitsTable): AccountLimits {
  return mapEndpoints((name) => {
    const { limit, window, records, recordsWindow } = limitRow(name, overrides)
    return {
      requests: [createLimit(limit, window)],
      records: records && recordsWindow ? [createLimit(records, recordsWindow)] : null,
    }
  })
}

/**
 * All limits of account nodes with the same API key, which may have different settings: each different one once, and
 * those that allow less over time first.
 */
export function allOf(tables: readonly AccountLimits[]): AccountLimits {
  return mapEndpoints((name) => ({
    requests: distinct(tables.flatMap((table) => table[name].requests)) as OwnLimits,
    records: distinct(tables.flatMap((table) => table[name].records ?? [])),
  }))
}

function distinct(limits: readonly RateLimit[]): OwnLimits | null {
  const perMs = ({ limit, heldMs }: RateLimit) => limit / heldMs
  const byText = new Map(limits.map((limit) => [`${limit.limit} ${limit.windowSeconds}`, limit]))
  const [first, ...others] = [...byText.values()].sort((a, b) => perMs(a) - perMs(b) || a.limit - b.limit)
  return first ? [first, ...others] : null
}
