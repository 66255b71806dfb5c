/**
 * The endpoints of the service (docs/service.md, *Requests* and *Limits*). All differences between them are in this
 * file, except their limits, which the forms use too (`shared/service-limits.ts`). CONTRIBUTING.md, *Changes*,
 * explains how to add an endpoint.
 */

export type OutputType = 'json' | 'csv' | 'csv2'

export interface Endpoint {
  /** The kind of envelope that a response is decoded to. */
  envelope: 'current' | 'graph' | 'alert'
  /** The devices it serves, as a key in the catalogs (`serves.<kind>`). */
  serves: 'all' | 'standalone' | 'relay' | 'alerting'
  /**
   * Maximum number of retries, even if the account allows more. It exists for `alert`, which allows only 12 requests
   * per hour.
   */
  retries?: number
}

export const endpoints = {
  current: { envelope: 'current', serves: 'all' },
  'latest-data': { envelope: 'graph', serves: 'standalone' },
  'latest-data-relay': { envelope: 'graph', serves: 'relay' },
  data: { envelope: 'graph', serves: 'standalone' },
  'data-relay': { envelope: 'graph', serves: 'relay' },
  alert: { envelope: 'alert', serves: 'alerting', retries: 1 },
} as const satisfies Record<string, Endpoint>

export type EndpointName = keyof typeof endpoints

export const ENDPOINT_NAMES = Object.keys(endpoints) as EndpointName[]

/** Creates a value for each endpoint. */
export function mapEndpoints<T>(make: (name: EndpointName) => T): Record<EndpointName, T> {
  return Object.fromEntries(ENDPOINT_NAMES.map((name) => [name, make(name)])) as Record<EndpointName, T>
}

/**
 * Maximum number of records in a request and in a response. The service reduces a larger number to this
 * (docs/service.md, *Fields*).
 */
export const MAX_RECORDS = 65_535
/** Maximum number of records in a *latest* response (docs/service.md, *Fields*). */
export const MAX_LATEST_RECORDS = 300
/** Maximum number of entries in an alert log (docs/service.md, *Fields*). */
export const MAX_ALERTS = 20

/** The path of an endpoint, relative to the service address. Names of relay endpoints end in the usual suffix. */
export function buildPath(name: EndpointName, relaySuffix: string): string {
  return `/v1/devices/${name.replace(/relay$/, relaySuffix)}`
}

/** Parameters of `current`: any number of serials of either kind, but not of both. */
export interface CurrentParams {
  'remote-serial'?: readonly string[]
  'base-serial'?: readonly string[]
}

/** Parameters of the endpoints for one device. */
export interface DeviceParams {
  'remote-serial': string
  'base-serial'?: string
  'unixtime-from'?: number
  'unixtime-to'?: number
  number?: number
  type?: OutputType
}

export type ParamsOf<E extends EndpointName> = E extends 'current' ? CurrentParams : DeviceParams
