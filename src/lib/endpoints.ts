/**
 * The endpoints of the service (docs/service.md, *Requests* and *Limits*). All differences between them are columns of
 * this table, except their limits, which the forms use too (`shared/service-limits.ts`). CONTRIBUTING.md, *Changes*,
 * explains how to add an endpoint.
 */

export type OutputType = 'json' | 'csv' | 'csv2'

export interface Endpoint {
  /** The path under `/v1/devices/`, without the relay suffix. */
  path: string
  /** Whether the path ends in the relay suffix of the account. */
  relay: boolean
  /**
   * Maximum number of retries, even if the account allows more. It exists for `alert`, which allows only 12 requests
   * per hour.
   */
  retries?: number
  /** Parameters in addition to the credentials. For `current`, serials are arrays. */
  parameters: readonly Parameter[]
  types: readonly OutputType[]
  /** The kind of envelope that a response is decoded to. */
  envelope: 'current' | 'graph' | 'alert'
  /** The devices it serves, as a key in the catalogs (`serves.<kind>`). */
  serves: 'all' | 'standalone' | 'relay' | 'alerting'
}

export type Parameter = 'remote-serial' | 'base-serial' | 'unixtime-from' | 'unixtime-to' | 'number' | 'type'

export const endpoints = {
  current: {
    path: 'current',
    relay: false,
    parameters: ['remote-serial', 'base-serial'],
    types: ['json'],
    envelope: 'current',
    serves: 'all',
  },
  'latest-data': {
    path: 'latest-data',
    relay: false,
    parameters: ['remote-serial', 'type'],
    types: ['json', 'csv', 'csv2'],
    envelope: 'graph',
    serves: 'standalone',
  },
  'latest-data-relay': {
    path: 'latest-data',
    relay: true,
    parameters: ['remote-serial', 'base-serial', 'type'],
    types: ['json', 'csv', 'csv2'],
    envelope: 'graph',
    serves: 'relay',
  },
  data: {
    path: 'data',
    relay: false,
    parameters: ['remote-serial', 'unixtime-from', 'unixtime-to', 'number', 'type'],
    types: ['json', 'csv', 'csv2'],
    envelope: 'graph',
    serves: 'standalone',
  },
  'data-relay': {
    path: 'data',
    relay: true,
    parameters: ['remote-serial', 'base-serial', 'unixtime-from', 'unixtime-to', 'number', 'type'],
    types: ['json', 'csv', 'csv2'],
    envelope: 'graph',
    serves: 'relay',
  },
  alert: {
    path: 'alert',
    relay: false,
    retries: 1,
    parameters: ['remote-serial', 'base-serial'],
    types: ['json'],
    envelope: 'alert',
    serves: 'alerting',
  },
} as const satisfies Record<string, Endpoint>

export type EndpointName = keyof typeof endpoints

/**
 * Maximum number of records in a request and in a response. The service reduces a larger number to this
 * (docs/service.md, *Fields*).
 */
export const MAX_RECORDS = 65_535
/** Maximum number of records in a *latest* response (docs/service.md, *Fields*). */
export const MAX_LATEST_RECORDS = 300
/** Maximum number of entries in an alert log (docs/service.md, *Fields*). */
export const MAX_ALERTS = 20

/** The path of an endpoint, relative to the service address. */
export function buildPath(name: EndpointName, relaySuffix: string): string {
  const { path, relay } = endpoints[name]
  return `/v1/devices/${path}${relay ? `-${relaySuffix}` : ''}`
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
