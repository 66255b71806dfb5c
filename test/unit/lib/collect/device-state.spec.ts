import assert from 'node:assert/strict'
import type { RetainedDelivery } from '../../../../src/lib/collect/awaited-delivery'
import type { Cursor } from '../../../../src/lib/collect/cursor'
import { DeviceState } from '../../../../src/lib/collect/device-state'
import { DeviceStates } from '../../../../src/lib/collect/device-states'
import { createVirtualClock } from '../../../support/clock'

const MINUTE = 60_000
const DAY = 86_400_000
const at = (content: number) => ({ seen: [`${content}`] })
const retained = { content: { kind: 'alerts', alerts: [] } } as unknown as RetainedDelivery

/** A device with its cursor at 10, and how often it had to be saved since. */
function begin() {
  let saves = 0
  const device = new DeviceState(() => saves++)
  device.advance(at(10))
  saves = 0
  /** Sends what was new up to this number at this time, and waits for a receipt until 1000. */
  const send = (content: number, now = content, data: RetainedDelivery | null = retained) => {
    const issuedAt = device.issue(at(content), at(content), data, now)
    device.awaitReceipt(issuedAt, 1000)
    device.markSent(issuedAt)
    return issuedAt
  }
  return { device, send, saves: () => saves }
}

/** The device in the next process. @param now ms since 1970 UTC */
function restart(device: DeviceState, now = 0): DeviceState {
  const next = new DeviceState(() => {})
  next.restore(JSON.parse(JSON.stringify(device.toSave(now, now) ?? {})), now, now)
  return next
}

describe('receipts', () => {
  it('confirm the last delivery; those of other deliveries, and repeated ones, have no effect', () => {
    const { device, send, saves } = begin()
    const [first, last] = [send(20), send(30)]
    const saved = saves()
    for (const other of [first, last + 1, 0]) device.acknowledge(other)
    assert.deepEqual([device.cursor, device.receiptWait(0), saves()], [at(10), 1000, saved])
    device.acknowledge(last)
    assert.deepEqual([device.cursor, device.receiptWait(0), saves()], [at(30), 0, saved + 1])
    for (const old of [first, last]) device.acknowledge(old)
    assert.deepEqual([device.cursor, saves()], [at(30), saved + 1])
  })

  it('differ, even within a millisecond, and if the clock is set back', () => {
    const { device, send } = begin()
    const issued = [send(20, 500), send(30, 500), send(40, 100)]
    assert.equal(new Set(issued).size, 3)
    const last = issued.at(-1) ?? 0
    assert.equal(new Set([...issued, restart(device).issue(at(50), at(50), null, last)]).size, 4)
  })

  it('have an effect in the next process, too', () => {
    const { device, send } = begin()
    const [first, last] = [send(20), send(30)]
    const next = restart(device)
    assert.deepEqual([next.receiptWait(0), next.overdue], [0, null], 'everything is requested again')
    next.acknowledge(first)
    assert.deepEqual(next.cursor, at(10))
    next.acknowledge(last)
    assert.deepEqual(next.cursor, at(30))
  })

  it('of forgotten deliveries have no effect', () => {
    const { device, send } = begin()
    const issuedAt = send(20)
    device.forget()
    device.acknowledge(issuedAt)
    assert.equal(device.cursor, null)
  })

  it('become overdue: a retained delivery is sent again with the same one, anything else is requested', () => {
    const { device, send } = begin()
    const issuedAt = send(20)
    assert.deepEqual([device.receiptWait(999), device.receiptWait(1000)], [1, 0])
    assert.deepEqual(device.overdue, { issuedAt, retained })
    send(30, 30, null)
    assert.equal(device.overdue, null)
  })

  it('that are missing count the resends since the first delivery, and can be skipped', () => {
    const { device, send } = begin()
    send(20)
    send(30)
    assert.deepEqual(device.unacknowledged, { since: 20, resends: 1 })
    // Requested again with later records, and not sent yet: only what was sent counts as delivered.
    device.issue(at(40), at(40), retained, 40)
    device.skip()
    assert.deepEqual([device.cursor, device.unacknowledged], [at(30), null])
    send(40)
    const isOver = device.beginPoll()
    device.skip()
    assert.deepEqual([device.cursor, device.unacknowledged, isOver()], [at(40), null, true])
  })

  it('that are not missing need not be skipped: that changes nothing', () => {
    const { device, saves } = begin()
    device.skip()
    assert.deepEqual([device.cursor, saves()], [at(10), 0])
  })

  it('keep what failed of the missing periods, both those known now and those known later', () => {
    const hole = (from: number) => ({ from, to: from + MINUTE, begin: null, held: '', hashes: [] })
    const withHoles = (...from: number[]) => ({ ...at(10), holes: from.map(hole) }) as unknown as Cursor
    const device = new DeviceState(() => {})
    device.advance(withHoles(DAY))
    device.awaitReceipt(device.issue(withHoles(2 * DAY, DAY), withHoles(DAY), null, 1), 1000)
    for (const from of [2 * DAY, DAY]) device.pages.of(from).failed(16_000, 0)
    assert.equal(device.nextHole(1, 1), undefined)
  })

  it('are not awaited any longer for a page that was sent again: a smaller one follows', () => {
    const [device, hole] = [
      new DeviceState(() => {}),
      { from: DAY, to: 2 * DAY, begin: null, held: '', hashes: [] },
    ]
    const withHole = { ...at(10), holes: [hole] } as unknown as Cursor
    device.advance(withHole)
    device.pages.begin({ from: DAY, records: 900 })
    const issuedAt = device.issue(at(20), at(10), retained, 1)
    device.markSent(issuedAt)
    assert.equal(device.dropPage(0), false)
    device.markSent(issuedAt)
    assert.deepEqual([device.dropPage(0), device.cursor, device.unacknowledged], [true, withHole, null])
    assert.deepEqual([device.pages.of(DAY).number, device.nextHole(0, 10 * MINUTE - 1)], [450, undefined])
    assert.equal(device.nextHole(0, 10 * MINUTE), hole)
  })

  it('are awaited after a deploy for at most the new time, or no longer', () => {
    const { device, send } = begin()
    send(20)
    device.deploy(false, 5000)
    assert.equal(device.receiptWait(0), 1000)
    device.deploy(false, 600)
    assert.equal(device.receiptWait(0), 600)
    send(30)
    device.deploy(false, null)
    assert.deepEqual([device.receiptWait(0), device.unacknowledged, device.overdue], [0, null, null])
  })

  it('are awaited after a deploy with other settings, but nothing is sent again in its old form', () => {
    const { device, send } = begin()
    send(20)
    device.deploy(true, 5000)
    assert.deepEqual([device.receiptWait(0), device.overdue], [1000, null])
  })
})

describe('a device that the service has refused', () => {
  it('is skipped for 10 minutes, and for twice as long each time, up to a day', () => {
    const { device } = begin()
    let now = 0
    const pauses = Array.from({ length: 10 }, () => {
      const pauseMs = device.refuse(now, false)
      assert.equal(device.refusal.left(now + pauseMs - 1) > 0, true)
      now += pauseMs
      assert.equal(device.refusal.left(now) > 0, false)
      return pauseMs / MINUTE
    })
    assert.deepEqual(pauses, [10, 20, 40, 80, 160, 320, 640, 1280, 1440, 1440])
  })

  it('starts with 10 minutes again after a response, a deploy, a restart and forget', () => {
    const ends: ((device: DeviceState) => void)[] = [
      (device) => device.markResponded(),
      (device) => device.deploy(false, null),
      (device) => device.forget(),
    ]
    for (const end of ends) {
      const { device } = begin()
      device.refuse(0, false)
      end(device)
      for (const same of [restart(device), device])
        assert.deepEqual([same.refusal.left(0) > 0, same.refuse(0, false)], [false, 10 * MINUTE])
    }
  })

  const withoutAlerts = () => {
    let saves = 0
    const device = new DeviceState(() => saves++)
    assert.equal(device.refuse(0, true), DAY)
    assert.equal(saves, 1)
    return device
  }

  it('alerts, and never had an answer to them, is skipped for a day, over deploys and restarts', () => {
    const deployed = withoutAlerts()
    deployed.deploy(true, null)
    const restarted = restart(restart(deployed, DAY / 4), DAY / 2)
    assert.deepEqual([restarted.refusal.left(DAY - 1) > 0, restarted.refusal.left(DAY) > 0], [true, false])
    assert.equal(restarted.refuse(DAY, true), DAY)
  })

  it('alerts once is asked at once after forget, and for 10 minutes if it had an answer', () => {
    const forgotten = withoutAlerts()
    forgotten.forget()
    assert.equal(restart(forgotten).refusal.left(0) > 0, false)
    const responded = withoutAlerts()
    responded.markResponded()
    assert.deepEqual([responded.refusal.left(0) > 0, responded.refuse(0, true)], [false, 10 * MINUTE])
    assert.equal(begin().device.refuse(0, true), 10 * MINUTE, 'an earlier process had an answer')
  })
})

describe('a page that is dropped', () => {
  it('is noted in the saved state, so that a smaller one follows', () => {
    const { device, send, saves } = begin()
    device.pages.begin({ from: 0, records: 900 })
    send(20, 20, null)
    const before = saves()
    assert.equal(device.dropPage(1000), true)
    assert.equal(saves(), before + 1)
  })

  it('is followed by a smaller one, also if the node was deployed while its receipt was awaited', () => {
    const { device, send } = begin()
    device.pages.begin({ from: 0, records: 900 })
    const issuedAt = send(20)
    device.close()
    device.deploy(false, 0)
    device.markSent(issuedAt)
    assert.equal(device.dropPage(1000), true)
    assert.equal(device.pages.of(0).number, 450)
  })
})

describe('the pauses of pages of missing records', () => {
  for (const [what, act] of [
    ['a deploy', (device: DeviceState) => device.deploy(false, null)],
    ['forget', (device: DeviceState) => device.forget()],
  ] as const)
    it(`are ended by ${what}`, () => {
      const { device } = begin()
      device.pages.of(0).failed(300, 0)
      assert.ok(device.pages.of(0).left(0) > 0)
      act(device)
      assert.equal(device.pages.of(0).left(0), 0)
    })
})

describe('pages of missing records that arrive', () => {
  it('double their number of records after ten in a row', () => {
    const { device } = begin()
    device.pages.of(0).failed(16_000, 0)
    const sizes = Array.from({ length: 10 }, () => {
      device.pages.begin({ from: 0, records: 8000 })
      device.advance(at(10))
      return device.pages.of(0).number
    })
    assert.deepEqual(sizes, [...Array(9).fill(8000), 16_000])
  })
})

describe('the cursor of a device', () => {
  it('is not known to be saved after forget, or after a restart without one', () => {
    const { device } = begin()
    device.markSaved(at(10))
    assert.equal(device.isSaved, false, 'another one was')
    if (device.cursor) device.markSaved(device.cursor)
    assert.deepEqual([device.isSaved, restart(device).isSaved], [true, true])
    device.forget()
    device.rememberReading('a reading')
    assert.deepEqual([device.isSaved, restart(device).isSaved], [false, false])
  })
})

describe('devices whose receipts do not come', () => {
  it('are counted from the first resend on, with the oldest delivery; users are warned at the fourth', () => {
    const devices = new DeviceStates(createVirtualClock(), () => {})
    const chosen = ['A', 'B'].map((serial) => ({ serial, base: serial }))
    devices.select(chosen)
    const seen = [1, 2, 3, 4, 5].map((time) => {
      for (const [index, { serial }] of chosen.entries()) {
        const device = devices.get(`${serial}/${serial}`)
        device.markSent(device.issue(at(10), at(10), retained, 100 * (index + 1) + time))
      }
      return devices.unacknowledged()
    })
    const about = (isWarning: boolean) => ({ devices: 2, since: 101, isWarning })
    assert.deepEqual(seen, [undefined, about(false), about(false), about(false), about(true)])
  })

  it('warn users as soon as one of them is sent for the fourth time without a receipt', () => {
    const devices = new DeviceStates(createVirtualClock(), () => {})
    const chosen = ['A', 'B'].map((serial) => ({ serial, base: serial }))
    devices.select(chosen)
    for (const [{ serial = '' } = {}, sends] of [
      [chosen[0], 5],
      [chosen[1], 2],
    ] as const)
      for (let time = 0; time < sends; time++) {
        const device = devices.get(`${serial}/${serial}`)
        device.markSent(device.issue(at(10), at(10), retained, time))
      }
    assert.equal(devices.unacknowledged()?.isWarning, true)
  })
})
