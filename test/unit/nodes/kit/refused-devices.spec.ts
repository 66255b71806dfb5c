import assert from 'node:assert/strict'
import { RefusedDevices } from '../../../../src/nodes/kit/state/refused-devices'
import { createVirtualClock } from '../../../support/clock'

const MINUTE = 60_000
const [a, b] = [
  { serial: '52A10001', base: '52A10001' },
  { serial: '52A10002', base: '5F0A1001' },
]

describe('devices that the service refused', () => {
  it('are left out for 10 minutes, and for twice as long each time, up to a day', () => {
    const clock = createVirtualClock()
    const refused = new RefusedDevices(clock)
    const pauses = Array.from({ length: 10 }, () => {
      const minutes = (refused.add(a) - clock.now()) / MINUTE
      clock.advance(minutes * MINUTE - 1)
      assert.equal(refused.has(a), true)
      clock.advance(1)
      assert.equal(refused.has(a), false)
      return minutes
    })
    assert.deepEqual(pauses, [10, 20, 40, 80, 160, 320, 640, 1280, 1440, 1440])
  })

  it('begin with 10 minutes again after an answer', () => {
    const clock = createVirtualClock()
    const refused = new RefusedDevices(clock)
    refused.add(a)
    refused.succeed(a)
    assert.equal(refused.has(a), false)
    assert.equal(refused.add(a) - clock.now(), 10 * MINUTE)
  })

  it('are not the same under another base unit', () => {
    const refused = new RefusedDevices(createVirtualClock())
    refused.add(b)
    assert.equal(refused.has({ ...b, base: '5F0A1002' }), false)
  })

  it('are forgotten by serial, or all of them', () => {
    const refused = new RefusedDevices(createVirtualClock())
    for (const device of [a, b]) refused.add(device)
    refused.forget([a.serial])
    assert.deepEqual([refused.has(a), refused.has(b)], [false, true])
    refused.forget('all')
    assert.equal(refused.has(b), false)
  })
})
