import assert from 'node:assert/strict'
import { createRefusedDevices } from '../../../../src/nodes/kit/state/refused-devices'
import { createVirtualClock } from '../../../support/clock'

const HOUR = 3_600_000
const [a, b] = [
  { serial: '52A10001', base: '52A10001' },
  { serial: '52A10002', base: '5F0A1001' },
]

describe('devices that the service refused', () => {
  it('are not requested for a day after the refusal of each', () => {
    const clock = createVirtualClock()
    const refusedDevices = createRefusedDevices(clock)
    refusedDevices.add(a)
    clock.advance(12 * HOUR)
    refusedDevices.add(b)
    clock.advance(12 * HOUR - 1)
    assert.deepEqual([refusedDevices.has(a), refusedDevices.has(b)], [true, true])
    clock.advance(1)
    assert.deepEqual([refusedDevices.has(a), refusedDevices.has(b)], [false, true])
    clock.advance(12 * HOUR)
    assert.equal(refusedDevices.has(b), false)
  })

  it('are not the same under another base unit', () => {
    const refusedDevices = createRefusedDevices(createVirtualClock())
    refusedDevices.add(b)
    assert.equal(refusedDevices.has({ ...b, base: '5F0A1002' }), false)
  })

  it('are forgotten by serial, or all of them', () => {
    const refusedDevices = createRefusedDevices(createVirtualClock())
    for (const device of [a, b]) refusedDevices.add(device)
    refusedDevices.forget([a.serial])
    assert.deepEqual([refusedDevices.has(a), refusedDevices.has(b)], [false, true])
    refusedDevices.forget('all')
    assert.equal(refusedDevices.has(b), false)
  })
})
