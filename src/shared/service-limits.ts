/** The service's limits (docs/service.md, *Limits*). */

/** Requests per `window`, and records of one device per `recordsWindow`. Windows are in seconds. */
export interface LimitRow {
  limit: number
  window: number
  records?: number
  recordsWindow?: number
}

const RECORDS = { limit: 20, window: 60, records: 160_000, recordsWindow: 3600 }

export const LIMITS = {
  current: { limit: 10, window: 120 },
  'latest-data': { limit: 60, window: 60 },
  'latest-data-relay': { limit: 60, window: 60 },
  data: RECORDS,
  'data-relay': RECORDS,
  /** Shared by all devices of an account. */
  alert: { limit: 12, window: 3600 },
} as const satisfies Record<string, LimitRow>

export type LimitedEndpoint = keyof typeof LIMITS

/** Longest window that is accepted in settings and response headers. */
export const MAX_WINDOW_SECONDS = 86_400

/** The values that replace those of `LIMITS`, from the account's setting `limits`. */
export type LimitsTable = Partial<Record<LimitedEndpoint, Partial<LimitRow>>>

/** The row of `LIMITS` with the values that `limits` replaces. */
export function limitRow(endpoint: LimitedEndpoint, limits: LimitsTable = {}): LimitRow {
  return { ...LIMITS[endpoint], ...limits[endpoint] }
}
