import { type Endpoint, type EndpointName, endpoints } from '../api/endpoints'
import type { Row } from './window-limiter'

/** The limits of one endpoint: requests, and records of one device where they are counted. */
export interface EndpointRows {
  requests: Row
  records: Row | null
}

export type Rows = Record<EndpointName, EndpointRows>

/** What an account's `limits` may replace, by endpoint (nodes.md, *envlog-account*). */
export type LimitsSetting = Partial<Record<EndpointName, LimitsRow>>
export interface LimitsRow {
  limit?: number | undefined
  window?: number | undefined
  records?: number | undefined
  recordsWindow?: number | undefined
}

export const endpointNames = Object.keys(endpoints) as EndpointName[]

/** The description's table (*Limits*) with what an account's settings replace. */
export function rowsWith(limits: LimitsSetting = {}): Rows {
  return byEndpoint((name) => {
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
export function mostCautious(tables: readonly Rows[]): Rows {
  return byEndpoint((name) => ({
    requests: cautious(tables.map((rows) => rows[name].requests)),
    records: rowsWith()[name].records && cautious(tables.flatMap((rows) => rows[name].records ?? [])),
  }))
}

function cautious(rows: readonly Row[]): Row {
  return {
    limit: Math.min(...rows.map(({ limit }) => limit)),
    window: Math.max(...rows.map(({ window }) => window)),
  }
}

export function byEndpoint<T>(make: (name: EndpointName) => T): Record<EndpointName, T> {
  return Object.fromEntries(endpointNames.map((name) => [name, make(name)])) as Record<EndpointName, T>
}
