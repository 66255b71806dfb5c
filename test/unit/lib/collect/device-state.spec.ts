import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { Backfill } from '../../../../src/lib/collect/backfill'
import { DeviceState, type RetainedDelivery } from '../../../../src/lib/collect/device-state'
import { EnvlogError, type Reason } from '../../../../src/lib/errors'

const HOUR = 3_600_000
const at = (sequence: number, content = sequence) => ({ seen: [`${content}`], sequence })
const retained = { content: { kind: 'alerts', alerts: [] } } as unknown as RetainedDelivery
const backfill = { received: { series: { records: [] } }, paging: { parts: [] } } as unknown as Backfill

/** A device with its cursor at 10, and how often it had to be saved since. */
function begin() {
  let saves = 0
  const device = new DeviceState(() => saves++)
  device.advance(at(10))
  saves = 0
  /** Sends what was new in the response with this number, and waits for a receipt until 1000. */
  const send = (sequence: number, content = sequence, data: RetainedDelivery | null = retained) => {
    const next = at(sequence, content)
    device.issue(next, next, data)
    device.awaitReceipt(next, 1000)
    device.markSent(next)
  }
  return { device, send, saves: () => saves }
}

describe('receipts', () => {
  it('only move a cursor forward, in any order, and regardless of repetitions', () => {
    const sequences = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1 })
    type Begun = ReturnType<typeof begin>
    const begun = fc.constantFrom<(begun: Begun) => void>(
      () => {},
      ({ device }) => device.beginPoll(),
      ({ device }) => {
        device.backfill.current = backfill
      },
      ({ send }) => send(20),
    )
    fc.assert(
      fc.property(begun, sequences, (make, order) => {
        const given = begin()
        const { device, saves } = given
        make(given)
        let latest = 10
        let moves = 0
        for (const sequence of order) {
          device.acknowledge(at(sequence))
          if (sequence > latest) moves++
          latest = Math.max(latest, sequence)
          assert.deepEqual([device.cursor?.sequence, saves()], [latest, moves])
        }
      }),
    )
  })

  it('of any delivery of the same records end the wait, those of an older delivery do not', () => {
    const { device, send } = begin()
    send(20)
    send(30)
    send(40, 30)
    device.acknowledge(at(20))
    assert.equal(device.isAwaitingReceipt(0), true)
    device.acknowledge(at(30))
    assert.equal(device.isAwaitingReceipt(0), false)
    assert.ok(device.latestSequence >= 40, 'the other receipt is void')
  })

  it('of forgotten deliveries are void, even if another process made the delivery', () => {
    const { device, send } = begin()
    send(20)
    device.forget(15)
    device.acknowledge(at(20))
    assert.equal(device.cursor, null)
    device.forget(40)
    device.acknowledge(at(40))
    assert.equal(device.cursor, null)
    device.acknowledge(at(41))
    assert.deepEqual(device.cursor, at(41))
  })

  it('become overdue: a retained delivery is sent again, anything else is requested', () => {
    const { device, send } = begin()
    send(20)
    assert.deepEqual([device.isAwaitingReceipt(999), device.isAwaitingReceipt(1000)], [true, false])
    assert.equal(device.overdue?.retained, retained)
    send(30, 30, null)
    assert.equal(device.overdue, null)
  })

  it('that are missing count the resends since the first delivery, and can be skipped', () => {
    const { device, send } = begin()
    send(20)
    send(30, 20)
    assert.deepEqual(device.unacknowledged, { since: 20, resends: 1 })
    // Requested again with later records, and not sent yet: only what was sent counts as delivered.
    device.issue(at(40), at(40), retained)
    device.skip()
    assert.deepEqual([device.cursor, device.unacknowledged], [at(30, 20), null])
    send(40)
    device.acknowledge(at(11))
    const isOver = device.beginPoll()
    device.skip()
    assert.deepEqual([device.cursor, device.unacknowledged, isOver()], [at(40), null, true])
  })

  it('may be of later records than those that are skipped', () => {
    const { device, send } = begin()
    send(20)
    device.issue(at(40), at(40), retained)
    device.acknowledge(at(30))
    device.skip()
    assert.deepEqual(device.cursor, at(30))
  })

  it('are awaited after a deploy for at most the new time, or no longer', () => {
    const { device, send } = begin()
    send(20)
    device.deploy(false, 5000)
    assert.deepEqual([device.isAwaitingReceipt(999), device.isAwaitingReceipt(1000)], [true, false])
    device.deploy(false, 600)
    assert.equal(device.isAwaitingReceipt(600), false)
    send(30)
    device.deploy(false, null)
    assert.deepEqual([device.isAwaitingReceipt(0), device.unacknowledged], [false, null])
    assert.deepEqual(device.overdue?.next, at(30))
  })

  it('are awaited after a deploy with other settings, but nothing is sent again in its old form', () => {
    const { device, send } = begin()
    send(20)
    device.deploy(true, 5000)
    assert.deepEqual([device.isAwaitingReceipt(0), device.overdue], [true, null])
  })
})

describe('a backfill', () => {
  /** Fails at these hours; returns whether it was given up at each. */
  const fail = (device: DeviceState, reason: Reason, ...hours: number[]) =>
    hours.map((hour) => device.backfill.fail(new EnvlogError(reason), hour * HOUR))

  it('is requested as long as failures are transient', () => {
    const { device } = begin()
    device.backfill.current = backfill
    assert.ok(fail(device, 'no-connection', 1, 50, 100).every((isGivenUp) => !isGivenUp))
    assert.equal(device.backfill.current, backfill)
  })

  it('is given up if the same page was refused, or could not be decoded, three times in over a day', () => {
    for (const reason of ['device-refused', 'reply-unreadable'] as const) {
      const { device } = begin()
      device.backfill.current = backfill
      assert.deepEqual(fail(device, reason, 1, 20, 24.9, 25), [false, false, false, true])
      assert.deepEqual(fail(begin().device, reason, 1, 99), [false, false])
    }
  })

  it('is given up even by a Node-RED that is restarted every day', () => {
    let { device } = begin()
    const days: boolean[] = []
    for (let day = 0; day < 3; day++) {
      device.backfill.current = backfill
      days.push(...fail(device, 'device-refused', day * 24, day * 24 + 10))
      const saved = JSON.parse(JSON.stringify(device.toSave()))
      device = new DeviceState(() => {})
      device.restore(saved)
    }
    assert.deepEqual(days, [false, false, false, false, false, true])
  })

  it('counts failures from each received page on', () => {
    const { device } = begin()
    device.backfill.current = backfill
    fail(device, 'reply-unreadable', 1, 20)
    device.backfill.addPage(backfill)
    assert.deepEqual(fail(device, 'reply-unreadable', 26), [false])
  })

  it('is given up immediately if it is refused after an earlier one was given up, until a page is received', () => {
    const { device } = begin()
    device.backfill.current = backfill
    assert.equal(fail(device, 'device-refused', 1, 20, 25).at(-1), true)
    device.advance(at(20))
    device.backfill.current = backfill
    assert.deepEqual(fail(device, 'reply-unreadable', 25), [false], 'it may be readable the next time')
    assert.deepEqual(fail(device, 'device-refused', 26), [true])
    device.backfill.addPage(backfill)
    assert.deepEqual(fail(device, 'device-refused', 26), [false])
  })
})

describe('a device that the service has refused', () => {
  it('is skipped for 10 minutes, and for twice as long each time, up to a day', () => {
    const { device } = begin()
    let now = 0
    const pauses = Array.from({ length: 10 }, () => {
      const pauseMs = device.refuse(now)
      assert.equal(device.isPaused(now + pauseMs - 1), true)
      now += pauseMs
      assert.equal(device.isPaused(now), false)
      return pauseMs / 60_000
    })
    assert.deepEqual(pauses, [10, 20, 40, 80, 160, 320, 640, 1280, 1440, 1440])
  })

  it('starts with 10 minutes again after a response, a deploy and forget', () => {
    const ends: ((device: DeviceState) => void)[] = [
      (device) => device.markResponded(),
      (device) => device.deploy(false, null),
      (device) => device.forget(0),
    ]
    for (const end of ends) {
      const { device } = begin()
      device.refuse(0)
      end(device)
      assert.deepEqual([device.isPaused(0), device.refuse(0)], [false, 600_000])
    }
  })
})
