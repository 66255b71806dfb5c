/** The service's limits (docs/service.md, *Limits*), and which of them the account's setting `limits` may replace. */

/** Requests per window, and records of one device per window of their own; both windows in seconds. */
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

/** Longest window of a limit. */
export const MAX_WINDOW_SECONDS = 86_400

const REQUEST_KEYS = ['limit', 'window'] as const
const RECORD_KEYS = ['records', 'recordsWindow'] as const

export type LimitsTable = Partial<Record<LimitedEndpoint, Partial<LimitRow>>>

/** True for a valid value of the setting `limits`: JSON, or blank. */
export function isLimits(text: string): boolean {
  return text.trim() === '' || readLimits(text) !== undefined
}

/** The rows that the setting `limits` replaces; `undefined` where it is not valid JSON or has an unknown key. */
export function readLimits(text: string): LimitsTable | undefined {
  try {
    const table: unknown = JSON.parse(text)
    return isObject(table) && Object.entries(table).every(isRow) ? (table as LimitsTable) : undefined
  } catch {
    return undefined
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function isRow([endpoint, row]: [string, unknown]): boolean {
  const known: LimitRow | undefined = LIMITS[endpoint as LimitedEndpoint]
  if (!Object.hasOwn(LIMITS, endpoint) || !isObject(row)) return false
  const keys: readonly string[] =
    known.records === undefined ? REQUEST_KEYS : [...REQUEST_KEYS, ...RECORD_KEYS]
  return Object.entries(row).every(([key, value]) => {
    const max = key.toLowerCase().endsWith('window') ? MAX_WINDOW_SECONDS : Number.MAX_SAFE_INTEGER
    return keys.includes(key) && Number.isInteger(value) && Number(value) >= 1 && Number(value) <= max
  })
}
