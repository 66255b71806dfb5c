import assert from 'node:assert/strict'
import { findLoss } from '../../../../src/lib/collect/find-loss'
import type { Series } from '../../../../src/lib/readings/series'

const MINUTE = 60_000
const FROM = Date.UTC(2026, 10, 19, 15)
const TO = FROM + 24 * 60 * MINUTE

/** Records of a device, the first one this many minutes after the period begins. */
function series(after: number, count: number, { minutes = 1, standalone = false, model = 'M-503' } = {}) {
  const records = Array.from({ length: count }, (_, index) => ({
    timestamp: FROM + (after + index * minutes) * MINUTE,
  }))
  return { standalone, model, records: [{ timestamp: null }, ...records] } as unknown as Series
}

describe('records of a period that the service no longer has', () => {
  /** Requested this many minutes after the period. */
  const lossOf = (given: Series, later: number, models: string[] = []) =>
    findLoss(given, { from: FROM, to: TO }, TO + later * MINUTE, models)
  const until = (after: number) => ({ from: FROM, to: FROM + after * MINUTE })

  it('are those before the first one, if a remote unit has about as many since then as it can have', () => {
    // Yesterday of a unit that records every minute, requested at two in the morning.
    assert.deepEqual(lossOf(series(60, 1380), 120), until(60))
    assert.deepEqual(lossOf(series(15, 1425), 60), until(15))
    assert.deepEqual(lossOf(series(100, 134, { minutes: 10 }), 14_000), until(100))
  })

  it('are none if it has fewer: the device has not recorded before', () => {
    // The last day of a unit that was off for a while.
    assert.equal(lossOf(series(20, 1420), 0), undefined)
    assert.equal(lossOf(series(100, 134, { minutes: 10 }), 12_000), undefined)
    assert.equal(lossOf(series(720, 144, { minutes: 5 }), 120), undefined)
    assert.equal(lossOf(series(720, 720, { standalone: true }), 2000), undefined)
  })

  it('are none if the first one is within two intervals of the beginning, or alone', () => {
    assert.equal(lossOf(series(2, 1438), 120), undefined)
    assert.deepEqual(lossOf(series(3, 1437), 120), until(3))
    for (const count of [0, 1, 9]) assert.equal(lossOf(series(600, count), 10_000), undefined)
  })

  it('depend on the series of a standalone device, if it is known', () => {
    const device = series(600, 840, { standalone: true, model: 'M-71' })
    assert.equal(lossOf(device, 72_000), undefined)
    assert.deepEqual(lossOf(device, 72_000, ['M-7']), until(600))
    assert.deepEqual(lossOf(device, 145_000), until(600))
  })

  it('are assumed from as many records on as the service keeps', () => {
    for (const [kept, device, models] of [
      [1500, series(500, 1000), []],
      [80_000, series(500, 1000, { standalone: true, model: 'M-71' }), ['M-7']],
      [160_000, series(500, 1000, { standalone: true }), []],
    ] as const) {
      // 1,000 with one percent more, and a tenth more than there are minutes since the period.
      const withHeld = (held: number) => lossOf(device, (held - 1010) / 1.1, [...models])
      assert.deepEqual([withHeld(kept - 0.5), withHeld(kept + 0.5)], [undefined, until(500)])
    }
  })
})
