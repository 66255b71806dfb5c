import { isSerial } from '../../shared/action'
import { LIMITS, type LimitRow } from '../../shared/service-limits'
import {
  type AlertEnvelope,
  type CurrentEnvelope,
  type GraphEnvelope,
  readEnvelope,
} from '../decode/envelopes'
import { type EndpointName, MAX_ALERTS, MAX_LATEST_RECORDS } from '../endpoints'
import { type Cause, EnvlogError } from '../errors'
import { readLogEntries, toAlertLog } from '../readings/alerts'
import { isBatteryCode } from '../readings/battery'
import { parseChannelNumber } from '../readings/channel'
import { ID_MODULUS } from '../readings/continuity'
import { readSeriesPart, type SeriesRecord } from '../readings/series'
import { type Exchange, isSuccessful, objectsIn, type SuccessfulExchange } from './exchange'

/**
 * `not-seen`: the responses do not show it. `confirmed`: as described by the service. `differs`: different in a way that
 * the package expects. `contradicted`: different in a way that the package does not expect, which is worth reporting.
 */
export type Verdict = 'not-seen' | 'confirmed' | 'differs' | 'contradicted'

/**
 * The package's assumptions about the service, each with the verdict if it is wrong: the rows marked ✓ in
 * docs/service.md, *Assumptions*. For each there is a sentence in the catalogs (`seen.<assumption>`).
 */
export const ASSUMPTIONS = {
  bounds: 'contradicted',
  'newest-first': 'contradicted',
  'channel-numbers': 'contradicted',
  'daylight-saving': 'differs',
  'ids-relay': 'contradicted',
  'ids-standalone': 'contradicted',
  'newest-300': 'contradicted',
  'alert-20': 'contradicted',
  'alert-texts': 'differs',
  limits: 'differs',
  'records-limit': 'differs',
  'relay-suffix': 'contradicted',
  'error-object': 'contradicted',
  'battery-table': 'contradicted',
  serials: 'contradicted',
} as const satisfies Record<string, Verdict>
export type Assumption = keyof typeof ASSUMPTIONS

export interface Finding {
  assumption: Assumption
  verdict: Verdict
  /** Endpoints and numbers that differ. */
  details: string[]
}

/**
 * Compares the responses of one check with the package's assumptions about the service. The verdict on each is the
 * worst one observed.
 */
export function checkAssumptions(exchanges: readonly Exchange[]): Finding[] {
  const observations = [...observe(exchanges)]
  return Object.entries(ASSUMPTIONS).map(([name, otherwise]) => {
    const assumption = name as Assumption
    const observed = observations.filter(([about]) => about === assumption)
    if (observed.length === 0) return { assumption, verdict: 'not-seen', details: [] }
    const differences = observed.filter(([, isTrue]) => !isTrue)
    const details = differences.flatMap(([, , detail = []]) => detail).map(String)
    const verdict = differences.length > 0 ? otherwise : 'confirmed'
    return { assumption, verdict, details: [...new Set(details)] }
  })
}

/** An assumption, whether it is true, and what was found if it is not. */
type Observation = readonly [assumption: Assumption, isTrue: boolean, detail?: unknown]

function* observe(exchanges: readonly Exchange[]): Generator<Observation> {
  let latest: readonly SeriesRecord[] = []
  for (const exchange of exchanges) {
    yield* observeStatus(exchange)
    if (!isSuccessful(exchange)) continue
    yield* observeLimitsAndFlag(exchange)
    try {
      const envelope = readEnvelope(exchange.endpoint, JSON.stringify(exchange.body))
      if ('devices' in envelope) yield* observeDevices(envelope)
      else if ('entries' in envelope) yield* observeAlerts(envelope)
      else latest = yield* observeRecords(exchange, envelope, latest)
    } catch (error) {
      // An unreadable response is a result of `readResponse`.
      if (!(error instanceof EnvlogError)) throw error
      latest = []
    }
  }
}

function* observeStatus(exchange: Exchange): Generator<Observation> {
  const { endpoint } = exchange
  const { status, serviceCode }: Cause = isSuccessful(exchange) ? { status: 200 } : exchange.error.cause
  if (status === undefined) return
  if (endpoint.endsWith('relay')) yield ['relay-suffix', status !== 404]
  if (status !== 200) yield ['error-object', serviceCode !== undefined, endpoint]
}

function* observeLimitsAndFlag({ endpoint, quota, body }: SuccessfulExchange): Generator<Observation> {
  const { limit, windowSeconds, remaining, recordsRemaining } = quota
  const described: LimitRow = LIMITS[endpoint]
  const isDescribed = limit === described.limit && windowSeconds === described.window && remaining !== null
  yield ['limits', isDescribed, `${endpoint}: ${limit ?? '?'} / ${windowSeconds ?? '?'} s`]
  if (described.records !== undefined) {
    const isWithin = recordsRemaining !== null && recordsRemaining <= described.records
    yield ['records-limit', isWithin, `${endpoint}: ${recordsRemaining ?? '?'}`]
  }
  if (endpoint === 'alert' || endpoint === 'latest-data-relay')
    yield ['daylight-saving', 'dst-flg' in body || 'dst_flg' in body, endpoint]
}

function* observeDevices({ devices }: CurrentEnvelope): Generator<Observation> {
  for (const { serial, baseunit, battery } of devices) {
    for (const each of [serial, baseunit?.serial ?? serial]) yield ['serials', isSerial(each), each.length]
    if (battery !== null) yield ['battery-table', isBatteryCode(battery), battery]
  }
}

function* observeAlerts(envelope: AlertEnvelope): Generator<Observation> {
  const { length } = envelope.entries
  if (length >= MAX_ALERTS) yield ['alert-20', length === MAX_ALERTS, length]
  const { alerts } = toAlertLog(envelope, readLogEntries(envelope).entries, 'utc')
  for (const { kind } of alerts) yield ['alert-texts', kind !== 'other']
}

/** @param latest the records of the latest endpoint for the same device @returns the records of the response */
function* observeRecords(
  { endpoint, params }: SuccessfulExchange,
  envelope: GraphEnvelope,
  latest: readonly SeriesRecord[],
): Generator<Observation, readonly SeriesRecord[]> {
  const { records } = readSeriesPart(envelope, 'utc').part
  const times = secondsOf(records)
  yield* observeChannelNumbers(endpoint, envelope)
  if (endpoint.startsWith('latest')) {
    yield* observeIds(endpoint, records)
    const { length } = envelope.records
    if (length >= MAX_LATEST_RECORDS) yield ['newest-300', length === MAX_LATEST_RECORDS, length]
  } else if (times.length > 0) {
    const { 'unixtime-from': from, 'unixtime-to': to, number } = params as Record<string, number>
    const [oldest, newest] = [Math.min(...times), Math.max(...times)]
    yield ['bounds', oldest >= Number(from) && newest <= Number(to)]
    if (number !== undefined) {
      const inside = secondsOf(latest).filter((time) => time > Number(from) && time < Number(to))
      yield ['newest-first', times.length <= number && newest >= Math.max(...inside)]
    }
  }
  return records
}

const secondsOf = (records: readonly SeriesRecord[]) =>
  records.flatMap(({ timestamp }) => (timestamp === null ? [] : timestamp / 1000))

/** Records number the channels from 1, and the list of channels from 0 or 1. */
function* observeChannelNumbers(
  endpoint: EndpointName,
  { records, channel }: GraphEnvelope,
): Generator<Observation> {
  const recorded = new Set(objectsIn(records).flatMap(Object.keys).map(parseChannelNumber))
  const listed = channel.map(({ num }) => num ?? -1)
  if (listed.length === 0 || [...recorded].every((number) => number === undefined)) return
  const fits = (shift: number) => listed.every((number) => recorded.has(number + shift))
  yield ['channel-numbers', listed.includes(0) || fits(0) || fits(1), endpoint]
}

/** Ids of a standalone device only grow. Ids of a remote unit restart at 0 after 65,535 (docs/service.md, *Fields*). */
function* observeIds(endpoint: EndpointName, records: readonly SeriesRecord[]): Generator<Observation> {
  const isRelay = endpoint.endsWith('relay')
  const ids = records.filter(({ timestamp }) => timestamp !== null).map(({ dataId }) => dataId ?? -1)
  if (ids.length < 2 || ids.every((id) => id === 0)) return
  const isInside = ids.every((id) => id >= 0 && (!isRelay || id < ID_MODULUS))
  const steps = ids.slice(1).map((id, index) => id - Number(ids[index]))
  const restarts = steps.filter((step) => step < 0).length
  yield [isRelay ? 'ids-relay' : 'ids-standalone', isInside && !steps.includes(0) && restarts <= 1]
}
