import assert from 'node:assert/strict'
import { readEnvelope, readRaw } from '../../../../src/lib/decode/envelopes'
import { EnvlogError } from '../../../../src/lib/errors'
import { readCurrent } from '../../../../src/lib/readings/current'
import {
  alertEnvelope,
  alertResponse,
  BASE,
  currentDevice,
  currentEnvelope,
  failure,
  graph,
  graphEnvelope,
  type Json,
  relayGraph,
} from '../responses'

const readings = (device: Json) =>
  readCurrent(currentEnvelope(device), { receivedAt: 2e12, time: 'utc', series1Models: [], staleAfter: null })

/** The invalid part that an error names. */
function refusedPart(read: () => unknown): unknown {
  try {
    read()
  } catch (error) {
    if (error instanceof EnvlogError && error.reason === 'reply-unreadable') return error.params.part
    throw error
  }
  return 'nothing: it was accepted'
}

/** Every key in its other spelling. */
const underscored = (response: Json): Json =>
  Object.fromEntries(
    Object.entries(response).map(([key, value]) => [
      /(diff|bias|flg)$/.test(key) ? key.replace('-', '_') : key,
      value,
    ]),
  )
/** Numeric text as numbers, and vice versa. */
const turned = (response: Json): Json =>
  JSON.parse(
    JSON.stringify(response, (key, value) => {
      if (/name|model|serial|unit$/.test(key)) return value
      if (typeof value === 'number') return String(value)
      return typeof value === 'string' && value !== '' && Number.isFinite(Number(value))
        ? Number(value)
        : value
    }),
  )

/** The maximum that an error states. */
function tooMany(read: () => unknown): unknown {
  try {
    read()
  } catch (error) {
    if (error instanceof EnvlogError && error.reason === 'reply-too-many') return error.params.most
    throw error
  }
  return undefined
}

describe('an envelope', () => {
  const samples = [
    ['latest-data', graph({ data: [{ unixtime: 10, 'data-id': 1, ch1: 1 }] })],
    ['latest-data-relay', relayGraph({ data: [{ unixtime: '10', 'data-id': '1', ch1: '1' }] })],
    ['data', graph()],
    ['data-relay', relayGraph()],
    ['alert', alertResponse({ 'alert-logs': [{ unixtime: '10', ch1: 'a' }] })],
    ['current', { devices: [currentDevice()] }],
  ] as const

  for (const [endpoint, response] of samples) {
    const plain = readEnvelope(endpoint, JSON.stringify(response))

    it(`of ${endpoint} is the same in both spellings, and with unknown fields`, () => {
      assert.deepEqual(readEnvelope(endpoint, JSON.stringify(underscored(response))), plain)
      const more = JSON.stringify({ ...response, 'temperature-unit': 'C', extra: { a: [1] } })
      assert.deepEqual(readEnvelope(endpoint, more), plain)
      assert.deepEqual(readEnvelope(endpoint, more.replace('{', '{"__proto__":{"a":1},')), plain)
    })

    it(`of ${endpoint} is the same with a byte order mark and blanks around it`, () => {
      assert.deepEqual(readEnvelope(endpoint, `\ufeff${JSON.stringify(response)}\r\n`), plain)
    })

    it(`of ${endpoint} may contain a field called error in addition to its own`, () => {
      assert.deepEqual(readEnvelope(endpoint, JSON.stringify({ ...response, error: null })), plain)
    })
  }

  it('has the same values from numbers and from numeric text, field by field', () => {
    assert.deepEqual(readings(turned(currentDevice())), readings(currentDevice()))
    for (const response of [graph(), relayGraph()]) {
      assert.deepEqual(graphEnvelope(turned(response)), graphEnvelope(response))
    }
    assert.deepEqual(alertEnvelope(turned(alertResponse())), alertEnvelope(alertResponse()))
  })

  it('accepts base unit and group as object, array of one, [], null, or absent', () => {
    const base = (baseunit: unknown) => currentEnvelope(currentDevice({ baseunit })).devices[0]?.baseunit
    assert.deepEqual(base(BASE), BASE)
    assert.deepEqual(base([BASE]), BASE)
    for (const none of [[], null, undefined]) assert.equal(base(none), null)
    const group = (value: unknown) => currentEnvelope(currentDevice({ group: value })).devices[0]?.group
    assert.deepEqual(group([{ num: '1', name: 'a' }]), { num: 1, name: 'a' })
    for (const none of [[], null, undefined]) assert.equal(group(none), null)
  })

  it('treats a base unit without a serial as absent, like the graph endpoints', () => {
    assert.equal(
      currentEnvelope(currentDevice({ baseunit: { serial: '', model: '', name: '' } })).devices[0]?.baseunit,
      null,
    )
    assert.equal(graphEnvelope(relayGraph({ 'base-serial': '', 'base-name': '' })).base, null)
  })

  it('reads blank, null and absent as missing, never as 0', () => {
    for (const blank of ['', ' ', null, undefined]) {
      const [device] = currentEnvelope(currentDevice({ rssi: blank, battery: blank, num: blank })).devices
      assert.deepEqual([device?.rssi, device?.battery, device?.num], [null, null, null])
    }
  })

  it('reads what is invalid in a field about one device as missing', () => {
    const [device] = currentEnvelope(
      currentDevice({ rssi: 'weak', battery: '?', name: {}, group: 'x' }),
    ).devices
    assert.deepEqual([device?.rssi, device?.battery, device?.name, device?.group], [null, null, '', null])
  })

  it('may have an empty or absent channel list', () => {
    for (const channel of [[], null, undefined])
      assert.deepEqual(graphEnvelope(graph({ channel })).channel, [])
  })

  it('of several devices is decoded without unreadable ones, each of which is reported', () => {
    const envelope = currentEnvelope(currentDevice(), 'secret' as never, currentDevice({ serial: '' }))
    assert.equal(envelope.devices.length, 1)
    assert.deepEqual(envelope.unreadable, [
      { serial: '', part: 'devices.1', known: null },
      { serial: '', part: 'devices.2.serial', known: null },
    ])
  })

  it('reports the known parts of an unreadable device, enough to request its records', () => {
    const odd = (fields: Json) => currentEnvelope(currentDevice(fields)).unreadable[0]?.known ?? null
    const known = { base: '5839F001', name: 'Freezer 3', group: 'Cold chain', utcOffset: 540 }
    for (const fields of [{ channel: 'none' }, { channel: [7] }]) assert.deepEqual(odd(fields), known)
    assert.equal(odd({ baseunit: 'x' }), null)
  })

  it('reports which part is invalid, never its contents', () => {
    const current = (body: unknown) => () => readEnvelope('current', JSON.stringify(body))
    assert.equal(refusedPart(current({})), 'devices')
    assert.equal(refusedPart(current({ devices: {} })), 'devices')
    const unreadable = (device: unknown) => currentEnvelope(device as never).unreadable[0]?.part
    assert.equal(unreadable('secret'), 'devices.0')
    assert.equal(unreadable(currentDevice({ serial: '' })), 'devices.0.serial')
    assert.equal(unreadable(currentDevice({ channel: 'none' })), 'devices.0.channel')
    assert.equal(unreadable(currentDevice({ baseunit: { serial: true } })), 'devices.0.baseunit.serial')
    assert.equal(
      refusedPart(() => graphEnvelope(graph({ data: {} }))),
      'data',
    )
    assert.equal(
      refusedPart(() => alertEnvelope(alertResponse({ 'alert-logs': null }))),
      'alert-logs',
    )
    assert.equal(refusedPart(current([])), 'answer')
  })

  it('with too many devices or log entries fails with ENVLOG_REPLY', () => {
    const most = 65_535
    const devices = (count: number) => ({ devices: Array(count).fill(currentDevice()) })
    const alerts = (count: number) => ({ ...alertResponse(), 'alert-logs': Array(count).fill({}) })
    assert.equal(
      tooMany(() => readEnvelope('current', JSON.stringify(devices(most + 1)))),
      most,
    )
    assert.equal(
      tooMany(() => readEnvelope('alert', JSON.stringify(alerts(most + 1)))),
      most,
    )
    assert.equal(
      tooMany(() => readEnvelope('alert', JSON.stringify(alerts(most)))),
      undefined,
    )
  })

  it("without the device's serial fails with ENVLOG_REPLY", () => {
    assert.throws(() => graphEnvelope(graph({ serial: undefined })), failure('ENVLOG_REPLY'))
    assert.throws(() => graphEnvelope(relayGraph({ 'remote-serial': '' })), failure('ENVLOG_REPLY'))
    assert.throws(() => alertEnvelope(alertResponse({ 'remote-serial': undefined })), failure('ENVLOG_REPLY'))
  })
})

describe('a CSV response', () => {
  it('is passed on unchanged: quoted or not, with or without a byte order mark', () => {
    for (const body of ['"a"\r\n', '\ufeff"a"\r\n', '\ufeff" a "', 'a,b\r\n'])
      assert.equal(readRaw('csv', body), body)
  })

  it('fails with ENVLOG_REPLY if it is not CSV: the word Array for an unknown serial', () => {
    for (const body of ['Array', '', ' \r\n', '\ufeff', '[]', 'null', '<html>', '{"error":{"code":400}}'])
      assert.throws(() => readRaw('csv', body), failure('reply-not-csv'))
  })
})
