import assert from 'node:assert/strict'
import type { LimitsTable } from '../../../../src/shared/service-limits'
import { createVirtualClock } from '../../../support/clock'
import { refusal } from '../../../support/fake-transport'
import { fine, records, Station, withHeaders } from './setup'

const LEASE_MS = 30_000
/** For the endpoint `current`: a window of two minutes and a margin, ms. */
const HELD_MS = 121_000

const current = (station: Station) => station.quota.counts().endpoints.current

/** The script in memory: it is itself tested with a real Redis. */
class FakeRedis {
  readonly clock = createVirtualClock()
  isThere = true
  isEnded = false
  /** Lets it respond, if it is slow. */
  respond = () => {}
  #epoch: { id: string; since: number } | undefined
  readonly #hashes = new Map<string, Map<string, string>>()
  readonly #gate: Promise<void>

  constructor({ isSlow = false } = {}) {
    this.#gate = new Promise((resolve) => {
      this.respond = resolve
      if (!isSlow) resolve()
    })
  }

  readonly port = {
    account: 'an-account',
    leaseMs: LEASE_MS,
    connect: () => ({
      run: (_: string, keys: string[], values: string[]) => this.#run(keys, values),
      isOpening: () => false,
      end: () => {
        this.isEnded = true
      },
    }),
  }

  /** A Node-RED that uses it, with an endpoint that the service has answered. */
  async member(limits: LimitsTable = {}, endpoint: 'current' | 'data' = 'current'): Promise<Station> {
    const station = new Station(limits, 100, { clock: this.clock, redis: this.port })
    await this.clock.settle()
    return station.begin(endpoint, 2 * HELD_MS)
  }

  async #run([, ...keys]: string[], [expected, change, process, ...parts]: string[]): Promise<unknown> {
    await this.#gate
    if (!this.isThere) throw Object.assign(new Error('away'), { code: 'ECONNREFUSED' })
    if (expected && this.#epoch?.id !== expected) return null
    const now = this.clock.monotonic()
    this.#epoch ??= { id: String(change), since: now }
    const hashes = keys.map((key) => {
      const hash = this.#hashes.get(key) ?? new Map<string, string>()
      this.#hashes.set(key, hash)
      return hash
    })
    const isCurrent = hashes.every((hash, index) =>
      ['*', hash.get('version') ?? ''].includes(String(parts[2 * index])),
    )
    if (isCurrent)
      for (const [index, hash] of hashes.entries())
        hash.set(String(process), `${now} ${parts[2 * index + 1]}`).set('version', `v${change}`)
    const contents = hashes.map((hash) => [...hash].flat())
    return [this.#epoch.id, now - this.#epoch.since, now, isCurrent ? 1 : 0, ...contents]
  }
}

describe('a shared quota', () => {
  it('sends nothing at the start until Redis has responded or failed', async () => {
    for (const isThere of [true, false]) {
      const redis = new FakeRedis({ isSlow: true })
      redis.isThere = isThere
      const station = new Station({}, 100, { clock: redis.clock, redis: redis.port })
      const seen = station.request('a', { maxWaitMs: 0 })
      await redis.clock.pass(4000)
      assert.deepEqual(await station.serials(), [])
      redis.respond()
      assert.deepEqual(await station.serials(), ['a'])
      assert.equal(seen.state, 'waiting')
    }
  })

  it('sends nothing at the start for at most five seconds if Redis does not respond', async () => {
    const redis = new FakeRedis({ isSlow: true })
    const station = new Station({}, 100, { clock: redis.clock, redis: redis.port })
    station.request('a')
    await redis.clock.pass(5100)
    assert.deepEqual(await station.serials(), ['a'])
  })

  it('is never exceeded by all processes together, even if they send at the same time', async () => {
    const redis = new FakeRedis()
    const limits = { current: { limit: 4 } }
    const [first, second] = [await redis.member(limits), await redis.member(limits)]
    const stations = [first, second]
    for (const station of stations)
      for (const serial of ['a', 'b', 'c']) station.request(serial, { maxWaitMs: 0 })
    await redis.clock.settle()
    assert.equal((await first.serials()).length + (await second.serials()).length, 4)
    for (const station of stations) while (station.sent.length > 0) await station.answer()
    for (const station of stations) station.request('d')
    await redis.clock.pass(HELD_MS - 1)
    assert.equal(first.sent.length + second.sent.length, 0)
    await redis.clock.pass(2000)
    assert.deepEqual([await first.serials(), await second.serials()], [['d'], ['d']])
  })

  it('is used in turns by processes that all wait', async () => {
    const redis = new FakeRedis()
    const limits = { current: { limit: 4 } }
    const [first, second] = [await redis.member(limits), await redis.member(limits)]
    for (let count = 0; count < 4; count++) await first.exchange(fine(), `${count}`)
    for (const station of [first, second])
      for (let count = 0; count < 8; count++) station.request(`later ${count}`)
    for (let seconds = 0; seconds < 300; seconds++) {
      await redis.clock.pass(1000)
      for (const station of [first, second]) while (station.sent.length > 0) await station.answer()
    }
    assert.ok(current(second).own >= 2, `${current(second).own}`)
    assert.ok(current(first).own >= 1, `${current(first).own}`)
  })

  it('is sent one at a time by all processes together until it was shared for a window', async () => {
    const redis = new FakeRedis()
    const [first, second] = [0, 1].map(
      () => new Station({}, 100, { clock: redis.clock, redis: redis.port }),
    ) as [Station, Station]
    await redis.clock.settle()
    first.request('a')
    assert.deepEqual(await first.serials(), ['a'])
    // Waiting for another request is not waiting for quota.
    const seen = second.request('b', { maxWaitMs: 0 })
    await redis.clock.pass(1000)
    assert.deepEqual([seen.state, await second.serials()], ['waiting', []])
    await first.answer()
    await redis.clock.pass(1000)
    assert.deepEqual(await second.serials(), ['b'])
  })

  it('fails immediately for nodes that do not wait if others have used it up, with the time when it will be free', async () => {
    const redis = new FakeRedis()
    const [first, second] = [await redis.member(), await redis.member()]
    for (let count = 0; count < 10; count++) await first.exchange(fine(), `${count}`)
    const seen = second.request('a', { maxWaitMs: 0 })
    await redis.clock.settle()
    const retryAt = Date.parse(String(seen.error?.cause.retryAt))
    assert.equal(seen.error?.reason, 'quota-wait')
    assert.ok(Math.abs(retryAt - redis.clock.now() - HELD_MS) <= 1)
  })

  it('tells all processes what a response has shown to one of them', async () => {
    const responses = {
      'a stricter limit': fine({ limit: 1, window: 120, remaining: 0 }),
      'usage by others': fine({ limit: 10, window: 120, remaining: 0 }),
      'a refusal': refusal(429),
    }
    for (const [title, response] of Object.entries(responses)) {
      const redis = new FakeRedis()
      const [first, second] = [await redis.member(), await redis.member()]
      await first.exchange(response)
      const seen = second.request('a', { maxWaitMs: 0 })
      await redis.clock.settle()
      assert.equal(seen.error?.reason, 'quota-wait', title)
    }
  })

  it('counts the records of a device that another process has requested', async () => {
    const redis = new FakeRedis()
    const data = { endpoint: 'data' as const }
    const limits = { data: { records: 10_000, recordsWindow: 120 } }
    const [first, second] = [await redis.member(limits, 'data'), await redis.member(limits, 'data')]
    first.request('a', { ...data, number: 10_000 })
    await first.answer(records(9500))
    const seen = second.request('a', { ...data, number: 5000, maxRecordsWaitMs: 0 })
    second.request('b', { ...data, number: 5000 })
    assert.deepEqual([await second.serials(), seen.error?.reason], [['b'], 'records-wait'])
    const later = second.request('a', { ...data, number: 5000 })
    await redis.clock.pass(HELD_MS - 1000)
    assert.equal(later.state, 'waiting')
    await redis.clock.pass(2000)
    assert.deepEqual(await second.serials(), ['b', 'a'])
  })

  it('counts a request of a killed process as used at the latest possible time', async () => {
    const redis = new FakeRedis()
    const limits = { current: { limit: 1 } }
    const [killed, other] = [await redis.member(limits), await redis.member(limits)]
    killed.request('a')
    await killed.serials()
    killed.leave()
    other.request('b')
    await redis.clock.pass(LEASE_MS + HELD_MS - 1000)
    assert.deepEqual(await other.serials(), [])
    await redis.clock.pass(3000)
    assert.deepEqual(await other.serials(), ['b'])
  })

  it("shows the usage of other processes and programs as others'", async () => {
    const redis = new FakeRedis()
    const [first, second] = [await redis.member(), await redis.member()]
    await first.exchange()
    await second.exchange(fine({ limit: 10, window: 120, remaining: 3 }))
    await redis.clock.settle()
    const { own, foreign, left } = current(second)
    assert.deepEqual({ own, foreign, left }, { own: 1, foreign: 6, left: 3 })
  })

  it('includes the usage from before it was shared, and from while Redis was away', async () => {
    const redis = new FakeRedis()
    const [first, second] = [await redis.member(), await redis.member()]
    redis.isThere = false
    first.request('a')
    await first.answer()
    await first.exchange(withHeaders(fine(), { limit: 10, window: 120, remaining: 2 }))
    redis.isThere = true
    await redis.clock.pass(12_000)
    assert.equal(first.quota.counts().sharedConnected, true)
    assert.deepEqual([current(second).own, current(second).foreign, current(second).left], [0, 8, 2])
  })

  it('is no longer shared when the account node that shares it leaves; then another one may share it', async () => {
    const [first, second] = [new FakeRedis(), new FakeRedis()]
    const station = await first.member({ current: { limit: 1 } })
    const other = await first.member({ current: { limit: 1 } })
    await other.exchange()
    station.quota.join({ concurrency: 100, limits: station.limits })
    station.request('a')
    await first.clock.pass(1000)
    assert.deepEqual(await station.serials(), [])
    station.leave()
    await first.clock.pass(1000)
    assert.deepEqual([first.isEnded, await station.serials()], [true, ['a']])
    assert.equal(station.quota.counts().sharedConnected, null)
    station.quota.join({ concurrency: 100, limits: station.limits, redis: second.port })
    await first.clock.pass(1000)
    assert.equal(station.quota.counts().sharedConnected, true)
  })

  it('sends one request at a time for a moment when Redis is back, because others may not have reported yet', async () => {
    const redis = new FakeRedis()
    const station = await redis.member()
    redis.isThere = false
    await redis.clock.pass(11_000)
    redis.isThere = true
    await redis.clock.pass(1100)
    assert.equal(station.quota.counts().sharedConnected, true)
    for (const serial of ['a', 'b', 'c']) station.request(serial)
    assert.deepEqual(await station.serials(), ['a'])
    await redis.clock.pass(3000)
    assert.deepEqual(await station.serials(), ['a', 'b', 'c'])
  })

  it('sends one request at a time while Redis is away', async () => {
    const redis = new FakeRedis()
    const station = await redis.member()
    redis.isThere = false
    for (const serial of ['a', 'b', 'c']) station.request(serial)
    assert.deepEqual(await station.serials(), ['a'])
    await station.answer()
    assert.deepEqual(await station.serials(), ['b'])
    assert.equal(station.quota.counts().sharedConnected, false)
  })
})
