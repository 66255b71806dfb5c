import { isSerial } from '../../shared/action'
import { LIMITS, type LimitRow } from '../../shared/service-limits'
import { isAbsent } from '../decode/fields'
import { readNumber } from '../decode/value'
import { MAX_ALERTS } from '../endpoints'
import type { Cause } from '../errors'
import { classifyAlert } from '../readings/alert-kind'
import { isBatteryCode } from '../readings/battery'
import { parseChannelNumber } from '../readings/channel'
import { ID_MODULUS } from '../readings/continuity'
import { type Exchange, isSuccessful, type JsonObject, objectsIn, type SuccessfulExchange } from './exchange'
import { checkFields } from './fields'
import { type Finding, Findings } from './findings'

/** Compares the responses of one check with the package's assumptions about the service. */
export function checkAssumptions(exchanges: readonly Exchange[]): Finding[] {
  const findings = new Findings()
  const successful = exchanges.filter(isSuccessful)
  for (const exchange of exchanges) checkStatus(exchange, findings)
  for (const exchange of successful) {
    checkLimits(exchange, findings)
    checkFields(exchange, findings)
    checkDevices(exchange, findings)
    checkRecords(exchange, findings)
    checkAlerts(exchange, findings)
  }
  checkNewestFirst(successful, findings)
  return findings.all
}

function checkStatus(exchange: Exchange, findings: Findings): void {
  const { endpoint } = exchange
  const { status, serviceCode }: Cause = isSuccessful(exchange) ? { status: 200 } : exchange.error.cause
  if (status === undefined) return
  if (endpoint.endsWith('relay')) findings.require('relay-suffix', status !== 404, 'no-such-path')
  if (status === 200) return
  findings.require('error-object', serviceCode !== undefined, 'no-error-object', endpoint)
  findings.expect('error-object', typeof serviceCode === 'number', 'code-as-text')
}

function checkLimits({ endpoint, quota }: SuccessfulExchange, findings: Findings): void {
  const { limit, windowSeconds, remaining, recordsRemaining } = quota
  const described: LimitRow = LIMITS[endpoint]
  const isDescribed = limit === described.limit && windowSeconds === described.window && remaining !== null
  const found = `${endpoint}: ${limit ?? '?'} / ${windowSeconds ?? '?'} s`
  findings.expect('limits', isDescribed, 'other-limits', found)
  if (described.records === undefined) return
  const isWithin = recordsRemaining !== null && recordsRemaining <= described.records
  findings.expect('records-limit', isWithin, 'other-limits', `${endpoint}: ${recordsRemaining ?? '?'}`)
}

const MAX_LATEST = 300

const single = (value: unknown): JsonObject => objectsIn(Array.isArray(value) ? value : [value])[0] ?? {}

function checkDevices({ body }: SuccessfulExchange, findings: Findings): void {
  const serials = [body.serial, body['remote-serial'], body['base-serial']]
  for (const { serial, battery, baseunit } of objectsIn(body.devices)) {
    const base = single(baseunit).serial
    serials.push(serial, base)
    if (isAbsent(baseunit) || base === serial) findings.expect('standalone', base === serial, 'no-base-unit')
    const code = readNumber(battery)
    if (!isAbsent(battery)) findings.require('battery-table', isBatteryCode(code), 'other-codes', code)
  }
  for (const serial of serials.filter((value) => !isAbsent(value)).map(String))
    findings.require('serials', isSerial(serial), 'other-length', serial.length)
}

const timesOf = (list: unknown) =>
  objectsIn(list)
    .map(({ unixtime }) => readNumber(unixtime))
    .filter((time) => time !== null)

function checkAlerts({ body }: SuccessfulExchange, findings: Findings): void {
  const entries = objectsIn(body['alert-logs'])
  if (entries.length >= MAX_ALERTS)
    findings.require('alert-20', entries.length === MAX_ALERTS, 'more', entries.length)
  const names = new Map(objectsIn(body.channel).map(({ num, name }) => [readNumber(num), String(name ?? '')]))
  for (const [key, text] of entries.flatMap(Object.entries)) {
    const number = parseChannelNumber(key)
    if (number === undefined || isAbsent(text)) continue
    const kind = classifyAlert(`ch${number}`, String(text), names.get(number) ?? '')
    findings.expect('alert-texts', kind !== 'other', 'unknown-texts')
  }
}

function checkRecords(exchange: SuccessfulExchange, findings: Findings): void {
  const { endpoint, params, body } = exchange
  const times = timesOf(body.data)
  checkChannelNumbers(exchange, findings)
  if (endpoint.startsWith('latest')) {
    checkIds(exchange, findings)
    const { length } = objectsIn(body.data)
    if (length >= MAX_LATEST) findings.require('newest-300', length === MAX_LATEST, 'more', length)
  } else if (times.length > 0) {
    const [from, to] = [Number(params['unixtime-from']), Number(params['unixtime-to'])]
    findings.require('bounds', Math.min(...times) >= from && Math.max(...times) <= to, 'outside')
    // With a limited number of records, the oldest are left out.
    if ('number' in params) return
    findings.expect('bounds', !times.includes(from), 'inclusive', 'unixtime-from')
    findings.expect('bounds', !times.includes(to), 'inclusive', 'unixtime-to')
  }
}

/** Records number the channels from 1, and the list of channels from 0 or 1. */
function checkChannelNumbers({ endpoint, body }: SuccessfulExchange, findings: Findings): void {
  const recorded = objectsIn(body.data).flatMap(Object.keys).map(parseChannelNumber)
  const listed = objectsIn(body.channel).map(({ num }) => readNumber(num) ?? -1)
  if (recorded.every((number) => number === undefined) || listed.length === 0) return
  const fits = (base: number) => listed.every((number) => recorded.includes(number + 1 - base))
  const base = listed.includes(0) || !fits(1) ? 0 : 1
  findings.require('channel-numbers', listed.includes(0) || fits(base), 'neither', endpoint)
  const isDescribed = base === (endpoint.endsWith('relay') ? 1 : 0)
  findings.expect('channel-numbers', isDescribed, 'other-base', `${endpoint}: ${base}`)
}

/** Ids of a standalone device only grow. Ids of a remote unit restart at 0 after 65,535 (docs/service.md, *Fields*). */
function checkIds({ endpoint, body }: SuccessfulExchange, findings: Findings): void {
  const isRelay = endpoint.endsWith('relay')
  const assumption = isRelay ? 'ids-relay' : 'ids-standalone'
  const ids = objectsIn(body.data)
    .map((record) => [readNumber(record.unixtime), readNumber(record['data-id'] ?? record.data_id)] as const)
    .filter(([time]) => time !== null)
    .sort(([a], [b]) => Number(a) - Number(b))
    // Records with the same time have no defined order.
    .filter(([time], index, all) => time !== all[index - 1]?.[0])
    .map(([, id]) => id ?? -1)
  if (ids.length < 2 || ids.every((id) => id === 0)) return
  const max = isRelay ? ID_MODULUS - 1 : Number.MAX_SAFE_INTEGER
  const isInside = ids.every((id) => Number.isInteger(id) && id >= 0 && id <= max)
  const steps = ids.slice(1).map((id, index) => id - Number(ids[index]))
  findings.require(assumption, isInside, 'id-outside')
  findings.require(assumption, !steps.includes(0), 'id-repeated')
  findings.require(assumption, steps.filter((step) => step < 0).length <= 1, 'id-order')
}

/** Compares a limited number of records with the newest records of the same period. */
function checkNewestFirst(successful: readonly SuccessfulExchange[], findings: Findings): void {
  const limited = successful.find(({ params }) => 'number' in params)
  const latest = successful.find(({ endpoint }) => endpoint === 'latest-data-relay')
  if (!limited || !latest) return
  const { 'unixtime-from': from, 'unixtime-to': to, number } = limited.params as Record<string, number>
  const times = timesOf(limited.body.data)
  const inside = timesOf(latest.body.data).filter((time) => time > Number(from) && time < Number(to))
  if (times.length === 0 || inside.length <= Number(number)) return
  findings.require('newest-first', times.length <= Number(number), 'too-many', times.length)
  findings.require('newest-first', Math.max(...times) >= Math.max(...inside), 'oldest')
}
