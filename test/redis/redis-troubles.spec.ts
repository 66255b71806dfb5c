import assert from 'node:assert/strict'
import { openRedis } from '../../src/lib/quota/shared/redis'
import type { SharedQuotaStore } from '../../src/lib/quota/shared/store'
import { type RedisServer, startRedis } from '../support/redis'
import { claim, holds, joins, type Member, settled, takes } from '../support/shared-store'
import { until } from '../support/wait'

const STARTING_MS = 300_000
const LEASE_MS = 30_000
const LONG_MS = 60_000
const SLACK_MS = 5000

describe('a ledger in Redis, where others spend and limits end', () => {
  let redis: RedisServer
  const opened: SharedQuotaStore[] = []
  async function open(): Promise<Member> {
    const ledger = openRedis(redis.url, '', LEASE_MS)('an account')
    opened.push(ledger)
    return await joins(ledger)
  }

  before('starts Redis', async function () {
    this.timeout(STARTING_MS)
    redis = await startRedis()
  })
  beforeEach('forgets everything', () => redis.ask('FLUSHALL'))
  afterEach('closes the connections', async () => {
    await Promise.all(opened.splice(0).map((ledger) => ledger.close()))
  })
  after('ends Redis', () => redis.end('SIGKILL'))

  const records = (over: object) => ({ name: 'data 1/2', limit: 100, occupiedMs: LONG_MS, ...over })
  const requests = { name: 'data', limit: 9, occupiedMs: LONG_MS }

  it('gives as many records as are left, and corrects them to what came', async () => {
    const ledger = await open()
    const ask = (id: string, wanted: number) =>
      holds(ledger, id, [claim(requests), claim(records({ wanted, least: 10 }))])
    assert.deepEqual(await ask('a', 70), [1, 70])
    assert.deepEqual(await ask('b', 70), [1, 30])
    await ledger.settle('a', [settled(requests), settled(records({ used: 25 }))], 0)
    assert.deepEqual(await ask('c', 70), [1, 45])
  })

  it('takes all or nothing: no request where the records are too few, and none where there is no request', async () => {
    const ledger = await open()
    await holds(ledger, 'a', [claim(requests), claim(records({ wanted: 95, least: 95 }))])
    const told = await ledger.claim('b', [claim(requests), claim(records({ wanted: 9, least: 6 }))])
    assert.deepEqual(told, { waitMs: LONG_MS, short: 1, spent: 95, inFlight: true })
    const one = { ...requests, limit: 2 }
    assert.deepEqual(await holds(ledger, 'c', [claim(one), claim(records({ wanted: 9, least: 5 }))]), [1, 5])
    const full = await ledger.claim('d', [claim(one), claim(records({ name: 'data 3/3', wanted: 9 }))])
    assert.ok('waitMs' in full && full.short === 0)
    const whole = records({ name: 'data 3/3', wanted: 100, least: 100 })
    assert.deepEqual(await holds(ledger, 'e', [claim(requests), claim(whole)]), [1, 100])
  })

  it('enters what others spent, and gives nothing back where more remains than it thought', async () => {
    const ledger = await open()
    const held = { limit: 9, occupiedMs: LONG_MS }
    for (const id of ['a', 'b', 'c']) await holds(ledger, id, [claim(held)])
    await ledger.settle('a', [settled({ ...held, remaining: 2 })], 0)
    // 9 less 2 are spent, and 3 of the 7 are known.
    const told = await ledger.claim('d', [claim(held)])
    assert.deepEqual(told, { taken: [1], spent: [8] })
    await ledger.settle('b', [settled({ ...held, remaining: 8 })], 0)
    assert.deepEqual(await ledger.claim('e', [claim(held)]), { taken: [1], spent: [9] })
    assert.equal(await takes(ledger, 'f', [claim(held)]), false)
  })

  it('gives back after a window what others spent', async () => {
    const ledger = await open()
    const held = { limit: 3, occupiedMs: 150 }
    await holds(ledger, 'a', [claim(held)])
    await ledger.settle('a', [settled({ ...held, remaining: 0 })], 0)
    assert.equal(await takes(ledger, 'b', [claim(held)]), false)
    await until('all is free', () => takes(ledger, 'all', [claim({ ...held, wanted: 3, least: 3 })]))
  })

  it('closes an endpoint for all after a refusal, for a window', async () => {
    const [ledger, another] = [await open(), await open()]
    const held = { limit: 9, occupiedMs: 200 }
    await holds(ledger, 'a', [claim(held)])
    const from = performance.now()
    await ledger.settle('a', [settled({ ...held, closedMs: held.occupiedMs })], 0)
    const told = await another.claim('b', [claim(held)])
    assert.ok('waitMs' in told && told.waitMs > 0 && told.waitMs <= 200 && told.short === 0)
    assert.ok(await takes(another, 'other endpoint', [claim({ ...held, name: 'alert' })]))
    await until('it is open again', () => takes(another, 'b', [claim(held)]))
    assert.ok(performance.now() - from >= held.occupiedMs - 1)
  })

  it('closes a device alone where only its records were refused', async () => {
    const ledger = await open()
    await holds(ledger, 'a', [claim(requests), claim(records({ wanted: 10 }))])
    await ledger.settle('a', [settled(requests), settled(records({ used: 10, closedMs: LONG_MS }))], 0)
    const told = await ledger.claim('b', [claim(requests), claim(records({ wanted: 10 }))])
    assert.ok('waitMs' in told && told.short === 1)
    assert.ok(await takes(ledger, 'c', [claim(requests), claim(records({ name: 'data 3/3', wanted: 10 }))]))
  })

  it('gives back all of what was claimed without an answer, however little it was', async () => {
    const ledger = await open()
    await holds(ledger, 'a', [claim(requests), claim(records({ wanted: 60 }))])
    assert.deepEqual(await holds(ledger, 'late', [claim(requests), claim(records({ wanted: 60 }))]), [1, 40])
    await ledger.settle('late', [settled({ ...requests, used: 0 }), settled(records({ used: 0 }))], 0)
    assert.deepEqual(await holds(ledger, 'b', [claim(requests), claim(records({ wanted: 60 }))]), [1, 40])
  })

  it('settles what was settled before to the same end', async () => {
    const ledger = await open()
    const held = { limit: 3, occupiedMs: LONG_MS }
    await holds(ledger, 'a', [claim(held)])
    for (const age of [0, 1000]) await ledger.settle('a', [settled(held)], age)
    assert.deepEqual(await ledger.claim('b', [claim(held)]), { taken: [1], spent: [2] })
  })

  it('counts what was released while an answer was on its way as ours', async () => {
    const ledger = await open()
    const held = { limit: 9, occupiedMs: 50 }
    await holds(ledger, 'short', [claim(held)])
    await holds(ledger, 'long', [claim({ ...held, occupiedMs: LONG_MS })])
    await ledger.settle('short', [settled(held)], 0)
    await until('one is released', async () => {
      const told = await ledger.claim('look', [claim({ ...held, wanted: 8, least: 8 })])
      if ('taken' in told) await ledger.settle('look', [settled({ ...held, used: 0 })], 0)
      return 'taken' in told
    })
    const told = { ...held, occupiedMs: LONG_MS, remaining: 7 }
    await ledger.settle('long', [settled({ ...told, flightMs: SLACK_MS })], 0)
    assert.deepEqual(await ledger.claim('next', [claim({ ...held, occupiedMs: LONG_MS })]), {
      taken: [1],
      spent: [2],
    })
  })
})
