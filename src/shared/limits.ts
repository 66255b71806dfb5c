/** The service's limits (docs/service.md, *Limits*), and what the account's `limits` may replace of them. */

/** Requests allowed in a window of so many seconds, and records of one device in a window of their own. */
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
  /** For all devices of an account together. */
  alert: { limit: 12, window: 3600 },
} as const satisfies Record<string, LimitRow>

export type LimitedEndpoint = keyof typeof LIMITS

/** Longest window of a limit in seconds. */
export const MAX_WINDOW_SECONDS = 86_400

const REQUEST_KEYS = ['limit', 'window'] as const
const RECORD_KEYS = ['records', 'recordsWindow'] as const

export type LimitsTable = Partial<Record<LimitedEndpoint, Partial<LimitRow>>>

/** True for JSON that `limits` may hold; blank is none. */
export function isLimits(text: string): boolean {
  return text.trim() === '' || readLimits(text) !== undefined
}

/** The rows that `limits` replaces; nothing where it cannot be read, or names what there is not. */
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
    const most = key.toLowerCase().endsWith('window') ? MAX_WINDOW_SECONDS : Number.MAX_SAFE_INTEGER
    return keys.includes(key) && Number.isInteger(value) && Number(value) >= 1 && Number(value) <= most
  })
}
