/**
 * The six endpoints as one table: paths, parameters, limits, and the style of each response.
 * Source: docs/service.md, *Requests*, *Limits*, *Fields*.
 */

export const endpointNames = [
  'current',
  'latest-data',
  'latest-data-relay',
  'data',
  'data-relay',
  'alert',
] as const

export type EndpointName = (typeof endpointNames)[number]

/** The type of a parameter. */
export type ParameterRule = 'serial' | 'serials' | 'time' | 'count' | readonly string[]

/** How an endpoint writes numbers, names and offsets (docs/service.md, *Fields*). */
export interface Style {
  numbers: 'number' | 'text'
  spelling: 'hyphen' | 'underscore'
  /** dst-flg is returned, and dst-bias is always 60 */
  dstFlag: boolean
  /** the number that stands for ch1 */
  channelBase: 0 | 1
  /** channels above this number are not returned */
  channels: number
  /** device fields are named remote-serial and so on, and accompanied by those of the base unit */
  withBase: boolean
}

export interface Endpoint {
  /** path after /v1/devices/; a trailing `relay` is replaced by the configured suffix */
  path: string
  required: readonly string[]
  parameters: Readonly<Record<string, ParameterRule>>
  limit: number
  window: number
  /** records of a device per window (s), if they are counted */
  budget?: { records: number; window: number }
  style: Style
}

const allTypes = ['json', 'csv', 'csv2']
const period = { 'unixtime-from': 'time', 'unixtime-to': 'time', number: 'count', type: allTypes } as const
const budget = { records: 160_000, window: 3600 }

// The spelling of data and latest-data is undocumented; underscores were observed.
const standalone: Style = {
  numbers: 'number',
  spelling: 'underscore',
  dstFlag: false,
  channelBase: 0,
  channels: 2,
  withBase: false,
}
const relay: Style = {
  numbers: 'number',
  spelling: 'hyphen',
  dstFlag: false,
  channelBase: 1,
  channels: 4,
  withBase: true,
}

export const endpoints: Readonly<Record<EndpointName, Endpoint>> = {
  current: {
    path: 'current',
    required: [],
    parameters: { 'remote-serial': 'serials', 'base-serial': 'serials' },
    limit: 10,
    window: 120,
    style: { ...standalone, numbers: 'text', channelBase: 1, channels: Number.POSITIVE_INFINITY },
  },
  'latest-data': {
    path: 'latest-data',
    required: ['remote-serial'],
    parameters: { 'remote-serial': 'serial', type: ['json', 'csv'] },
    limit: 60,
    window: 60,
    style: standalone,
  },
  'latest-data-relay': {
    path: 'latest-data-relay',
    required: ['remote-serial', 'base-serial'],
    parameters: { 'remote-serial': 'serial', 'base-serial': 'serial', type: allTypes },
    limit: 60,
    window: 60,
    style: { ...relay, numbers: 'text', dstFlag: true },
  },
  data: {
    path: 'data',
    required: ['remote-serial'],
    parameters: { 'remote-serial': 'serial', ...period },
    limit: 20,
    window: 60,
    budget,
    style: standalone,
  },
  'data-relay': {
    path: 'data-relay',
    required: ['remote-serial', 'base-serial'],
    parameters: { 'remote-serial': 'serial', 'base-serial': 'serial', ...period },
    limit: 20,
    window: 60,
    budget,
    style: relay,
  },
  alert: {
    path: 'alert',
    required: ['remote-serial', 'base-serial'],
    parameters: { 'remote-serial': 'serial', 'base-serial': 'serial' },
    limit: 12,
    window: 3600,
    style: { ...relay, numbers: 'text', dstFlag: true, channels: 6 },
  },
}

/** Maximum numbers of records and alerts (docs/service.md, *Fields*). */
export const latestRecords = 300
export const alertEntries = 20
export const defaultNumber = 16_000
export const largestNumber = 65_535

const prefix = '/v1/devices/'

/** The endpoint at a path; the suffix of the relay paths depends on the host (docs/service.md, *Requests*). */
export function endpointAt(path: string, relaySuffix: string): EndpointName | undefined {
  return endpointNames.find((name) => path === pathOf(name, relaySuffix))
}

export function pathOf(name: EndpointName, relaySuffix: string): string {
  return prefix + endpoints[name].path.replace(/relay$/, relaySuffix)
}
