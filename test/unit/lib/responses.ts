import {
  type AlertEnvelope,
  type CurrentEnvelope,
  type GraphEnvelope,
  readEnvelope,
} from '../../../src/lib/decode/envelopes'
import type { TimeStyle } from '../../../src/lib/decode/time'
import type { EndpointName } from '../../../src/lib/endpoints'
import { EnvlogError, type ErrorCode, type Reason } from '../../../src/lib/errors'
import { readLogEntries, toAlertLog } from '../../../src/lib/readings/alerts'
import { mergeSeries, readSeriesPart } from '../../../src/lib/readings/series'
import type { RequestContext } from '../../../src/lib/request'

/** Responses as in the service's API description; each test sets only what it is about. */

export type Json = Record<string, unknown>

export const BASE = { serial: '5839F001', model: 'M-500', name: 'Hall 1' }

export const currentDevice = (fields: Json = {}): Json => ({
  num: '3',
  serial: '5212A1B2',
  model: 'M-503',
  name: 'Freezer 3',
  battery: '5',
  rssi: '-62',
  time_diff: '540',
  std_bias: '0',
  dst_bias: '60',
  unixtime: '1795161600',
  channel: [{ num: '1', name: 'Inside', value: '-18.4', unit: 'C' }],
  baseunit: BASE,
  group: { num: '1', name: 'Cold chain' },
  ...fields,
})

/** A response of the standalone graph endpoints. */
export const graph = (fields: Json = {}): Json => ({
  serial: '5212A1B2',
  model: 'M-100',
  name: 'Logger',
  time_diff: 540,
  std_bias: 0,
  dst_bias: 60,
  channel: [{ name: 'Inside', num: 0, unit: 'C' }],
  data: [],
  ...fields,
})

const remote = {
  'remote-serial': '5212A1B2',
  'remote-model': 'M-503',
  'remote-name': 'Freezer 3',
  'base-serial': BASE.serial,
  'base-model': BASE.model,
  'base-name': BASE.name,
  'time-diff': '540',
  'std-bias': '0',
  'dst-flg': '0',
  'dst-bias': '60',
}

/** A response of the relay graph endpoints. */
export const relayGraph = (fields: Json = {}): Json => ({
  ...remote,
  channel: [{ name: 'Inside', num: '1', unit: 'C' }],
  data: [],
  ...fields,
})

export const alertResponse = (fields: Json = {}): Json => ({
  ...remote,
  channel: [{ name: 'Inside', num: '1', unit: 'C' }],
  'alert-logs': [],
  ...fields,
})

const read = <T>(endpoint: EndpointName, response: Json) =>
  readEnvelope(endpoint, JSON.stringify(response)) as T

export const currentEnvelope = (...devices: Json[]) => read<CurrentEnvelope>('current', { devices })
export const graphEnvelope = (response: Json) => read<GraphEnvelope>('data', response)
export const alertEnvelope = (response: Json) => read<AlertEnvelope>('alert', response)

/** The series of one response. */
export const readSeries = (response: Json, style: TimeStyle = 'utc') =>
  mergeSeries([readSeriesPart(graphEnvelope(response), style).part])

/** All alerts of a response. */
export function readAlerts(response: Json, style: TimeStyle = 'utc') {
  const envelope = alertEnvelope(response)
  const { entries, unreadable } = readLogEntries(envelope)
  return { ...toAlertLog(envelope, entries, style), unreadable }
}

/** Matches an EnvlogError by reason or code, for `assert.throws` and `assert.rejects`. */
export function failure(expected: Reason | ErrorCode) {
  return (error: unknown): boolean => {
    if (!(error instanceof EnvlogError)) throw error
    if (error.reason !== expected && error.code !== expected) {
      throw new Error(`expected ${expected}, got ${error.reason} (${error.code})`)
    }
    return true
  }
}

export const never = new AbortController().signal

/** The request context of a caller with no maximum wait. */
export const context: RequestContext = { signal: never, queueKey: 'test', maxWaitMs: null }
export const contextOf = (signal: AbortSignal): RequestContext => ({ ...context, signal })

/** An account whose list of devices is not known. */
export const NO_LIST = { groupOf: () => null, nameOf: () => undefined, awaitNames: async () => {} }
