import assert from 'node:assert/strict'
import { checkAssumptions } from '../../../../src/lib/check/assumptions'
import type { Exchange } from '../../../../src/lib/check/exchange'
import type { EndpointName } from '../../../../src/lib/endpoints'
import { LIMITS } from '../../../../src/shared/service-limits'
import { differencesOf } from '../../../support/check'

const FROM = 1_795_161_600
const TO = FROM + 3600
const INSIDE = [FROM + 600, FROM + 1200, FROM + 1800]
const PERIOD = { 'unixtime-from': FROM, 'unixtime-to': TO }

const offsets = { 'time-diff': 0, 'std-bias': 0, 'dst-bias': 0 }
const remote = {
  'remote-serial': '52A10002',
  'remote-model': 'M',
  'remote-name': 'R',
  'base-serial': '58A10001',
  'base-model': 'B',
  'base-name': 'B',
  'dst-flg': '0',
}

function exchange(endpoint: EndpointName, params: object, fields: object): Exchange {
  const { limit, window: windowSeconds } = LIMITS[endpoint]
  const quota = { limit, remaining: 9, windowSeconds, recordsRemaining: 1000 }
  return { endpoint, params: { ...params }, durationMs: 1, body: { ...offsets, ...fields }, quota }
}

const standalone = { serial: '52A10001', model: 'M', name: 'N', channel: [{ num: 0, name: 'C', unit: 'C' }] }
const recordsAt = (times: readonly number[]) =>
  times.map((unixtime, index) => ({ unixtime, 'data-id': index, ch1: '1.0' }))
const periodOf = (times: readonly number[], params: object = {}) =>
  exchange('data', { ...PERIOD, ...params }, { ...standalone, data: recordsAt(times) })
const latestOf = (ids: readonly unknown[]) => {
  const data = ids.map((id, index) => ({ unixtime: FROM + index, 'data-id': id, ch1: '1.0' }))
  return exchange('latest-data', {}, { ...standalone, data })
}
const relayOf = (times: readonly number[], ids = times.map((_, index) => index)) => {
  const data = times.map((unixtime, index) => ({ unixtime, 'data-id': ids[index], ch1: '1.0' }))
  const channel = [{ num: 1, name: 'ch1', unit: 'C' }]
  return exchange('latest-data-relay', {}, { ...remote, channel, data })
}
const alertsOf = (texts: readonly object[]) => {
  const entries = texts.map((text, index) => ({ unixtime: FROM + index, ...text }))
  return exchange('alert', {}, { ...remote, channel: [], 'alert-logs': entries })
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

describe('a check', () => {
  const cases: [what: string, exchanges: Exchange[], differences: Record<string, string>][] = [
    ['a period without its ends', [periodOf(INSIDE)], {}],
    ['a period with both ends', [periodOf([FROM, ...INSIDE, TO])], { bounds: 'inclusive' }],
    ['a period with its first second', [periodOf([FROM, ...INSIDE])], { bounds: 'inclusive' }],
    ['a period with its last second', [periodOf([...INSIDE, TO])], { bounds: 'inclusive' }],
    ['a record before the period', [periodOf([FROM - 1, ...INSIDE])], { bounds: 'outside' }],
    ['a record after the period', [periodOf([...INSIDE, TO + 1])], { bounds: 'outside' }],
    [
      'the oldest records of a period that has more than requested',
      [relayOf(INSIDE), periodOf(INSIDE.slice(0, 2), { number: 2 })],
      { 'newest-first': 'oldest' },
    ],
    [
      'more records than requested',
      [relayOf(INSIDE), periodOf(INSIDE, { number: 2 })],
      { 'newest-first': 'too-many' },
    ],
    ['increasing ids', [latestOf([7, 8, 12])], {}],
    ['ids that restart once', [relayOf(INSIDE, [65_534, 65_535, 0])], {}],
    ['ids that restart twice', [latestOf([7, 1, 0])], { 'ids-standalone': 'id-order' }],
    ['a repeated id', [latestOf([7, 7, 8])], { 'ids-standalone': 'id-repeated' }],
    ['a record without an id', [latestOf([7, undefined, 8])], { 'ids-standalone': 'id-outside' }],
    [
      'an id of a remote unit above 65,535',
      [relayOf(INSIDE, [65_535, 65_536, 0])],
      { 'ids-relay': 'id-outside' },
    ],
    ['ids that are all 0', [latestOf([0, 0, 0])], {}],
    ['more than 300 latest records', [latestOf(numbers(301))], { 'newest-300': 'more' }],
    ['more than 20 alerts', [alertsOf(numbers(21).map(() => ({})))], { 'alert-20': 'more' }],
    [
      'an alert with an unknown wording',
      [alertsOf([{ ch1: 'Gas leak' }])],
      { 'alert-texts': 'unknown-texts' },
    ],
    [
      'channel numbers that start at neither 0 nor 1',
      [
        exchange('data', PERIOD, {
          ...standalone,
          channel: [{ num: 5, name: 'C', unit: 'C' }],
          data: recordsAt(INSIDE),
        }),
      ],
      { 'channel-numbers': 'neither' },
    ],
    [
      'a serial number of nine characters',
      [exchange('current', {}, { devices: [{ serial: '52A100011' }] })],
      { serials: 'other-length' },
    ],
    ['a response that cannot be read', [exchange('data', PERIOD, standalone)], {}],
  ]
  for (const [what, exchanges, differences] of cases) {
    it(`of ${what} finds ${Object.entries(differences).flat().join(': ') || 'no difference'}`, () => {
      assert.deepEqual(differencesOf(checkAssumptions(exchanges)), differences)
    })
  }
})
