import assert from 'node:assert/strict'
import { openRedis } from '../../../src/lib/quota/shared/redis'
import type { SharedQuotaStore } from '../../../src/lib/quota/shared/store'
import { accountKey } from '../../../src/lib/registry'
import { type RedisServer, startRedis } from '../../support/redis'
import {
  commitOutcome,
  grantedOf,
  isGranted,
  joinStore,
  reserveRequest,
  type StoreMember,
  usageReplay,
} from '../../support/shared-store'
import { until } from '../../support/wait'

const STARTING_MS = 300_000
const LEASE_MS = 30_000
/** Nothing is released within this time. */
const LONG_MS = 60_000
/** Maximum time that a slow machine takes between two steps. */
const SLACK_MS = 9000

describe('a shared store in Redis', () => {
  let redis: RedisServer
  const opened: SharedQuotaStore[] = []
  /** A connection of another process. */
  async function open(account = 'an account', lease = LEASE_MS): Promise<StoreMember> {
    const sharedStore = openRedis(redis.url, '', lease)(account)
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

  it('grants exactly what is available to many concurrent callers', async () => {
    const sharedStores = await Promise.all([open(), open(), open()])
    const limit = 7
    const reservations = Array.from({ length: 120 }, (_, at) =>
      sharedStores[at % 3]?.reserve(`${at}`, [reserveRequest({ limit, occupiedMs: LONG_MS })]),
    )
    const result = await Promise.all(reservations)
    const totals = result.flatMap((one) => (one && 'granted' in one ? [one.totals[0]] : []))
    assert.deepEqual(totals.toSorted(), [1, 2, 3, 4, 5, 6, 7])
    assert.ok(result.every((one) => one && ('granted' in one || one.shortIndex === 0)))
  })

  it('never grants more than the limit, and always as many as it allows', async () => {
    const sharedStores = await Promise.all([open(), open(), open()])
    const [limit, occupiedMs, rounds] = [4, 150, 6]
    const lives: { from: number; to: number }[] = []
    await Promise.all(
      sharedStores.flatMap((sharedStore, at) =>
        Array.from({ length: 3 }, async (_, lane) => {
          for (let count = 0; lives.length < limit * rounds; count++) {
            const id = `${at} ${lane} ${count}`
            if (!(await isGranted(sharedStore, id, [reserveRequest({ limit, occupiedMs })]))) continue
            const from = performance.now()
            // Its clock counts whole milliseconds.
            const to = from + occupiedMs - 2
            await sharedStore.commit(id, [commitOutcome({ limit, occupiedMs })], 0)
            lives.push({ from, to })
          }
        }),
      ),
    )
    const most = Math.max(
      ...lives.map(({ from }) => lives.filter((one) => one.from <= from && from < one.to).length),
    )
    assert.equal(most, limit)
  })

  it('reports when enough becomes available', async () => {
    const sharedStore = await open()
    const rule = { limit: 3, occupiedMs: LONG_MS }
    for (const id of ['a', 'b', 'c']) await grantedOf(sharedStore, id, [reserveRequest(rule)])
    const waitFor = async (minimum: number) => {
      const result = await sharedStore.reserve('more', [
        reserveRequest({ ...rule, wanted: minimum, minimum }),
      ])
      assert.ok('waitMs' in result)
      return result.waitMs
    }
    assert.equal(await waitFor(1), LONG_MS, 'all in flight: a window after answers that are yet to come')
    await sharedStore.commit('b', [commitOutcome(rule)], 20_000)
    await sharedStore.commit('a', [commitOutcome(rule)], 10_000)
    const [first, second, third] = [await waitFor(1), await waitFor(2), await waitFor(3)]
    assert.ok(first <= 40_000 && first > 40_000 - SLACK_MS, `${first}`)
    assert.ok(second <= 50_000 && second > 50_000 - SLACK_MS, `${second}`)
    assert.equal(third, LONG_MS)
  })

  it('releases committed usage exactly when it expires', async () => {
    const sharedStore = await open()
    const rule = { limit: 1, occupiedMs: 200 }
    await grantedOf(sharedStore, 'one', [reserveRequest(rule)])
    const from = performance.now()
    await sharedStore.commit('one', [commitOutcome(rule)], 0)
    await until('the permit is released', () => isGranted(sharedStore, 'another', [reserveRequest(rule)]))
    assert.ok(performance.now() - from >= rule.occupiedMs - 1)
  })

  it('reserves what is in flight for longer than that', async () => {
    const sharedStore = await open()
    const rule = { limit: 1, occupiedMs: 30 }
    await grantedOf(sharedStore, 'in flight', [reserveRequest(rule)])
    await grantedOf(sharedStore, 'settled', [reserveRequest({ ...rule, name: 'alert' })])
    await sharedStore.commit('settled', [commitOutcome({ ...rule, name: 'alert' })], 0)
    await until('the other permit is released', () =>
      isGranted(sharedStore, 'another', [reserveRequest({ ...rule, name: 'alert' })]),
    )
    assert.equal(await isGranted(sharedStore, 'more', [reserveRequest(rule)]), false)
  })

  it('releases the permit of a process that died, once its request cannot be in flight', async () => {
    const [lease, occupiedMs] = [150, 100]
    const dead = await open('an account', lease)
    const sharedStore = await open('an account', lease)
    const from = performance.now()
    await grantedOf(dead, 'lost', [reserveRequest({ limit: 1, occupiedMs })])
    await dead.sharedStore.close()
    await until('the permit is released', () =>
      isGranted(sharedStore, 'another', [reserveRequest({ limit: 1, occupiedMs })]),
    )
    assert.ok(performance.now() - from >= lease + occupiedMs - 1)
  })

  it('releases immediately what was not sent', async () => {
    const sharedStore = await open()
    const rule = { limit: 1, occupiedMs: LONG_MS }
    await grantedOf(sharedStore, 'unsent', [reserveRequest(rule)])
    await sharedStore.commit('unsent', [commitOutcome({ ...rule, used: 0 })], 0)
    assert.ok(await isGranted(sharedStore, 'another', [reserveRequest(rule)]))
  })

  it('counts each account by itself', async () => {
    const rule = { limit: 1, occupiedMs: LONG_MS }
    await grantedOf(await open('one'), 'a', [reserveRequest(rule)])
    assert.ok(await isGranted(await open('another'), 'b', [reserveRequest(rule)]))
    assert.equal(await isGranted(await open('one'), 'c', [reserveRequest(rule)]), false)
  })

  it('lets its data expire', async () => {
    const sharedStore = await open()
    const rule = { limit: 9, occupiedMs: LONG_MS }
    const records = { name: 'data 1/2', wanted: 5, minimum: 1, limit: 100, occupiedMs: 2 * LONG_MS }
    for (const id of ['in flight', 'over'])
      await grantedOf(sharedStore, id, [reserveRequest(rule), reserveRequest(records)])
    await sharedStore.commit('over', [commitOutcome({ ...rule, remaining: 3, closedMs: LONG_MS })], 0)
    const used = [{ id: 'old', ageMs: 10, amount: 1 }]
    await sharedStore.replay([usageReplay({ name: 'alert', occupiedMs: LONG_MS, used })])
    const contents = (await redis.contents()).filter(({ key }) => !/:(epoch|members)$/.test(key))
    assert.equal(contents.length, 3)
    for (const { key, lasts } of contents) assert.ok(lasts > 0, `${key} stays for ever`)
    // Longer than the lease of its entries.
    const requests = contents.find(({ key }) => key.endsWith('current'))
    assert.ok(Number(requests?.lasts) > LONG_MS, 'the lease of what is in flight')
  })

  it('lets its instance id expire as well if an account is not used any more', async () => {
    const sharedStore = await open()
    await grantedOf(sharedStore, 'one', [reserveRequest({ limit: 9, occupiedMs: LONG_MS })])
    const contents = await redis.contents()
    assert.ok(contents.length >= 2)
    assert.deepEqual(
      contents.filter(({ lasts }) => lasts < 0).map(({ key }) => key),
      [],
    )
  })

  it('writes nothing secret', async () => {
    const secrets = ['https://service.example', 'k'.repeat(45)] as const
    const sharedStore = await open(accountKey(...secrets))
    await grantedOf(sharedStore, 'one', [reserveRequest({ limit: 9, occupiedMs: LONG_MS })])
    const written = JSON.stringify(await redis.contents())
    for (const secret of [...secrets, 'service.example']) assert.ok(!written.includes(secret))
    assert.match(written, /current/)
  })
})
