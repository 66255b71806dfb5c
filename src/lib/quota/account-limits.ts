import { type LimitsTable, limitRow } from '../../shared/service-limits'
import { type EndpointName, mapEndpoints } from '../endpoints'
import { createLimit, type RateLimit } from './window'

/** The limits of one endpoint: requests and, if the service counts them, records of each device. */
export interface EndpointLimits {
  requests: RateLimit
  records: RateLimit | null
}

export type AccountLimits = Record<EndpointName, EndpointLimits>

/** The service's table of limits with the values that an account's `limits` replace. */
export function limitsWith(overrides?: LimitsTable): AccountLimits {
  return mapEndpoints((name) => {
    const { limit, window, records, recordsWindow } = limitRow(name, overrides)
    return {
      requests: createLimit(limit, window),
      records: records && recordsWindow ? createLimit(records, recordsWindow) : null,
    }
  })
}

/**
 * Combines the limits of account nodes with the same API key, which may have different settings. Each limit is the one
 * that allows the least over time.
 */
export function strictestOf(tables: readonly AccountLimits[]): AccountLimits {
  return mapEndpoints((name) => ({
    requests: strictest(tables.map((table) => table[name].requests)) as RateLimit,
    records: strictest(tables.flatMap((table) => table[name].records ?? [])) ?? null,
  }))
}

function strictest(limits: readonly RateLimit[]): RateLimit | undefined {
  const perSecond = ({ limit, windowSeconds }: RateLimit) => limit / windowSeconds
  return [...limits].sort((a, b) => perSecond(a) - perSecond(b) || a.limit - b.limit)[0]
}
