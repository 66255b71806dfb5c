import assert from 'node:assert/strict'
import { checkAssumptions } from '../../../../src/lib/check/assumptions'
import type { Exchange } from '../../../../src/lib/check/exchange'
import type { EndpointName } from '../../../../src/lib/endpoints'
import { EnvlogError } from '../../../../src/lib/errors'
import { LIMITS } from '../../../../src/shared/service-limits'
import { differencesOf } from '../../../support/check'

const FROM = 1_795_161_600
const TO = FROM + 3600
const INSIDE = [FROM + 600, FROM + 1200, FROM + 1800]

function exchange(endpoint: EndpointName, params: object, body: object, headers: object = {}): Exchange {
  const { limit, window: windowSeconds } = LIMITS[endpoint]
  const quota = { limit, remaining: 9, windowSeconds, recordsRemaining: 1000, ...headers }
  return { endpoint, params: { ...params }, durationMs: 1, body: { ...body }, quota }
}

const records = (times: readonly number[], ids: readonly unknown[]) =>
  times.map((unixtime, index) => ({ unixtime, 'data-id': ids[index], ch1: '1.0' }))
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

const latest = (ids: readonly unknown[]) => {
  const data = records(
    ids.map((_, index) => FROM + index),
    ids,
  )
  return exchange('latest-data', {}, { serial: '52A10001', channel: [{ num: 0 }], data })
}
const relay = (
  times: readonly number[],
  ids = numbers(times.length),
  fields: object = { 'dst-flg': '0' },
) => {
  const data = records(times, ids)
  return exchange(
    'latest-data-relay',
    {},
    { 'remote-serial': '52A10002', channel: [{ num: 1 }], data, ...fields },
  )
}
const period = (times: readonly number[], params: object = {}, { num = 0, headers = {} } = {}) => {
  const data = records(times, numbers(times.length))
  const bounds = { 'unixtime-from': FROM, 'unixtime-to': TO, ...params }
  return exchange('data', bounds, { serial: '52A10001', channel: [{ num }], data }, headers)
}
const alerts = (texts: readonly object[]) => {
  const entries = texts.map((text, index) => ({ unixtime: FROM + index, ...text }))
  return exchange('alert', {}, { 'remote-serial': '52A10002', 'dst-flg': 0, 'alert-logs': entries })
}
const current = (device: object) => exchange('current', {}, { devices: [{ serial: '52A10001', ...device }] })
const refused = (endpoint: EndpointName, status: number, serviceCode?: number): Exchange => {
  const cause = { status, ...(serviceCode === undefined ? {} : { serviceCode }) }
  return { endpoint, params: {}, durationMs: 1, error: new EnvlogError('service-refused', {}, cause) }
}

describe('a check', () => {
  const cases: [what: string, exchanges: Exchange[], ...differences: string[]][] = [
    ['a period without its ends', [period(INSIDE)]],
    ['a period with both ends', [period([FROM, ...INSIDE, TO])]],
    ['a record before the period', [period([FROM - 1, ...INSIDE])], 'bounds'],
    ['a record after the period', [period([...INSIDE, TO + 1])], 'bounds'],
    ['the newest records of a period', [relay(INSIDE), period(INSIDE.slice(1), { number: 2 })]],
    ['the oldest ones', [relay(INSIDE), period(INSIDE.slice(0, 2), { number: 2 })], 'newest-first'],
    ['more records than requested', [relay(INSIDE), period(INSIDE, { number: 2 })], 'newest-first'],
    [
      'newer records of another device, if those of the same one cannot be read',
      [
        period([...INSIDE, FROM + 2400]),
        exchange('latest-data-relay', {}, { 'dst-flg': '0' }),
        period(INSIDE.slice(1), { number: 2 }),
      ],
    ],
    ['increasing ids', [latest([7, 8, 12])]],
    ['ids that restart once', [relay(INSIDE, [65_534, 65_535, 0])]],
    ['ids that restart twice', [latest([7, 1, 0])], 'ids-standalone'],
    ['a repeated id', [latest([7, 7, 8])], 'ids-standalone'],
    ['a record without an id', [latest([7, undefined, 8])], 'ids-standalone'],
    ['an id of a remote unit above 65,535', [relay(INSIDE, [65_535, 65_536, 0])], 'ids-relay'],
    ['ids that are all 0', [latest([0, 0, 0])]],
    ['more than 300 latest records', [latest(numbers(301))], 'newest-300'],
    ['more than 20 alerts', [alerts(numbers(21).map(() => ({})))], 'alert-20'],
    ['an alert with an unknown wording', [alerts([{ ch1: 'Gas leak' }])], 'alert-texts'],
    ['channels from neither 0 nor 1', [period(INSIDE, {}, { num: 5 })], 'channel-numbers'],
    ['a serial number of nine characters', [current({ serial: '52A100011' })], 'serials'],
    ['a battery code of 9', [current({ battery: '9' })], 'battery-table'],
    ['no flag for daylight saving time', [relay(INSIDE, [1, 2, 3], {})], 'daylight-saving'],
    ['another limit', [period(INSIDE, {}, { headers: { limit: 21 } })], 'limits'],
    [
      'more records than described',
      [period([], {}, { headers: { recordsRemaining: 160_001 } })],
      'records-limit',
    ],
    ['a refusal by the service', [refused('alert', 400, 400)]],
    ['a refusal without an error object', [refused('alert', 400)], 'error-object'],
    ['a path that does not exist', [refused('data-relay', 404, 404)], 'relay-suffix'],
    ['a response that cannot be read', [exchange('data', {}, { serial: '52A10001' })]],
  ]
  for (const [what, exchanges, ...differences] of cases) {
    it(`of ${what} finds ${differences.join() || 'no difference'}`, () => {
      assert.deepEqual(differencesOf(checkAssumptions(exchanges)), differences)
    })
  }
})
