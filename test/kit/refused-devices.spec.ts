import assert from 'node:assert/strict'
import { createRefusedDevices } from '../../src/nodes/kit/state/refused-devices'
import { createVirtualClock } from '../support/clock'

const HOUR = 3_600_000
const [a, b] = [
  { serial: '52A10001', base: '52A10001' },
  { serial: '52A10002', base: '5F0A1001' },
]

describe('devices that the service refused', () => {
  it('are left alone for a day, each from its own refusal on', () => {
    const clock = createVirtualClock()
    const refused = createRefusedDevices(clock)
    refused.add(a)
    clock.advance(12 * HOUR)
    refused.add(b)
    clock.advance(12 * HOUR - 1)
    assert.deepEqual([refused.has(a), refused.has(b)], [true, true])
    clock.advance(1)
    assert.deepEqual([refused.has(a), refused.has(b)], [false, true])
    clock.advance(12 * HOUR)
    assert.equal(refused.has(b), false)
  })

  it('are not the same under another base unit', () => {
    const refused = createRefusedDevices(createVirtualClock())
    refused.add(b)
    assert.equal(refused.has({ ...b, base: '5F0A1002' }), false)
  })

  it('are forgotten by serial, or all of them', () => {
    const refused = createRefusedDevices(createVirtualClock())
    for (const device of [a, b]) refused.add(device)
    refused.forget([a.serial])
    assert.deepEqual([refused.has(a), refused.has(b)], [false, true])
    refused.forget('all')
    assert.equal(refused.has(b), false)
  })
})
