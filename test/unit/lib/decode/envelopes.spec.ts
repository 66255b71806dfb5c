import assert from 'node:assert/strict'
import { readEnvelope } from '../../../../src/lib/decode/envelopes'
import { EnvlogError } from '../../../../src/lib/errors'
import {
  alertEnvelope,
  alertResponse,
  currentDevice,
  currentEnvelope,
  graph,
  graphEnvelope,
  type Json,
  relayGraph,
} from '../responses'

/** The params of the error that reading throws. */
function paramsOf(read: () => unknown): unknown {
  try {
    read()
  } catch (error) {
    if (error instanceof EnvlogError && error.code === 'ENVLOG_REPLY') return error.params
    throw error
  }
  return 'nothing: it was accepted'
}

describe('an envelope', () => {
  it('may have unknown fields, even one called error or __proto__', () => {
    for (const [endpoint, response] of [
      ['latest-data', graph()],
      ['data-relay', relayGraph()],
      ['alert', alertResponse()],
      ['current', { devices: [currentDevice()] }],
    ] as const) {
      const more = JSON.stringify({ ...response, error: null, extra: { a: [1] } })
      const found = readEnvelope(endpoint, more.replace('{', '{"__proto__":{"a":1},'))
      assert.deepEqual(found, readEnvelope(endpoint, JSON.stringify(response)))
    }
  })

  it('treats a base unit without a serial, and a group that is not an object, as absent', () => {
    const [device] = currentEnvelope(
      currentDevice({ baseunit: { serial: '', name: '' }, group: 'x' }),
    ).devices
    assert.deepEqual([device?.baseunit, device?.group], [null, null])
  })

  it('reports the known parts of an unreadable device, enough to request its records', () => {
    const odd = (fields: Json) => currentEnvelope(currentDevice(fields)).unreadable[0]?.known ?? null
    const known = {
      serial: '5212A1B2',
      base: '5839F001',
      name: 'Freezer 3',
      group: { number: 1, name: 'Cold chain' },
      utcOffset: 540,
    }
    for (const fields of [{ channel: 'none' }, { channel: [7] }, { unixtime: 'soon' }])
      assert.deepEqual(odd(fields), known)
    assert.equal(odd({ baseunit: 'x' }), null)
  })

  it('reports which part is invalid, never its contents', () => {
    const current = (body: unknown) => () => readEnvelope('current', JSON.stringify(body))
    for (const [part, read] of [
      ['devices', current({})],
      ['devices', current({ devices: {} })],
      ['response', current([])],
      ['data', () => graphEnvelope(graph({ data: {} }))],
      ['alert-logs', () => alertEnvelope(alertResponse({ 'alert-logs': null }))],
      ['serial', () => alertEnvelope(alertResponse({ 'remote-serial': undefined }))],
    ] as const)
      assert.deepEqual(paramsOf(read), { part })
    for (const [part, device] of [
      ['devices.0', 'secret'],
      ['devices.0.serial', currentDevice({ serial: '' })],
      ['devices.0.channel', currentDevice({ channel: 'none' })],
      ['devices.0.baseunit.serial', currentDevice({ baseunit: { serial: true } })],
    ] as const)
      assert.equal(currentEnvelope(device as Json).unreadable[0]?.part, part)
  })

  it('with too many devices or log entries fails with ENVLOG_REPLY', () => {
    const most = 65_535
    const devices = (count: number) => ({ devices: Array(count).fill(currentDevice()) })
    const alerts = (count: number) => ({ ...alertResponse(), 'alert-logs': Array(count).fill({}) })
    assert.deepEqual(
      paramsOf(() => readEnvelope('current', JSON.stringify(devices(most + 1)))),
      { most },
    )
    assert.deepEqual(
      paramsOf(() => alertEnvelope(alerts(most + 1))),
      { most },
    )
    assert.equal(alertEnvelope(alerts(most)).entries.length, most)
  })
})
