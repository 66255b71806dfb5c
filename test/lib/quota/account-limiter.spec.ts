import assert from 'node:assert/strict'
import type { EndpointName } from '../../../src/lib/api/endpoints'
import { createAccountLimiter, type Reservation } from '../../../src/lib/quota/account-limiter'
import { createJob } from '../../../src/lib/quota/job'
import { SILENT } from '../../support/quota/manual-service'

/** Memory over a million requests, seen through what would be saved. */
describe('the places of an account over a million requests', () => {
  const size = (places: ReturnType<typeof createAccountLimiter>, now: number) =>
    JSON.stringify(places.save(now, 0)).length

  it('stay as small as their windows ask for, however many went', () => {
    const places = createAccountLimiter(() => 1)
    let [largest, now] = [0, 0]
    for (let count = 0; count < 1_000_000; count++, now += 25) {
      const reservation = places.take('latest-data', undefined, now) as Reservation
      places.settle(reservation, { reading: { ...SILENT, remaining: 0 }, value: 1 }, now + 20, false)
      if (count % 10_000 === 9999) largest = Math.max(largest, size(places, now))
    }
    // A window has 500 grains, each an instant and an amount, ours and others'.
    assert.ok(largest < 2 * 520 * 40, `${largest} characters`)
    assert.equal(places.save(now + 100_000, 0).endpoints['latest-data'], undefined)
  })

  it('forget devices that were not asked for an hour', () => {
    const places = createAccountLimiter(() => 1)
    const HOUR = 3_601_000
    let [largest, now] = [0, 0]
    for (let count = 0; count < 20_000; count++, now += 36_000) {
      const reservation = places.take(
        'data',
        { device: `device ${count}`, wanted: 10, least: 10 },
        now,
      ) as Reservation
      places.settle(reservation, { reading: SILENT, records: 10, value: 1 }, now, false)
      if (count % 1000 === 999) largest = Math.max(largest, places.usage(now).length)
    }
    assert.ok(largest <= 2 * (HOUR / 36_000) + 64, `${largest} devices`)
    assert.equal(places.save(now + HOUR, 0).devices.data, undefined)
  })
})

describe('the next of an account’s places', () => {
  function waiting(...names: EndpointName[]) {
    const places = createAccountLimiter(() => 1)
    for (const name of names) {
      const reservation = places.take(name, undefined, 0) as Reservation
      places.settle(reservation, { reading: SILENT, value: 1 }, 0, false)
    }
    for (const name of names) places.put(createJob(name, name), 'node')
    return places
  }

  it('is of an endpoint that has a place', () => {
    const places = waiting('current', 'alert')
    for (let count = 0; count < 9; count++) places.take('current', undefined, 0)
    assert.equal(places.next(0)?.endpoint, 'alert')
    assert.equal(places.next(0), undefined)
    assert.equal(places.next(121_000)?.endpoint, 'current')
  })

  it('is none while another process holds it back', () => {
    const places = waiting('current')
    places.holdBack('current', 500)
    assert.equal(places.next(499), undefined)
    assert.equal(places.nextChange(0), 500)
    assert.equal(places.next(500)?.endpoint, 'current')
  })

  it('changes when the first of all comes free, or never where nobody waits', () => {
    const places = waiting('current', 'alert')
    assert.equal(places.nextChange(10), Number.POSITIVE_INFINITY)
    for (let count = 0; count < 9; count++) places.take('current', undefined, 0)
    for (let count = 0; count < 11; count++) places.take('alert', undefined, 0)
    assert.equal(places.nextChange(10), 121_000)
  })
})
