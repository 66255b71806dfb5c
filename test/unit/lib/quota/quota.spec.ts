import assert from 'node:assert/strict'
import { onBackgroundError } from '../../../../src/lib/background'
import { EnvlogError } from '../../../../src/lib/errors'
import { limitsWith } from '../../../../src/lib/quota/limits'
import { MAX_QUEUED } from '../../../../src/lib/quota/quota'
import { EDITOR, type QuotaWait } from '../../../../src/lib/request'
import { brokenOff, refusal, streamed, text } from '../../../support/fake-transport'
import { fine, records, Station, withHeaders } from './setup'

/** For the endpoint `current`: a window of two minutes and a margin, ms. */
const HELD_MS = 121_000
const HOUR_MS = 3_600_000
const one = { current: { limit: 1 } }
const two = { current: { limit: 2 } }

const current = (station: Station) => station.quota.counts().endpoints.current

describe('a permit', () => {
  it('is free again a window and a margin after the response, not after the request', async () => {
    const station = await new Station(one).begin()
    station.request('a')
    await station.clock.pass(60_000)
    await station.answer()
    station.request('b')
    await station.clock.pass(HELD_MS - 1)
    assert.deepEqual(await station.serials(), [])
    await station.clock.pass(1)
    assert.deepEqual(await station.serials(), ['b'])
  })

  it('is not used by a request that was not sent', async () => {
    const station = await new Station(one).begin()
    station.isReachable = false
    const seen = station.request('a')
    await station.clock.settle()
    assert.deepEqual([seen.error?.reason, current(station).own], ['no-connection', 0])
  })

  it('is used by a request that may have been received', async () => {
    const station = await new Station(one).begin()
    const seen = await station.exchange(new EnvlogError('connection-broken'))
    assert.deepEqual([seen.error?.reason, current(station).own], ['connection-broken', 1])
  })

  it("stays used when the account's settings change", async () => {
    const station = await new Station(one).begin()
    await station.exchange()
    station.quota.join({ concurrency: 1, limits: limitsWith() })
    assert.equal(current(station).own, 1)
  })
})

describe('usage', () => {
  it('is kept for its own window when an account node with a shorter one leaves', async () => {
    const station = await new Station(two).begin()
    await station.exchange()
    await station.exchange()
    const leave = station.quota.join({
      concurrency: 1,
      limits: limitsWith({ current: { limit: 1, window: 70 } }),
    })
    await station.clock.pass(75_000)
    station.request('allowed by the other one')
    await station.answer()
    leave()
    assert.equal(current(station).own, 3)
  })
})

describe('the order of requests', () => {
  async function answerAllInOrder(station: Station): Promise<string[]> {
    const order: string[] = []
    for (;;) {
      const [first] = await station.serials()
      if (first === undefined) return order
      order.push(first)
      await station.answer()
    }
  }

  it('lets the nodes take turns, one request each, and puts the editor first', async () => {
    const station = await new Station({ current: { limit: 100 } }, 1).begin()
    for (const serial of ['a1', 'a2', 'a3', 'a4']) station.request(serial, { queueKey: 'a' })
    for (const serial of ['b1', 'b2']) station.request(serial, { queueKey: 'b' })
    station.request('editor', { queueKey: EDITOR })
    assert.deepEqual(await answerAllInOrder(station), ['editor', 'a1', 'b1', 'a2', 'b2', 'a3', 'a4'])
  })

  it('sends a request that two nodes wait for at the first turn of either', async () => {
    const station = await new Station({ current: { limit: 100 } }, 1).begin()
    for (const serial of ['a1', 'a2', 'both']) station.request(serial, { queueKey: 'a' })
    station.request('both', { queueKey: 'b' })
    assert.deepEqual(await answerAllInOrder(station), ['a1', 'both', 'a2'])
  })

  it('lets other endpoints proceed while one waits', async () => {
    const station = await new Station(one).begin()
    await station.begin('alert')
    await station.exchange()
    station.request('waits')
    station.request('passes', { endpoint: 'alert' })
    assert.deepEqual(await station.serials(), ['passes'])
  })

  it('sends at most the lowest concurrency of all account nodes at a time', async () => {
    const station = await new Station({ current: { limit: 100 } }, 2).begin()
    for (const serial of ['a', 'b', 'c']) station.request(serial)
    assert.deepEqual(await station.serials(), ['a', 'b'])
  })

  it('rejects a request with ENVLOG_BUSY if MAX_QUEUED are waiting', async () => {
    const station = new Station()
    station.request('sent')
    await station.clock.settle()
    for (let count = 0; count < MAX_QUEUED; count++) station.request(`${count}`)
    const tooMany = station.request('one more')
    await station.clock.settle()
    assert.equal(tooMany.error?.code, 'ENVLOG_BUSY')
  }).timeout(20_000)
})

describe('identical requests at the same time', () => {
  it('are sent once, and each caller gets a copy that it may modify', async () => {
    const station = await new Station().begin()
    const seen = [station.request('a'), station.request('a')]
    assert.deepEqual(await station.serials(), ['a'])
    seen.push(station.request('a'))
    await station.answer()
    const values = seen.map(({ value }) => value)
    assert.deepEqual(values[0], values[1])
    assert.equal(new Set(values).size, 3)
    assert.equal(current(station).own, 1)
  })

  it('are sent again for callers that ask when the response arrives', async () => {
    const station = await new Station().begin()
    let later: ReturnType<Station['request']> | undefined
    const first = station.request('a', { onResponse: () => (later = station.request('a')) })
    await station.answer()
    assert.deepEqual([first.state, await station.serials()], ['done', ['a']])
    await station.answer()
    assert.equal(later?.state, 'done')
  })

  it('continue for the remaining callers, and end when the last one leaves', async () => {
    const station = await new Station(one).begin()
    const stops = [new AbortController(), new AbortController()]
    const [first, last] = stops.map(({ signal }) => station.request('a', { signal }))
    await station.clock.settle()
    stops[0]?.abort()
    await station.clock.settle()
    assert.deepEqual([first?.error?.code, last?.state], ['ENVLOG_CLOSED', 'waiting'])
    stops[1]?.abort()
    await station.clock.settle()
    assert.deepEqual([last?.error?.code, station.quota.counts().running], ['ENVLOG_CLOSED', 0])
  })

  it('are sent again after all callers have left', async () => {
    const station = await new Station({ current: { limit: 100 } }).begin()
    const stop = new AbortController()
    station.request('a', { signal: stop.signal })
    await station.clock.settle()
    stop.abort()
    const seen = station.request('a')
    await station.clock.settle()
    station.sent.at(-1)?.answer(fine())
    await station.clock.settle()
    assert.equal(seen.state, 'done')
  })
})

describe('a node with a limited wait', () => {
  it('fails immediately if the estimate exceeds its limit, with the time of the next permit', async () => {
    const station = await new Station(one).begin()
    await station.exchange()
    await station.clock.pass(1000)
    const { error } = await settled(station, station.request('a', { maxWaitMs: 0 }))
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

describe('a node that shows its wait', () => {
  it('receives the estimate, its changes, and the end', async () => {
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

describe('after a start', () => {
  it('requests to an endpoint are sent one at a time until the service has responded', async () => {
    for (const response of [fine(), refusal(400), refusal(500)]) {
      const station = new Station()
      for (const serial of ['a', 'b', 'c']) station.request(serial)
      assert.deepEqual(await station.serials(), ['a'])
      await station.answer(response)
      assert.deepEqual(await station.serials(), ['b', 'c'])
    }
  })

  it("neither a gateway's page nor a broken connection counts as a response of the service", async () => {
    for (const response of [text('<html>', 502), text('<html>'), new EnvlogError('connection-broken')]) {
      const station = new Station()
      for (const serial of ['a', 'b', 'c']) station.request(serial)
      await station.answer(response)
      assert.deepEqual(await station.serials(), ['b'])
    }
  })

  it('neither a page in place of CSV nor a truncated response counts as a response of the service', async () => {
    const csv = { type: 'csv' }
    for (const response of [text('<html>'), streamed(brokenOff('{"devices":['))]) {
      const station = new Station()
      for (const serial of ['a', 'b', 'c']) station.request(serial, { endpoint: 'data', params: csv })
      await station.answer(response)
      assert.deepEqual(await station.serials(), ['b'])
    }
  })

  it('an endpoint used up by others is known after the first response', async () => {
    const station = new Station()
    await station.exchange(fine({ limit: 10, window: 120, remaining: 0 }))
    station.request('a')
    await station.clock.pass(HELD_MS - 1)
    assert.deepEqual(await station.serials(), [])
    await station.clock.pass(1)
    assert.deepEqual(await station.serials(), ['a'])
  })
})

describe('a limit reported in a response', () => {
  const requestMany = (station: Station, count: number) => {
    for (let index = 0; index < count; index++) station.request(`${index}`)
  }

  it("applies if it is stricter than the account's", async () => {
    const station = await new Station().begin()
    await station.exchange(fine({ limit: 3, window: 120, remaining: 2 }))
    requestMany(station, 5)
    assert.equal((await station.serials()).length, 2)
  })

  it('changes nothing if it is more generous', async () => {
    const station = await new Station({ current: { limit: 4 } }).begin()
    await station.exchange(fine({ limit: 1000, window: 1, remaining: 999 }))
    requestMany(station, 10)
    assert.equal((await station.serials()).length, 3)
  })

  it("applies no longer than the account's window, and then the next response decides", async () => {
    const station = await new Station().begin()
    await station.exchange(fine({ limit: 1, window: 86_400, remaining: 0 }))
    await station.clock.pass(HELD_MS)
    requestMany(station, 3)
    assert.equal((await station.serials()).length, 1)
    await station.answer(fine({ limit: 10, window: 120, remaining: 9 }))
    assert.equal((await station.serials()).length, 2)
  })

  it('does not make a request wait for the reported longer window', async () => {
    const station = await new Station().begin()
    await station.exchange(fine({ limit: 10, window: 86_400, remaining: 0 }))
    const seen = station.request('a', { maxWaitMs: 0 })
    const retryAt = new Date(station.clock.now() + HELD_MS).toISOString()
    await station.clock.settle()
    assert.equal(seen.error?.cause.retryAt, retryAt)
    station.request('b')
    await station.clock.pass(HELD_MS)
    assert.deepEqual(await station.serials(), ['b'])
  })

  it('does not count the usage of others against a lower limit of the account', async () => {
    const station = await new Station({ current: { limit: 4 } }).begin()
    await station.exchange(fine({ limit: 12, window: 120, remaining: 3 }))
    requestMany(station, 10)
    assert.equal((await station.serials()).length, 3)
    assert.equal(current(station).foreign, 8)
  })

  it('blocks the permits that others have used, for a single window', async () => {
    const station = await new Station().begin()
    await station.exchange(fine({ limit: 10, window: 120, remaining: 4 }))
    assert.equal(current(station).foreign, 5)
    station.request('in flight when that ends')
    await station.clock.pass(HELD_MS)
    // The usage of others may already have been in that response.
    await station.answer(fine({ limit: 10, window: 120, remaining: 3 }))
    assert.equal(current(station).foreign, 0)
  })

  it("has no effect if its headers are invalid, or a gateway's", async () => {
    const station = await new Station().begin()
    await station.exchange(withHeaders(text('<html>', 502), { limit: 1, window: 3600, remaining: 0 }))
    await station.exchange(fine({ limit: 0, window: 120 }))
    requestMany(station, 20)
    assert.equal((await station.serials()).length, 8)
  })
})

describe('a refusal by the service', () => {
  it("closes the endpoint for the account's window; then the request is sent again", async () => {
    const station = await new Station().begin()
    const seen = await station.exchange(withHeaders(refusal(429), { limit: 10, window: 5, remaining: 0 }))
    station.request('other')
    await station.clock.pass(HELD_MS - 1)
    assert.deepEqual(await station.serials(), [])
    await station.clock.pass(1)
    assert.deepEqual((await station.serials()).sort(), ['first', 'other'])
    await station.answer()
    await station.answer()
    assert.equal(seen.state, 'done')
  })

  it("reopens the endpoint after the new window if the account's limits are changed", async () => {
    const station = new Station({ current: { limit: 10, window: 86_400 } })
    await station.exchange(refusal(429))
    station.quota.join({ concurrency: 1, limits: limitsWith() })
    station.leave()
    await station.clock.pass(HELD_MS)
    assert.deepEqual(await station.serials(), ['first'])
  })

  it('is also a 4xx error with nothing remaining, except for 401 and 403', async () => {
    for (const [status, waits] of [
      [400, true],
      [401, false],
      [403, false],
    ] as const) {
      const station = await new Station().begin()
      const seen = await station.exchange(
        withHeaders(refusal(status), { limit: 99, window: 120, remaining: 0 }),
      )
      assert.equal(seen.state, waits ? 'waiting' : 'failed', `${status}`)
    }
  })

  it('fails the request the third time, with the time of the next attempt', async () => {
    const station = await new Station().begin()
    const seen = station.request('a')
    for (let count = 0; count < 3; count++) {
      await station.answer(refusal(429))
      if (count < 2) await station.clock.pass(HELD_MS)
    }
    assert.deepEqual([seen.error?.reason, seen.error?.cause.status], ['quota-refused', 429])
    assert.equal(Date.parse(String(seen.error?.cause.retryAt)), station.clock.now() + HELD_MS)
  })
})

describe('the records of a device', () => {
  const data = { endpoint: 'data' as const }
  const limit = { data: { records: 10_000, recordsWindow: 3600 } }

  it('are reserved as requested and counted as received', async () => {
    const station = await new Station(limit).begin('data')
    station.request('a', { ...data, number: 9000 })
    await station.answer(records(100))
    const [left] = station.quota.counts().records
    assert.deepEqual(left, { endpoint: 'data', device: '/a', limit: 10_000, left: 9900 })
  })

  it('delay only the device, while other requests to the endpoint are sent', async () => {
    const station = await new Station(limit).begin('data')
    station.request('a', { ...data, number: 10_000 })
    await station.answer(records(10_000))
    const waits: QuotaWait[] = []
    station.request('a', { ...data, number: 5000, onWait: (wait) => waits.push(wait) })
    station.request('b', { ...data, number: 5000 })
    assert.deepEqual(await station.serials(), ['b'])
    assert.equal(waits[0]?.records, true)
    await station.clock.pass(HOUR_MS + 1000)
    assert.deepEqual(await station.serials(), ['b', 'a'])
  })

  it('fail immediately with records-wait for callers that do not wait for records', async () => {
    const station = await new Station(limit).begin('data')
    station.request('a', { ...data, number: 10_000 })
    await station.answer(records(10_000))
    const { error } = await settled(
      station,
      station.request('a', { ...data, number: 1, maxRecordsWaitMs: 0 }),
    )
    assert.equal(error?.reason, 'records-wait')
  })

  it('are counted by the header if the response is truncated, and as reserved without one', async () => {
    for (const [headers, left] of [
      [{ records: 8000 }, 8000],
      [{}, 5000],
    ] as const) {
      const station = await new Station(limit).begin('data')
      station.request('a', { ...data, number: 5000 })
      await station.answer(withHeaders(streamed(brokenOff('{"data":[')), headers))
      assert.equal(station.quota.counts().records[0]?.left, left)
    }
  })

  it('are blocked for a window if others have used them', async () => {
    const station = await new Station(limit).begin('data')
    station.request('a', { ...data, number: 1000 })
    await station.answer(records(1000, { remaining: 10, records: 2000 }))
    const [device] = station.quota.counts().records
    assert.equal(device?.left, 2000)
    station.request('a', { ...data, number: 3000 })
    await station.clock.pass(HOUR_MS)
    assert.deepEqual(await station.serials(), [])
    await station.clock.pass(1000)
    assert.deepEqual(await station.serials(), ['a'])
  })

  it('close only the device if they are used up; then the request is sent again', async () => {
    const station = await new Station(limit).begin('data')
    const seen = station.request('a', { ...data, number: 5000 })
    await station.answer(withHeaders(refusal(429), { remaining: 10, records: 0 }))
    station.request('b', { ...data, number: 5000 })
    assert.deepEqual(await station.serials(), ['b'])
    assert.equal(seen.state, 'waiting')
    await station.clock.pass(HOUR_MS + 1000)
    assert.deepEqual(await station.serials(), ['b', 'a'])
  })
})

/** The result of a request. */
async function settled<T>(station: Station, seen: T): Promise<T> {
  await station.clock.settle()
  return seen
}
