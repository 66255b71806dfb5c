/**
 * The six endpoints (docs/service.md, *Requests* and *Limits*). Everything that differs between them is a
 * column here; adding an endpoint is adding a row, a schema in `envelopes.ts` if its answer is of a new kind,
 * and a reader.
 */

import { LIMITS, type LimitRow } from '../shared/limits'

export type OutputType = 'json' | 'csv' | 'csv2'

export interface Endpoint extends LimitRow {
  /** Last part of the path under `/v1/devices/`; relay paths end in the account's suffix. */
  path: string
  relay: boolean
  /** Further tries at most, whatever the account allows: alerts are 12 an hour. */
  retries?: number
  /** Parameters beyond the credentials; serials are arrays for `current` only. */
  parameters: readonly Parameter[]
  types: readonly OutputType[]
  /** Which schema reads its answer. */
  answer: 'current' | 'graph' | 'alert'
  /** Which kinds of device it serves: a key of the catalogs (`serves.<kind>`). */
  serves: 'all' | 'standalone' | 'relay' | 'alerting'
}

export type Parameter = 'remote-serial' | 'base-serial' | 'unixtime-from' | 'unixtime-to' | 'number' | 'type'

export const endpoints = {
  current: {
    ...LIMITS.current,
    path: 'current',
    relay: false,
    parameters: ['remote-serial', 'base-serial'],
    types: ['json'],
    answer: 'current',
    serves: 'all',
  },
  'latest-data': {
    ...LIMITS['latest-data'],
    path: 'latest-data',
    relay: false,
    parameters: ['remote-serial', 'type'],
    types: ['json', 'csv', 'csv2'],
    answer: 'graph',
    serves: 'standalone',
  },
  'latest-data-relay': {
    ...LIMITS['latest-data-relay'],
    path: 'latest-data',
    relay: true,
    parameters: ['remote-serial', 'base-serial', 'type'],
    types: ['json', 'csv', 'csv2'],
    answer: 'graph',
    serves: 'relay',
  },
  data: {
    ...LIMITS.data,
    path: 'data',
    relay: false,
    parameters: ['remote-serial', 'unixtime-from', 'unixtime-to', 'number', 'type'],
    types: ['json', 'csv', 'csv2'],
    answer: 'graph',
    serves: 'standalone',
  },
  'data-relay': {
    ...LIMITS['data-relay'],
    path: 'data',
    relay: true,
    parameters: ['remote-serial', 'base-serial', 'unixtime-from', 'unixtime-to', 'number', 'type'],
    types: ['json', 'csv', 'csv2'],
    answer: 'graph',
    serves: 'relay',
  },
  alert: {
    ...LIMITS.alert,
    path: 'alert',
    relay: false,
    retries: 1,
    parameters: ['remote-serial', 'base-serial'],
    types: ['json'],
    answer: 'alert',
    serves: 'alerting',
  },
} as const satisfies Record<string, Endpoint>

export type EndpointName = keyof typeof endpoints

/** The most records that a request can ask for, and that an answer holds: more is treated as this (docs/service.md, *Fields*). */
export const MAX_RECORDS = 65_535
/** Entries of an alert log at most (endpoint 6). */
export const MAX_ALERTS = 20
/** Records a request returns at most where no number is given (endpoint 4, rule 3): our page. */
export const PAGE_RECORDS = 16_000

export function buildPath(name: EndpointName, relaySuffix: string): string {
  const { path, relay } = endpoints[name]
  return `/v1/devices/${path}${relay ? `-${relaySuffix}` : ''}`
}

/** Serial parameters as `current` takes them: several, and never both kinds in one request. */
export interface CurrentParams {
  'remote-serial'?: readonly string[]
  'base-serial'?: readonly string[]
}

/** Parameters of the endpoints that answer for one device. */
export interface DeviceParams {
  'remote-serial': string
  'base-serial'?: string
  'unixtime-from'?: number
  'unixtime-to'?: number
  number?: number
  type?: OutputType
}

export type ParamsOf<E extends EndpointName> = E extends 'current' ? CurrentParams : DeviceParams
