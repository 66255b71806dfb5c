/**
 * The table of the six endpoints: paths, parameters, limits, and the style of their responses (docs/service.md,
 * *Requests*, *Limits* and *Fields*).
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
  /** whether dst-flg is returned, and dst-bias is always 60 */
  dstFlag: boolean
  /** the number of ch1 */
  channelBase: 0 | 1
  /** channels above this number are not returned */
  channels: number
  /** whether device fields are named remote-serial etc. and the fields of the base unit are added */
  withBase: boolean
}

export interface Endpoint {
  /** path after /v1/devices/; a trailing `relay` is replaced by the configured suffix */
  path: string
  required: readonly string[]
  parameters: Readonly<Record<string, ParameterRule>>
  limit: number
  window: number
  /** if records are counted: maximum number of records of a device per window (s) */
  recordQuota?: { records: number; window: number }
  style: Style
}

const allTypes = ['json', 'csv', 'csv2']
const period = { 'unixtime-from': 'time', 'unixtime-to': 'time', number: 'count', type: allTypes } as const
const recordQuota = { records: 160_000, window: 3600 }

// The description does not show how data and latest-data spell offsets. Underscores were observed.
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
    recordQuota,
    style: standalone,
  },
  'data-relay': {
    path: 'data-relay',
    required: ['remote-serial', 'base-serial'],
    parameters: { 'remote-serial': 'serial', 'base-serial': 'serial', ...period },
    limit: 20,
    window: 60,
    recordQuota,
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

/** Numbers of records and alerts in a response (docs/service.md, *Fields*). */
export const maxLatestRecords = 300
export const maxAlertEntries = 20
export const defaultRecords = 16_000
export const maxRecords = 65_535

const prefix = '/v1/devices/'

/** The endpoint at a path. The suffix of the relay paths depends on the host (docs/service.md, *Requests*). */
export function endpointAt(path: string, relaySuffix: string): EndpointName | undefined {
  return endpointNames.find((name) => path === pathOf(name, relaySuffix))
}

export function pathOf(name: EndpointName, relaySuffix: string): string {
  return prefix + endpoints[name].path.replace(/relay$/, relaySuffix)
}
