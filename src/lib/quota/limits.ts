import { type Endpoint, type EndpointName, endpoints } from '../api/endpoints'
import type { RateLimit } from './window-limiter'

/** The limits of one endpoint: requests, and records of one device where they are counted. */
export interface EndpointLimits {
  requests: RateLimit
  records: RateLimit | null
}

export type Rows = Record<EndpointName, EndpointLimits>

/** What an account's `limits` may replace, by endpoint (nodes.md, *envlog-account*). */
export type LimitsSetting = Partial<Record<EndpointName, LimitsRow>>
export interface LimitsRow {
  limit?: number | undefined
  window?: number | undefined
  records?: number | undefined
  recordsWindow?: number | undefined
}

export const ENDPOINT_NAMES = Object.keys(endpoints) as EndpointName[]

/** The description's table (*Limits*) with what an account's settings replace. */
export function limitsWith(limits: LimitsSetting = {}): Rows {
  return mapEndpoints((name) => {
    const row: Endpoint = endpoints[name]
    const { limit = row.limit, window = row.window, ...set } = limits[name] ?? {}
    const { records = row.records, recordsWindow = row.recordsWindow } = set
    const counted = records !== undefined && recordsWindow !== undefined
    return {
      requests: { limit, window },
      records: counted ? { limit: records, window: recordsWindow } : null,
    }
  })
}

/** Several nodes for one account may say different things: the most cautious of all holds. */
export function strictestOf(tables: readonly Rows[]): Rows {
  return mapEndpoints((name) => ({
    requests: cautious(tables.map((rows) => rows[name].requests)),
    records: limitsWith()[name].records && cautious(tables.flatMap((rows) => rows[name].records ?? [])),
  }))
}

function cautious(rows: readonly RateLimit[]): RateLimit {
  return {
    limit: Math.min(...rows.map(({ limit }) => limit)),
    window: Math.max(...rows.map(({ window }) => window)),
  }
}

export function mapEndpoints<T>(make: (name: EndpointName) => T): Record<EndpointName, T> {
  return Object.fromEntries(ENDPOINT_NAMES.map((name) => [name, make(name)])) as Record<EndpointName, T>
}
