import assert from 'node:assert/strict'
import type { EndpointName } from '../../../../src/lib/endpoints'
import { limitsWith } from '../../../../src/lib/quota/account-limits'
import { REPORT, RESERVE } from '../../../../src/lib/shared-quota/redis-scripts'
import { openSharedQuota } from '../../../../src/lib/shared-quota/shared-quota'
import { refusal } from '../../../support/fake-transport'
import { clientOf, ok } from '../api/setup'
import { fine, HELD_MS, records, Station, withHeaders } from '../quota/setup'

const current = (station: Station) => station.quota.counts().endpoints.current

interface Reported {
  parts: { name: string; entries: { amount: number; ageMs: number | null }[] }[]
}

/** A Redis controlled by the test: the scripts themselves are tested with a real one. */
class FakeRedis {
  readonly reports: Reported[] = []
  /** Redis's reply to a reservation. */
  reservation: number[] | Promise<number[]> = [1, 1]
  /** Redis's reply to the usage of a request. */
  settlement = 1
  /** Number of reservations requested. */
  reservations = 0
  /** The error of each call; `undefined` while it responds. */
  code: string | undefined
  isOpening = false
  isEnded = false
  calls = 0
  connections = 0
  reply = () => {}
  #gate = Promise.resolve()

  /** What the last report says of each usage: name, amount and age. */
  reported() {
    const parts = this.reports.at(-1)?.parts ?? []
    return parts.flatMap(({ name, entries }) => entries.map(({ amount, ageMs }) => [name, amount, ageMs]))
  }

  /** From now on, a report is answered only by `reply`. */
  holdReports(): void {
    this.#gate = new Promise((resolve) => {
      this.reply = resolve
    })
  }

  join(station: Station, onSharedChange = (..._: unknown[]): unknown => undefined): () => void {
    const redis = { account: 'an-account', leaseMs: 300_000, connect: () => this.#connect() }
    const openLedger = openSharedQuota(station.clock, redis)
    return station.quota.join({ concurrency: 100, limits: limitsWith(), openLedger, onSharedChange })
  }

  #connect() {
    this.connections++
    return {
      run: async (script: string, _: string[], argument: string): Promise<unknown> => {
        if (script === REPORT) await this.#gate
        this.calls++
        if (this.code) throw Object.assign(new Error('away'), { code: this.code })
        if (script === REPORT) this.reports.push(JSON.parse(argument))
        if (script === REPORT) return 'epoch'
        if (script === RESERVE) this.reservations++
        return script === RESERVE ? this.reservation : this.settlement
      },
      isOpening: () => this.isOpening,
      end: () => {
        this.isEnded = true
      },
    }
  }
}

/** A station whose account is known to the service, and shared through a Redis. */
async function share({ limits = {}, endpoint = 'current' as EndpointName, isThere = true } = {}) {
  const station = await new Station(limits).begin(endpoint)
  const redis = new FakeRedis()
  if (!isThere) redis.code = 'ECONNREFUSED'
  const leave = redis.join(station)
  await station.clock.settle()
  return { station, redis, leave }
}

describe('a shared quota', () => {
  it('sends nothing at the start until Redis has responded or failed', async () => {
    for (const isThere of [true, false]) {
      const station = await new Station().begin()
      const redis = new FakeRedis()
      redis.holdReports()
      if (!isThere) redis.code = 'ECONNREFUSED'
      redis.join(station)
      const seen = station.request('a', { maxWaitMs: 0 })
      await station.clock.pass(4000)
      assert.deepEqual(await station.serials(), [])
      redis.reply()
      assert.deepEqual(await station.serials(), ['a'])
      assert.equal(seen.state, 'waiting')
    }
  })

  it('sends nothing at the start for at most five seconds if Redis does not respond', async () => {
    const station = await new Station().begin()
    const redis = new FakeRedis()
    redis.holdReports()
    redis.join(station)
    station.request('a')
    await station.clock.pass(5100)
    assert.deepEqual(await station.serials(), ['a'])
  })

  it("waits for another process's request in flight without counting that as a wait for quota", async () => {
    const { station, redis } = await share()
    redis.reservation = [0, 0, 250, 0]
    const seen = station.request('a', { maxWaitMs: 0 })
    await station.clock.pass(1000)
    assert.equal(seen.state, 'waiting')
    redis.reservation = [1, 1]
    await station.clock.pass(250)
    assert.deepEqual(await station.serials(), ['a'])
  })

  it('fails immediately for nodes that do not wait if others have used it up, with the time when it will be free', async () => {
    const { station, redis } = await share()
    redis.reservation = [0, 0, 250, 90_000]
    const seen = station.request('a', { maxWaitMs: 0 })
    const retryAt = new Date(station.clock.now() + 90_000).toISOString()
    await station.clock.settle()
    assert.deepEqual([seen.error?.reason, seen.error?.cause.retryAt], ['quota-wait', retryAt])
  })

  it('shows in the form that nothing is left, and until when, if others have used it up', async () => {
    const { station, redis } = await share()
    redis.reservation = [0, 0, 90_000, 90_000]
    station.request('a')
    await station.clock.settle()
    const { own, left, freeAt } = current(station)
    assert.deepEqual([own, left, freeAt], [0, 0, station.clock.now() + 90_000])
  })

  it('lets nodes that do not wait use the last permits, as many as there are', async () => {
    const { station } = await share({ limits: { current: { limit: 4 } } })
    for (const serial of ['a', 'b', 'c', 'd']) station.request(serial, { maxWaitMs: 0 })
    assert.equal((await station.serials()).length, 4)
  })

  it('does not ask repeatedly for records that others have used', async () => {
    const { station, redis } = await share({ endpoint: 'data' })
    redis.reservation = [0, 1, 3_600_000, 3_600_000]
    const asked = redis.reservations
    const seen = ['a', 'b', 'c'].map((serial, index) =>
      station.request(serial, {
        endpoint: 'data',
        number: 5000,
        ...(index === 2 && { maxRecordsWaitMs: 0 }),
      }),
    )
    await station.clock.pass(60_000)
    assert.equal(redis.reservations - asked, 3)
    assert.deepEqual(
      seen.map(({ state, error }) => error?.reason ?? state),
      ['waiting', 'waiting', 'records-wait'],
    )
  })

  it("remembers others' usage that a response has shown while Redis was away", async () => {
    const { station, redis } = await share({ isThere: false })
    await station.exchange(fine({ limit: 10, window: 120, remaining: 0 }))
    redis.code = undefined
    await station.clock.pass(2000)
    assert.equal(station.quota.counts().sharedConnected, true)
    station.request('a')
    assert.deepEqual(await station.serials(), [])
  })

  it('reports nothing more to a caller whose account was closed while Redis was being asked', async () => {
    const { station, redis } = await share()
    const { clock, quota } = station
    const { client } = clientOf(ok, { clock, quota })
    const events: unknown[] = []
    const context = { signal: new AbortController().signal, queueKey: 'node', maxWaitMs: null }
    const onWait = () => events.push('wait')
    client.read('current', {}, { ...context, onWait }).catch(({ reason }) => events.push(reason))
    redis.reservation = [0, 0, 3000, 5000]
    await clock.settle()
    let reply = (_: number[]) => {}
    redis.reservation = new Promise((resolve) => {
      reply = resolve
    })
    await clock.pass(3000)
    await client.close()
    reply([1, 1])
    await clock.settle()
    assert.deepEqual(events, ['wait', 'closed'])
  })

  it('forgets what a Redis has denied if the account no longer uses it', async () => {
    const { station, redis, leave } = await share()
    redis.reservation = [0, 0, 80_000_000, 80_000_000]
    station.request('a')
    assert.deepEqual(await station.serials(), [])
    leave()
    assert.deepEqual(await station.serials(), ['a'])
  })

  it('receives the usage from before it was shared', async () => {
    const station = await new Station().begin()
    await station.exchange(fine({ limit: 10, window: 120, remaining: 3 }))
    station.request('a', { endpoint: 'data', number: 5000 })
    await station.answer(records(300))
    await station.clock.pass(5000)
    const redis = new FakeRedis()
    redis.join(station)
    await station.clock.settle()
    assert.deepEqual(redis.reported(), [
      ['current', 1, 5000],
      ['data', 1, 5000],
      ['data /a', 300, 5000],
    ])
  })

  it('no longer receives the records of a device that count no more', async () => {
    const { station, redis } = await share({ endpoint: 'data' })
    const devices: string[][] = []
    for (const serial of ['a', 'b']) {
      station.request(serial, { endpoint: 'data', number: 300 })
      await station.answer(records(300))
      await station.clock.pass(3_700_000)
      const names = redis.reports.at(-1)?.parts.map(({ name }) => name) ?? []
      devices.push(names.filter((name) => name.startsWith('data /')))
    }
    assert.deepEqual(devices, [['data /a'], ['data /b']])
  })

  it('receives a request in flight again, unless it is still being asked for it', async () => {
    const { station, redis } = await share()
    station.request('a')
    await station.clock.pass(9500)
    redis.reservation = new Promise(() => {})
    station.request('b')
    await station.clock.pass(500)
    assert.deepEqual(redis.reported(), [
      ['current', 1, null],
      ['current', 1, -1],
    ])
  })

  it('requests only the records that others have left', async () => {
    const { station, redis } = await share({ endpoint: 'data' })
    redis.reservation = [1, 1, 2000]
    station.request('a', { endpoint: 'data', number: 5000 })
    await station.clock.settle()
    assert.equal(station.sent[0]?.params.number, 2000)
  })

  it('takes no error but a 429 as a refusal because of a limit, because others may have used it', async () => {
    for (const [status, state] of [
      [400, 'failed'],
      [429, 'waiting'],
    ] as const) {
      const { station } = await share()
      const response = withHeaders(refusal(status), { limit: 10, window: 120, remaining: 0 })
      assert.equal((await station.exchange(response)).state, state)
    }
  })

  it('is reported at once when Redis responds, and then every ten seconds', async () => {
    const { station, redis } = await share()
    const counts: number[] = []
    for (const ms of [0, 9999, 1, 10_000]) {
      await station.clock.pass(ms)
      counts.push(redis.reports.length)
    }
    assert.deepEqual(counts, [2, 2, 3, 4])
  })

  it('switches to another Redis as soon as the account node that named the first one has left', async () => {
    const { station, redis: first, leave } = await share()
    const second = new FakeRedis()
    second.join(station)
    await station.clock.settle()
    assert.deepEqual([first.reports.length, second.reports.length], [2, 0])
    leave()
    await station.clock.settle()
    await station.clock.pass(1000)
    assert.deepEqual([first.isEnded, second.reports.length], [true, 2])
  })

  it('asks Redis no more once the account no longer uses it, even if a reply was awaited then', async () => {
    const { station, redis, leave } = await share()
    redis.holdReports()
    await station.clock.pass(10_000)
    leave()
    redis.reply()
    await station.clock.settle()
    const { calls } = redis
    await station.clock.pass(60_000)
    assert.deepEqual([redis.calls, redis.isEnded], [calls, true])
  })

  it("shows the service's count beyond this process as used by others", async () => {
    const { station } = await share()
    await station.exchange(fine({ limit: 10, window: 120, remaining: 0 }))
    const { own, foreign, left, freeAt } = current(station)
    assert.deepEqual({ own, foreign, left }, { own: 1, foreign: 9, left: 0 })
    assert.equal(freeAt, station.clock.now() + HELD_MS)
    // Redis decides, not the header, because it knows when each was used.
    station.request('a')
    assert.deepEqual(await station.serials(), ['a'])
  })

  it("shows in the form until when the service's count leaves nothing", async () => {
    const { station } = await share()
    await station.exchange(fine({ limit: 10, window: 120, remaining: 0 }))
    const { left, freeAt } = current(station)
    assert.deepEqual([left, freeAt], [0, station.clock.now() + HELD_MS])
  })

  it('sends one request at a time for a moment when Redis is back, because others may not have reported yet', async () => {
    const { station, redis } = await share({ isThere: false })
    redis.code = undefined
    await station.clock.pass(1000)
    assert.equal(station.quota.counts().sharedConnected, true)
    // Another process may have asked just before: it waits for a second, and asks again a second later.
    await station.clock.pass(2100)
    for (const serial of ['a', 'b', 'c']) station.request(serial)
    assert.deepEqual(await station.serials(), ['a'])
    await station.clock.pass(3000)
    assert.deepEqual(await station.serials(), ['a', 'b', 'c'])
  })

  it('waits until it has reported its usage again if Redis has lost its data', async () => {
    const { station, redis } = await share()
    redis.reservation = [-1]
    redis.holdReports()
    for (const serial of ['a', 'b']) station.request(serial)
    await station.clock.pass(3000)
    assert.deepEqual(await station.serials(), [])
    redis.reservation = [1, 1]
    redis.reply()
    assert.deepEqual(await station.serials(), ['a', 'b'])
  })

  it('reports its usage again if Redis has lost its data while a request was sent', async () => {
    const { station, redis } = await share()
    const reportsOf = async (settlement: number) => {
      redis.settlement = settlement
      const before = redis.reports.length
      await station.exchange()
      return redis.reports.length - before
    }
    assert.equal(await reportsOf(1), 0)
    assert.ok((await reportsOf(-1)) > 0)
  })

  it('counts a Redis that takes longer than a second to respond as away', async () => {
    const { station, redis } = await share()
    redis.reservation = new Promise(() => {})
    station.request('a')
    await station.clock.pass(999)
    assert.deepEqual(await station.serials(), [])
    await station.clock.pass(2)
    assert.deepEqual(await station.serials(), ['a'])
  })

  it('tells each change of the connection, and of the reason why there is none, once', async () => {
    const station = await new Station().begin()
    const redis = new FakeRedis()
    const changes: unknown[] = []
    redis.join(station, (...change) => changes.push(change))
    station.quota.join({
      concurrency: 1,
      limits: limitsWith(),
      onSharedChange: () => changes.push('not shared'),
    })
    const changesWith = async (code: string | undefined) => {
      redis.code = code
      await station.clock.pass(30_000)
      return changes.splice(0)
    }
    assert.deepEqual((await changesWith(undefined)).at(-1), [true, undefined])
    assert.deepEqual(await changesWith('ECONNREFUSED'), [[false, 'ECONNREFUSED']])
    assert.deepEqual(await changesWith('WRONGPASS'), [[false, 'WRONGPASS']])
    assert.deepEqual(await changesWith(undefined), [[true, undefined]])
  })

  it('asks a Redis that is away once a second, every other time through a new connection', async () => {
    const { station, redis } = await share({ isThere: false })
    const { calls, connections } = redis
    await station.clock.pass(10_000)
    assert.deepEqual([redis.calls - calls, redis.connections - connections], [10, 5])
    redis.isOpening = true
    await station.clock.pass(10_000)
    assert.equal(redis.connections - connections, 5)
  })

  it('counts a Redis that loses its data again and again as away', async () => {
    const { station, redis } = await share()
    redis.reservation = [-1]
    for (const serial of ['a', 'b']) station.request(serial)
    await station.clock.pass(10)
    assert.deepEqual(await station.serials(), ['a'])
  })

  it('sends one request at a time while Redis is away', async () => {
    const { station, redis } = await share()
    redis.code = 'ECONNREFUSED'
    for (const serial of ['a', 'b', 'c']) station.request(serial)
    assert.deepEqual(await station.serials(), ['a'])
    await station.answer()
    assert.deepEqual(await station.serials(), ['b'])
    assert.equal(station.quota.counts().sharedConnected, false)
  })
})
