import assert from 'node:assert/strict'
import { openRedis } from '../../../src/lib/quota/shared/redis'
import type { SharedQuotaStore } from '../../../src/lib/quota/shared/store'
import { type RedisServer, startRedis } from '../../support/redis'
import {
  commitOutcome,
  grantedOf,
  isGranted,
  joinStore,
  reserveRequest,
  type StoreMember,
} from '../../support/shared-store'
import { until } from '../../support/wait'

const STARTING_MS = 300_000
const LEASE_MS = 30_000
const LONG_MS = 60_000
const SLACK_MS = 5000

describe('a shared store in Redis, with usage by others and exceeded limits', () => {
  let redis: RedisServer
  const opened: SharedQuotaStore[] = []
  async function open(): Promise<StoreMember> {
    const sharedStore = openRedis(redis.url, '', LEASE_MS)('an account')
    opened.push(sharedStore)
    return await joinStore(sharedStore)
  }

  before('starts Redis', async function () {
    this.timeout(STARTING_MS)
    redis = await startRedis()
  })
  beforeEach('forgets everything', () => redis.command('FLUSHALL'))
  afterEach('closes the connections', async () => {
    await Promise.all(opened.splice(0).map((sharedStore) => sharedStore.close()))
  })
  after('ends Redis', () => redis.end('SIGKILL'))

  const records = (over: object) => ({ name: 'data 1/2', limit: 100, occupiedMs: LONG_MS, ...over })
  const requests = { name: 'data', limit: 9, occupiedMs: LONG_MS }

  it('grants as many records as are left, and corrects them to those received', async () => {
    const sharedStore = await open()
    const reserve = (id: string, wanted: number) =>
      grantedOf(sharedStore, id, [reserveRequest(requests), reserveRequest(records({ wanted, minimum: 10 }))])
    assert.deepEqual(await reserve('a', 70), [1, 70])
    assert.deepEqual(await reserve('b', 70), [1, 30])
    await sharedStore.commit('a', [commitOutcome(requests), commitOutcome(records({ used: 25 }))], 0)
    assert.deepEqual(await reserve('c', 70), [1, 45])
  })

  it('grants all or nothing: no request without enough records, and no records without a request', async () => {
    const sharedStore = await open()
    await grantedOf(sharedStore, 'a', [
      reserveRequest(requests),
      reserveRequest(records({ wanted: 95, minimum: 95 })),
    ])
    const result = await sharedStore.reserve('b', [
      reserveRequest(requests),
      reserveRequest(records({ wanted: 9, minimum: 6 })),
    ])
    assert.deepEqual(result, { waitMs: LONG_MS, shortIndex: 1, total: 95, inFlight: true })
    const one = { ...requests, limit: 2 }
    assert.deepEqual(
      await grantedOf(sharedStore, 'c', [
        reserveRequest(one),
        reserveRequest(records({ wanted: 9, minimum: 5 })),
      ]),
      [1, 5],
    )
    const full = await sharedStore.reserve('d', [
      reserveRequest(one),
      reserveRequest(records({ name: 'data 3/3', wanted: 9 })),
    ])
    assert.ok('waitMs' in full && full.shortIndex === 0)
    const whole = records({ name: 'data 3/3', wanted: 100, minimum: 100 })
    assert.deepEqual(
      await grantedOf(sharedStore, 'e', [reserveRequest(requests), reserveRequest(whole)]),
      [1, 100],
    )
  })

  it('counts usage by others, and releases nothing if more remains than it counted', async () => {
    const sharedStore = await open()
    const rule = { limit: 9, occupiedMs: LONG_MS }
    for (const id of ['a', 'b', 'c']) await grantedOf(sharedStore, id, [reserveRequest(rule)])
    await sharedStore.commit('a', [commitOutcome({ ...rule, remaining: 2 })], 0)
    // 9 less 2 are used, and 3 of the 7 are known.
    const result = await sharedStore.reserve('d', [reserveRequest(rule)])
    assert.deepEqual(result, { granted: [1], totals: [8] })
    await sharedStore.commit('b', [commitOutcome({ ...rule, remaining: 8 })], 0)
    assert.deepEqual(await sharedStore.reserve('e', [reserveRequest(rule)]), { granted: [1], totals: [9] })
    assert.equal(await isGranted(sharedStore, 'f', [reserveRequest(rule)]), false)
  })

  it('releases usage by others after a window', async () => {
    const sharedStore = await open()
    const rule = { limit: 3, occupiedMs: 1000 }
    await grantedOf(sharedStore, 'a', [reserveRequest(rule)])
    await sharedStore.commit('a', [commitOutcome({ ...rule, remaining: 0 })], 0)
    assert.equal(await isGranted(sharedStore, 'b', [reserveRequest(rule)]), false)
    await until('all permits are available', () =>
      isGranted(sharedStore, 'all', [reserveRequest({ ...rule, wanted: 3, minimum: 3 })]),
    )
  })

  it('closes an endpoint for all after a refusal, for a window', async () => {
    const [sharedStore, another] = [await open(), await open()]
    const rule = { limit: 9, occupiedMs: 1000 }
    await grantedOf(sharedStore, 'a', [reserveRequest(rule)])
    const from = performance.now()
    await sharedStore.commit('a', [commitOutcome({ ...rule, closedMs: rule.occupiedMs })], 0)
    const result = await another.reserve('b', [reserveRequest(rule)])
    assert.ok('waitMs' in result && result.waitMs > 0 && result.waitMs <= 1000 && result.shortIndex === 0)
    assert.ok(await isGranted(another, 'other endpoint', [reserveRequest({ ...rule, name: 'alert' })]))
    await until('permits are available again', () => isGranted(another, 'b', [reserveRequest(rule)]))
    assert.ok(performance.now() - from >= rule.occupiedMs - 1)
  })

  it('closes only a device if only its records were refused', async () => {
    const sharedStore = await open()
    await grantedOf(sharedStore, 'a', [reserveRequest(requests), reserveRequest(records({ wanted: 10 }))])
    await sharedStore.commit(
      'a',
      [commitOutcome(requests), commitOutcome(records({ used: 10, closedMs: LONG_MS }))],
      0,
    )
    const result = await sharedStore.reserve('b', [
      reserveRequest(requests),
      reserveRequest(records({ wanted: 10 })),
    ])
    assert.ok('waitMs' in result && result.shortIndex === 1)
    assert.ok(
      await isGranted(sharedStore, 'c', [
        reserveRequest(requests),
        reserveRequest(records({ name: 'data 3/3', wanted: 10 })),
      ]),
    )
  })

  it('releases all that was reserved without a response, however little it was', async () => {
    const sharedStore = await open()
    await grantedOf(sharedStore, 'a', [reserveRequest(requests), reserveRequest(records({ wanted: 60 }))])
    assert.deepEqual(
      await grantedOf(sharedStore, 'late', [
        reserveRequest(requests),
        reserveRequest(records({ wanted: 60 })),
      ]),
      [1, 40],
    )
    await sharedStore.commit(
      'late',
      [commitOutcome({ ...requests, used: 0 }), commitOutcome(records({ used: 0 }))],
      0,
    )
    assert.deepEqual(
      await grantedOf(sharedStore, 'b', [reserveRequest(requests), reserveRequest(records({ wanted: 60 }))]),
      [1, 40],
    )
  })

  it('commits again without a change', async () => {
    const sharedStore = await open()
    const rule = { limit: 3, occupiedMs: LONG_MS }
    await grantedOf(sharedStore, 'a', [reserveRequest(rule)])
    for (const age of [0, 1000]) await sharedStore.commit('a', [commitOutcome(rule)], age)
    assert.deepEqual(await sharedStore.reserve('b', [reserveRequest(rule)]), { granted: [1], totals: [2] })
  })

  it('counts as ours what was released while a response was in flight', async () => {
    const sharedStore = await open()
    const rule = { limit: 9, occupiedMs: 50 }
    await grantedOf(sharedStore, 'short', [reserveRequest(rule)])
    await grantedOf(sharedStore, 'long', [reserveRequest({ ...rule, occupiedMs: LONG_MS })])
    await sharedStore.commit('short', [commitOutcome(rule)], 0)
    await until('one permit is released', async () => {
      const result = await sharedStore.reserve('look', [reserveRequest({ ...rule, wanted: 8, minimum: 8 })])
      if ('granted' in result) await sharedStore.commit('look', [commitOutcome({ ...rule, used: 0 })], 0)
      return 'granted' in result
    })
    const outcome = { ...rule, occupiedMs: LONG_MS, remaining: 7 }
    await sharedStore.commit('long', [commitOutcome({ ...outcome, flightMs: SLACK_MS })], 0)
    assert.deepEqual(await sharedStore.reserve('next', [reserveRequest({ ...rule, occupiedMs: LONG_MS })]), {
      granted: [1],
      totals: [2],
    })
  })
})
