import assert from 'node:assert/strict'
import { readResponse } from '../../../../src/lib/check/read'
import { alertResponse, currentDevice, graph, type Json } from '../responses'

const read = (endpoint: 'current' | 'data' | 'alert', body: Json) => {
  const answered = { endpoint, params: {}, durationMs: 1, body, quota: {} }
  return readResponse(answered as never, 1_795_161_605_000)
}

describe('the readout of a response', () => {
  it('lists an unreadable offset, and includes everything else, because it affects only local times', () => {
    const device = currentDevice({ time_diff: 'GMT+9' })
    for (const [endpoint, body, part] of [
      ['current', { devices: [currentDevice(), device] }, 'devices.1.time_diff'],
      ['data', graph({ time_diff: 'GMT+9' }), 'time-diff'],
      ['alert', alertResponse({ 'time-diff': 'GMT+9' }), 'time-diff'],
    ] as const) {
      const { unreadable, fields } = read(endpoint, body)
      assert.deepEqual(unreadable, [part])
      assert.ok(fields.some(({ field }) => field === 'offset'))
    }
  })

  it('describes the device with the newest measurement', () => {
    const devices = [1, 3, 2].map((time) => currentDevice({ serial: `52A1000${time}`, unixtime: `${time}` }))
    const [, device] = read('current', { devices }).fields
    assert.deepEqual(device, { field: 'device', read: '52A10003', held: '"52A10003"' })
  })

  it('distinguishes devices with the same serial under two base units', () => {
    const devices = ['5F0A1001', '5F0A1002'].map((serial, index) =>
      currentDevice({
        serial: '52C10008',
        name: `Rack ${index}`,
        unixtime: `${index}`,
        baseunit: { serial },
      }),
    )
    const name = read('current', { devices }).fields.find(({ field }) => field === 'name')
    assert.deepEqual(name, { field: 'name', read: 'Rack 1', held: '"Rack 1"' })
  })
})
