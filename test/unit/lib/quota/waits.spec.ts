import assert from 'node:assert/strict'
import { onBackgroundError } from '../../../../src/lib/background'
import type { QuotaWait } from '../../../../src/lib/request'
import { refusal } from '../../../support/fake-transport'
import { fine, HELD_MS, Station } from './setup'

const one = { current: { limit: 1 } }
const two = { current: { limit: 2 } }

describe('a request with a limited wait', () => {
  it('fails immediately if the estimate exceeds its limit, with the time of the next permit', async () => {
    const station = await new Station(one).begin()
    await station.exchange()
    await station.clock.pass(1000)
    const { error } = await station.settled('a', { maxWaitMs: 0 })
    const retryAt = new Date(station.clock.now() + HELD_MS - 1000).toISOString()
    assert.equal(error?.reason, 'quota-wait')
    assert.deepEqual(error?.cause, { endpoint: 'current', retryAt })
  })

  it('waits if the estimate is within its limit, counting requests that are sent first', async () => {
    const station = await new Station(one).begin()
    await station.exchange()
    const seen = ['a', 'b', 'c', 'd'].map((serial) => station.request(serial, { maxWaitMs: 2.5 * HELD_MS }))
    await station.clock.settle()
    assert.deepEqual(
      seen.map(({ state }) => state),
      ['waiting', 'waiting', 'failed', 'failed'],
    )
  })

  it('counts a window for each time that the limit is used up before', async () => {
    const station = await new Station({ current: { limit: 3 } }).begin()
    for (let count = 0; count < 3; count++) await station.exchange()
    await station.clock.pass(HELD_MS - 20_000)
    const seen = Array.from({ length: 12 }, (_, index) =>
      station.request(`${index}`, { maxWaitMs: HELD_MS + 20_000 }),
    )
    await station.clock.settle()
    assert.equal(seen.filter(({ state }) => state === 'waiting').length, 6)
  })

  it('is sent if its permit becomes free just when its limit ends', async () => {
    const station = await new Station(one).begin()
    await station.exchange()
    const seen = station.request('a', { maxWaitMs: HELD_MS })
    await station.clock.pass(HELD_MS)
    await station.answer()
    assert.equal(seen.state, 'done')
  })

  it('fails as soon as the estimate exceeds the limit', async () => {
    const station = await new Station(two).begin()
    station.request('slow')
    await station.exchange(fine(), 'quick')
    const seen = ['a', 'b'].map((serial) => station.request(serial, { maxWaitMs: HELD_MS }))
    const states = () => seen.map(({ state }) => state)
    await station.clock.settle()
    assert.deepEqual(states(), ['waiting', 'waiting'])
    await station.clock.pass(2000)
    assert.deepEqual(states(), ['waiting', 'failed'])
  })

  it('does not count waiting for a connection, nor for the first response after a start', async () => {
    const station = new Station()
    station.request('first')
    const seen = station.request('a', { maxWaitMs: 0 })
    await station.clock.pass(60_000)
    assert.equal(seen.state, 'waiting')
    await station.answer()
    await station.answer()
    assert.equal(seen.state, 'done')
  })

  it("fails with the error of the endpoint's last attempt, if there was one", async () => {
    const station = await new Station({}, 1).begin()
    const seen = await station.exchange(refusal(429), 'a')
    assert.equal(seen.state, 'waiting')
    const impatient = station.request('a', { maxWaitMs: 0 })
    await station.clock.settle()
    assert.deepEqual([impatient.error?.reason, seen.state], ['quota-refused', 'waiting'])
  })
})

describe('the end of a round', () => {
  it('is estimated from the requests that it still has to send', async () => {
    const station = await new Station(two).begin()
    const inMs = (requests: number) =>
      station.quota.estimateRoundEnd('current', requests) - station.clock.now()
    for (let count = 0; count < 2; count++) await station.exchange()
    assert.deepEqual([inMs(2), inMs(3), inMs(5)], [HELD_MS, 2 * HELD_MS, 3 * HELD_MS])
  })
})

describe('a request whose wait is reported', () => {
  it('reports the estimate, its changes, and the end', async () => {
    const station = await new Station(one).begin()
    await station.exchange()
    const waits: QuotaWait[] = []
    const until = station.clock.now() + HELD_MS
    station.request('a', { onWait: (wait) => waits.push(wait) })
    await station.clock.settle()
    assert.deepEqual(waits, [{ endpoint: 'current', until, records: false }])
    await station.clock.pass(HELD_MS)
    assert.deepEqual(waits.at(-1), { endpoint: 'current', until: null, records: false })
    assert.equal(waits.length, 2)
  })

  it('reports a change of its estimate by a second or more', async () => {
    for (const [ms, reports] of [
      [999, 1],
      [1000, 2],
    ] as const) {
      const station = await new Station(one).begin()
      station.request('slow')
      const waits: QuotaWait[] = []
      station.request('a', { onWait: (wait) => waits.push(wait) })
      await station.clock.pass(ms)
      await station.answer()
      assert.equal(waits.length, reports)
      assert.equal(waits.at(-1)?.until, station.clock.now() + HELD_MS - (ms % 1000))
    }
  })

  it('is not reported if it is shorter than a second', async () => {
    for (const [ms, reports] of [
      [999, 0],
      [1000, 1],
    ] as const) {
      const station = await new Station(one).begin()
      await station.exchange()
      await station.clock.pass(HELD_MS - ms)
      const waits: QuotaWait[] = []
      station.request('a', { onWait: (wait) => waits.push(wait) })
      await station.clock.settle()
      assert.equal(waits.length, reports)
      await station.clock.pass(ms)
      assert.equal(waits.length, 2 * reports)
    }
  })

  it('is sent even if its callback throws, which is reported', async () => {
    const station = await new Station(one).begin()
    await station.exchange()
    const reported: unknown[] = []
    onBackgroundError((error) => reported.push(error))
    const error = new Error('broken')
    station.request('a', {
      onWait: () => {
        throw error
      },
    })
    await station.clock.pass(HELD_MS)
    onBackgroundError(() => {})
    assert.deepEqual([await station.serials(), reported], [['a'], [error, error]])
  })
})
