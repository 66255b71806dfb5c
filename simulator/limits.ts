import { type EndpointName, endpointNames, endpoints } from './endpoints'

/** The limits of an endpoint: requests per window and, if records are counted, records of a device per window (s). */
export interface EndpointLimits {
  limit?: number
  window?: number
  records?: number
  recordsWindow?: number
}

export type Limits = Partial<Record<EndpointName, EndpointLimits>>

export type LimitTable = Readonly<Record<EndpointName, Required<EndpointLimits>>>

/** Limits that are never reached. The headers report these numbers. */
const off: Required<EndpointLimits> = {
  limit: 1_000_000,
  window: 1,
  records: 1_000_000_000,
  recordsWindow: 1,
}

/** The described limits (docs/service.md, *Limits*), overridden by the options. */
export function limitTable(limits: Limits | 'off'): LimitTable {
  const rows = endpointNames.map((name) => {
    const described = endpoints[name]
    const row: Required<EndpointLimits> = {
      limit: described.limit,
      window: described.window,
      records: described.recordQuota?.records ?? off.records,
      recordsWindow: described.recordQuota?.window ?? off.recordsWindow,
    }
    return [name, limits === 'off' ? off : { ...row, ...limits[name] }] as const
  })
  return Object.fromEntries(rows) as unknown as LimitTable
}
