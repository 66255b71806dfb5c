import assert from 'node:assert/strict'
import { EnvlogError } from '../../../../src/lib/errors'
import { MAX_QUEUED } from '../../../../src/lib/quota/quota'
import { EDITOR, MAX_AGE_MS } from '../../../../src/lib/request'
import { brokenOff, refusal, streamed, text } from '../../../support/fake-transport'
import { fine, HELD_MS, records, type Seen, Station, withHeaders } from './setup'

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

  it('has a margin of a fiftieth of a short window', async () => {
    const station = await new Station({ current: { limit: 1, window: 10 } }).begin()
    await station.exchange()
    station.request('b')
    await station.clock.pass(10_199)
    assert.deepEqual(await station.serials(), [])
    await station.clock.pass(1)
    assert.deepEqual(await station.serials(), ['b'])
  })

  it('is used by a request that may have been received, and not by one that was not sent', async () => {
    for (const isReachable of [true, false]) {
      const station = await new Station(one).begin()
      station.isReachable = isReachable
      const seen = await station.exchange(new EnvlogError('connection-broken'))
      assert.equal(seen.state, 'failed')
      assert.equal(current(station).own, isReachable ? 1 : 0)
    }
  })

  it('is shown as left and, only if none is, when the next one is free', async () => {
    const station = await new Station(two).begin()
    const shown = () => [current(station).left, current(station).freeAt]
    await station.exchange()
    assert.deepEqual(shown(), [1, null])
    await station.clock.pass(30_000)
    await station.exchange()
    assert.deepEqual(shown(), [0, station.clock.now() + HELD_MS - 30_000])
  })

  it("stays used when the account's settings change", async () => {
    const station = await new Station(one).begin()
    await station.exchange()
    station.join()
    assert.equal(current(station).own, 1)
  })

  it('is kept for its own window when its account node is replaced, beside another with a shorter one', async () => {
    const station = await new Station(two).begin()
    await station.exchange()
    await station.exchange()
    station.join({ current: { limit: 1, window: 70 } })
    station.leave()
    await station.clock.pass(75_000)
    station.request('allowed by the other one')
    await station.answer()
    station.join(two)
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

  it('lets the nodes take turns also if each request waits for quota, or arrives while another one is in flight', async () => {
    const station = await new Station(one).begin()
    station.request('a1', { queueKey: 'a' })
    await station.clock.settle()
    for (const serial of ['a2', 'a3']) station.request(serial, { queueKey: 'a' })
    for (const serial of ['b1', 'b2']) station.request(serial, { queueKey: 'b' })
    const order: string[] = []
    for (let count = 0; count < 5; count++) {
      order.push(...(await station.serials()))
      await station.answer()
      await station.clock.pass(HELD_MS)
    }
    assert.deepEqual(order, ['a1', 'b1', 'a2', 'b2', 'a3'])
  })

  it('lets other endpoints proceed while one waits', async () => {
    const station = await new Station(one).begin()
    await station.begin('alert')
    await station.exchange()
    station.request('waits')
    station.request('passes', { endpoint: 'alert' })
    assert.deepEqual(await station.serials(), ['passes'])
    const { current, alert, data } = station.quota.counts().endpoints
    assert.deepEqual([current.waiting, alert.waiting, data.waiting], [1, 0, 0])
  })

  it('sends at most the lowest concurrency of all account nodes at a time', async () => {
    const station = await new Station({ current: { limit: 100 } }, 2).begin()
    station.join({ current: { limit: 100 } }, 3)
    for (const serial of ['a', 'b', 'c']) station.request(serial)
    assert.deepEqual(await station.serials(), ['a', 'b'])
  })

  it('sends one request for records of a period at a time, so that another connection is left for new data', async () => {
    const station = await new Station({ current: { limit: 100 } }, 3).begin()
    const page = (serial: string, endpoint: 'data' | 'data-relay') =>
      station.request(serial, { endpoint, number: 300 })
    page('a', 'data')
    page('b', 'data-relay')
    page('c', 'data')
    station.request('new')
    assert.deepEqual(await station.serials(), ['a', 'new'])
    await station.answer(records(300))
    assert.deepEqual(await station.serials(), ['new', 'b'])
  })

  it('rejects a request with ENVLOG_BUSY if MAX_QUEUED are waiting, but not one that is sent again', async () => {
    const station = new Station()
    const sent = station.request('sent')
    await station.clock.settle()
    for (let count = 0; count < MAX_QUEUED; count++) station.request(`${count}`)
    const tooMany = station.request('one more')
    await station.clock.settle()
    assert.equal(tooMany.error?.code, 'ENVLOG_BUSY')
    await station.answer(refusal(429))
    assert.deepEqual([sent.state, station.quota.counts().waiting], ['waiting', MAX_QUEUED + 1])
  }).timeout(20_000)
})

describe('a response of current readings', () => {
  it('is shared for a moment with nodes that trigger themselves, but not with messages', async () => {
    const station = await new Station().begin()
    const own = { maxAgeMs: MAX_AGE_MS }
    station.request('a')
    await station.answer()
    await station.clock.pass(MAX_AGE_MS - 1000)
    const seen = [station.request('a', own), station.request('a', own), station.request('b', own)]
    assert.deepEqual(await station.serials(), ['b'])
    assert.deepEqual(seen[0]?.value, seen[1]?.value)
    assert.notEqual(seen[0]?.value, seen[1]?.value)
    station.request('a')
    assert.deepEqual(await station.serials(), ['b', 'a'])
    await station.answer()
    await station.answer()
    await station.clock.pass(MAX_AGE_MS)
    station.request('a', own)
    assert.deepEqual(await station.serials(), ['a'])
  })
})

describe('a response of records', () => {
  it('is not shared afterwards', async () => {
    const latest = { endpoint: 'latest-data' as const, maxAgeMs: MAX_AGE_MS }
    const station = await new Station().begin('latest-data')
    station.request('a', latest)
    await station.answer()
    station.request('a', latest)
    assert.deepEqual(await station.serials(), ['a'])
  })
})

describe('identical requests at the same time', () => {
  for (const endpoint of ['current', 'latest-data'] as const)
    it(`are sent once, and each caller gets a copy that it may modify (${endpoint})`, async () => {
      const station = await new Station().begin(endpoint)
      const seen = [station.request('a', { endpoint }), station.request('a', { endpoint })]
      assert.deepEqual(await station.serials(), ['a'])
      seen.push(station.request('a', { endpoint }))
      await station.answer()
      const values = seen.map(({ value }) => value)
      assert.deepEqual(values[0], values[1])
      assert.equal(new Set(values).size, 3)
      assert.equal(station.quota.counts().endpoints[endpoint].own, 1)
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

  it('no longer wait for quota when the last caller leaves', async () => {
    const station = await new Station(one).begin()
    await station.exchange()
    const stop = new AbortController()
    station.request('a', { signal: stop.signal })
    await station.clock.settle()
    stop.abort()
    await station.clock.settle()
    assert.equal(current(station).waiting, 0)
  })

  it('are sent again after all callers have left', async () => {
    const station = await new Station({ current: { limit: 100 } }).begin()
    const stop = new AbortController()
    station.request('a', { signal: stop.signal })
    await station.clock.settle()
    stop.abort()
    const seen = station.request('a')
    await station.clock.settle()
    const joined = station.request('a')
    assert.deepEqual(await station.serials(), ['a', 'a'], 'the abandoned one, and one for both')
    station.sent.at(-1)?.answer(fine())
    await station.clock.settle()
    assert.deepEqual([seen.state, joined.state], ['done', 'done'])
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

  it('only a complete response of the service counts', async () => {
    const answers = [
      text('<html>', 502),
      text('<html>'),
      new EnvlogError('connection-broken'),
      streamed(brokenOff('{"devices":[')),
    ]
    for (const answer of answers) {
      const station = new Station()
      const csv = { endpoint: 'latest-data' as const, params: { type: 'csv' } }
      for (const serial of ['a', 'b', 'c']) station.request(serial, csv)
      await station.answer(answer)
      assert.deepEqual(await station.serials(), ['b'])
    }
  })
})

describe('a limit reported in a response', () => {
  const requestMany = (station: Station, count: number) => {
    for (let index = 0; index < count; index++) station.request(`${index}`)
  }

  it('changes nothing if it is more generous', async () => {
    const station = await new Station({ current: { limit: 4 } }).begin()
    await station.exchange(fine({ limit: 1000, window: 1, remaining: 999 }))
    requestMany(station, 10)
    assert.equal((await station.serials()).length, 3)
  })

  it("applies no longer than the account's window, and then the next response decides", async () => {
    const station = await new Station().begin()
    await station.exchange(fine({ limit: 1, window: 86_400, remaining: 0 }))
    const seen = station.request('a', { maxWaitMs: 0 })
    const retryAt = new Date(station.clock.now() + HELD_MS).toISOString()
    await station.clock.settle()
    assert.deepEqual([seen.error?.cause.retryAt, current(station).limit], [retryAt, 1])
    await station.clock.pass(HELD_MS)
    assert.equal(current(station).limit, 10)
    requestMany(station, 3)
    assert.equal((await station.serials()).length, 1)
    await station.answer(fine({ limit: 10, window: 120, remaining: 9 }))
    assert.equal((await station.serials()).length, 2)
  })

  it('that was stricter may still apply afterwards: then one request is sent, or else all', async () => {
    for (const [limit, window, sent] of [
      [5, 60, 1],
      [10, 240, 1],
      [10, 120, 10],
    ] as const) {
      const station = await new Station().begin()
      await station.exchange(fine({ limit, window, remaining: limit - 1 }))
      await station.clock.pass(HELD_MS)
      requestMany(station, 10)
      assert.equal((await station.serials()).length, sent)
    }
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
    await station.exchange(fine({ limit: 10, window: 120, remaining: 8 }))
    assert.equal(current(station).foreign, 1)
    station.request('in flight when that ends')
    await station.clock.pass(HELD_MS)
    // The usage of others may already have been in that response.
    await station.answer(fine({ limit: 10, window: 120, remaining: 7 }))
    assert.equal(current(station).foreign, 0)
  })
})

describe('how many requests remain', () => {
  it('shows what others have used in the window of the response, in which older requests do not count', async () => {
    const station = await new Station().begin()
    await station.exchange()
    await station.clock.pass(61_000)
    await station.exchange(fine({ limit: 10, window: 60, remaining: 5 }))
    const { own, foreign, left } = current(station)
    assert.deepEqual([own, foreign, left], [1, 4, 5])
  })

  it('does not take own requests that have expired during a slow response for those of others', async () => {
    const station = await new Station().begin()
    for (let count = 0; count < 2; count++) await station.exchange()
    await station.clock.pass(HELD_MS - 20_000)
    station.request('slow')
    await station.clock.pass(30_000)
    station.request('quick')
    await station.answer(fine({ limit: 10, window: 120, remaining: 7 }))
    assert.equal(current(station).foreign, 0)
  })

  it('is not known if a response reports only the limit', async () => {
    const station = await new Station().begin()
    await station.exchange(fine({ limit: 10, window: 120 }))
    const { own, foreign, left } = current(station)
    assert.deepEqual([own, foreign, left], [1, 0, 9])
  })

  it('refers to the limit of the account if a response does not report the whole limit', async () => {
    for (const partly of [{}, { limit: 20 }, { window: 60 }]) {
      const station = await new Station().begin()
      await station.exchange(fine({ ...partly, remaining: 3 }))
      const { limit, windowSeconds, own, foreign, left } = current(station)
      assert.deepEqual([limit, windowSeconds, own, foreign, left], [10, 120, 1, 6, 3])
    }
  })
})

describe('a refusal by the service', () => {
  it("closes the endpoint for the account's window; then the request is sent again, alone", async () => {
    const station = await new Station().begin()
    const seen = await station.exchange(withHeaders(refusal(429), { limit: 10, window: 5, remaining: 0 }))
    station.request('other')
    await station.clock.pass(HELD_MS - 1)
    assert.deepEqual(await station.serials(), [])
    await station.clock.pass(1)
    assert.deepEqual(await station.serials(), ['first'])
    await station.answer()
    assert.deepEqual(await station.serials(), ['other'])
    assert.equal(seen.state, 'done')
  })

  it('keeps the endpoint closed also if a request that was sent before succeeds', async () => {
    const station = await new Station().begin()
    await station.exchange()
    station.request('a')
    station.request('b')
    await station.answer(refusal(429))
    await station.answer()
    await station.clock.pass(HELD_MS - 1)
    assert.deepEqual(await station.serials(), [])
    await station.clock.pass(1)
    assert.deepEqual(await station.serials(), ['a'])
  })

  it("reopens the endpoint after the new window if the account's limits are changed", async () => {
    const station = new Station({ current: { limit: 10, window: 86_400 } })
    await station.exchange(refusal(429))
    station.join()
    station.leave()
    await station.clock.pass(HELD_MS)
    assert.deepEqual(await station.serials(), ['first'])
  })

  it('is none if the response reports only what is known: a device was refused with the last request', async () => {
    const station = await new Station().begin()
    await station.exchange()
    const seen = await station.exchange(withHeaders(refusal(400), { limit: 2, window: 120, remaining: 0 }))
    assert.equal(seen.state, 'failed')
    await station.clock.pass(HELD_MS)
    station.request('next')
    assert.deepEqual(await station.serials(), ['next'])
  })

  it('is one if the response reports a single request of others', async () => {
    const station = await new Station().begin()
    await station.exchange()
    const seen = await station.exchange(withHeaders(refusal(400), { limit: 3, window: 120, remaining: 0 }))
    assert.equal(seen.state, 'waiting')
  })

  it('is also a 4xx error with nothing remaining, except for 401 and 403', async () => {
    for (const [status, waits] of [
      [399, false],
      [400, true],
      [401, false],
      [403, false],
      [499, true],
      [500, false],
    ] as const)
      for (const remaining of [0, 1]) {
        const station = await new Station().begin()
        const seen = await station.exchange(
          withHeaders(refusal(status), { limit: 99, window: 120, remaining }),
        )
        assert.equal(seen.state, waits && remaining === 0 ? 'waiting' : 'failed', `${status}`)
      }
  })

  it('fails the request at once only if no caller allows another attempt', async () => {
    for (const [isTriedOnce, state] of [
      [true, 'failed'],
      [false, 'waiting'],
    ] as const) {
      const station = await new Station().begin()
      const seen = [true, isTriedOnce].map((isTriedOnce) => station.request('a', { isTriedOnce }))
      await station.answer(refusal(429))
      assert.deepEqual(
        seen.map(({ state }) => state),
        [state, state],
      )
    }
  })

  it('fails the request the third time, with the time of the next attempt', async () => {
    const station = await new Station(one).begin()
    const seen = station.request('a')
    for (let count = 0; count < 3; count++) {
      await station.answer(refusal(429))
      if (count < 2) await station.clock.pass(HELD_MS)
    }
    assert.deepEqual([seen.error?.reason, seen.error?.cause.status], ['quota-refused', 429])
    assert.equal(Date.parse(String(seen.error?.cause.retryAt)), station.clock.now() + HELD_MS)
  })

  describe('that follows another one', () => {
    const perDay = { limit: 100, window: 86_400 }
    const refused = () => withHeaders(refusal(429), { ...perDay, remaining: 0 })
    /** Time until the endpoint opens again, ms. */
    const wait = (station: Station) => Number(current(station).freeAt) - station.clock.now()

    it('doubles the time, up to the window that the headers report, which is shown meanwhile', async () => {
      const station = new Station()
      const waits: number[] = []
      let seen: Seen = { state: 'failed' }
      for (let count = 0; count < 12; count++) {
        if (seen.state === 'failed') seen = station.request('a')
        await station.answer(refused())
        waits.push(wait(station))
        if (count === 2) assert.equal(Date.parse(`${seen.error?.cause.retryAt}`), current(station).freeAt)
        await station.clock.pass(wait(station) - 1)
        assert.deepEqual(await station.serials(), [])
        if (count === 7) assert.deepEqual([current(station).limit, current(station).left], [100, 0])
        await station.clock.pass(1)
      }
      const doubled = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512].map((windows) => windows * HELD_MS)
      assert.deepEqual(waits, [...doubled, 86_401_000, 86_401_000])
    })

    it('does not double it if both were sent before, nor after a response that is none', async () => {
      const station = await new Station().begin()
      await station.exchange()
      station.request('a')
      station.request('b')
      for (let count = 0; count < 2; count++) await station.answer(refused())
      assert.equal(wait(station), HELD_MS)
      await station.clock.pass(HELD_MS)
      await station.answer(refused())
      assert.equal(wait(station), 2 * HELD_MS)
      await station.clock.pass(2 * HELD_MS)
      for (let count = 0; count < 2; count++) await station.answer()
      station.request('c')
      assert.deepEqual(await station.serials(), ['c'])
      await station.answer(refused())
      assert.equal(wait(station), HELD_MS)
    })
  })
})
