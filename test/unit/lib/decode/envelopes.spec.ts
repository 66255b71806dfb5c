import assert from 'node:assert/strict'
import { readEnvelope, readRaw } from '../../../../src/lib/decode/envelopes'
import { EnvlogError } from '../../../../src/lib/errors'
import { alertEnvelope, alertResponse, currentDevice, currentEnvelope, graph, type Json } from '../responses'

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
  it('treats a base unit without a serial, and a group that is not an object, as absent', () => {
    const [device] = currentEnvelope(
      currentDevice({ baseunit: { serial: '', name: '' }, group: 'x' }),
    ).devices
    assert.deepEqual([device?.baseunit, device?.group], [null, null])
  })

  it('is no error object if it has its list beside an error', () => {
    const listed = [
      ['current', currentDevice(), 'devices'],
      ['data', graph(), 'data'],
      ['alert', alertResponse(), 'alert-logs'],
    ] as const
    for (const [endpoint, response, list] of listed) {
      const body = { ...(endpoint === 'current' ? { devices: [response] } : response), error: null }
      readEnvelope(endpoint, JSON.stringify(body))
      const { [list]: _, ...others } = body as Json
      assert.throws(() => readEnvelope(endpoint, JSON.stringify(others)), { reason: 'response-error-object' })
    }
  })

  it('may begin with a byte order mark', () => {
    const body = JSON.stringify({ devices: [currentDevice()] })
    assert.deepEqual(readEnvelope('current', `\ufeff${body}`), readEnvelope('current', body))
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
    for (const fields of [
      { channel: 'none' },
      { channel: [7] },
      { channel: [{ num: 1 }, 7] },
      { unixtime: 'soon' },
    ])
      assert.deepEqual(odd(fields), known)
    const { devices, unreadable } = currentEnvelope(currentDevice({ baseunit: 'x' }), 7 as never)
    assert.deepEqual(
      [devices, unreadable],
      [
        [],
        [
          { serial: '5212A1B2', part: 'devices.0.baseunit', known: null },
          { serial: '', part: 'devices.1', known: null },
        ],
      ],
    )
  })

  it('fails with ENVLOG_REPLY if its list or its channels are none', () => {
    const devices = { 0: currentDevice(), total: 1 }
    assert.deepEqual(
      paramsOf(() => readEnvelope('current', JSON.stringify({ devices }))),
      { part: 'devices' },
    )
    assert.deepEqual(
      paramsOf(() => alertEnvelope(alertResponse({ channel: 'none' }))),
      { part: 'channel' },
    )
  })

  it('reports a device whose serial number separates parts of topics, or is too long, as unreadable', () => {
    assert.equal(currentEnvelope(currentDevice({ serial: 'x'.repeat(100) })).devices.length, 1)
    const odd = ['52A1/002', 'x'.repeat(101)]
    for (const serial of odd) {
      const { devices, unreadable } = currentEnvelope(currentDevice({ serial }))
      assert.deepEqual([devices, unreadable], [[], [{ serial: '', part: 'devices.0.serial', known: null }]])
      const { unreadable: ofBase } = currentEnvelope(currentDevice({ baseunit: { serial } }))
      assert.equal(ofBase[0]?.part, 'devices.0.baseunit.serial')
      for (const [fields, part] of [
        [{ 'remote-serial': serial }, 'serial'],
        [{ 'base-serial': serial }, 'base-serial'],
      ] as const)
        assert.deepEqual(
          paramsOf(() => alertEnvelope({ ...alertResponse(), ...fields })),
          { part },
        )
    }
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

describe('a raw response', () => {
  it('may be nested 100 levels deep, because Node-RED cannot clone what is much deeper', () => {
    const nested = (levels: number) => `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`
    assert.equal(typeof readRaw('json', nested(100)), 'object')
    assert.deepEqual(
      paramsOf(() => readRaw('json', nested(101))),
      { most: 100 },
    )
  })
})
