import { LIMITS, type LimitRow, type LimitsTable } from '../../shared/service-limits'
import { type EndpointName, mapEndpoints } from '../endpoints'

/** Maximum margin added to a window, and the margin relative to a short window. */
const MAX_MARGIN_MS = 1000
const MARGIN_SHARE = 1 / 50

/** At most `limit` requests, or records, in any window of this length. */
export interface RateLimit {
  limit: number
  windowSeconds: number
  /**
   * The time for which a permit is occupied after the response. It is the window plus a margin (docs/quota.md, *How
   * requests are counted*), which covers differences between the service's clock and ours.
   */
  heldMs: number
}

export function createLimit(limit: number, windowSeconds: number): RateLimit {
  const windowMs = windowSeconds * 1000
  return { limit, windowSeconds, heldMs: windowMs + Math.min(MAX_MARGIN_MS, windowMs * MARGIN_SHARE) }
}

/** The limits of one endpoint: requests and, if the service counts them, records of each device. */
export interface EndpointLimits {
  requests: RateLimit
  records: RateLimit | null
}

export type AccountLimits = Record<EndpointName, EndpointLimits>

/** The service's table of limits (docs/service.md, *Limits*), overridden key by key by an account's `limits`. */
export function limitsWith(overrides: LimitsTable = {}): AccountLimits {
  return mapEndpoints((name) => {
    const row: LimitRow = { ...LIMITS[name], ...overrides[name] }
    const { limit, window, records, recordsWindow } = row
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
