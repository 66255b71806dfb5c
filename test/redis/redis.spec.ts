import assert from 'node:assert/strict'
import { openRedis } from '../../src/lib/quota/shared/redis'
import type { SharedQuotaStore } from '../../src/lib/quota/shared/store'
import { accountKey } from '../../src/lib/registry'
import { type RedisServer, startRedis } from '../support/redis'
import { claim, holds, joins, type Member, settled, takes, usage } from '../support/shared-store'
import { until } from '../support/wait'

const STARTING_MS = 300_000
const LEASE_MS = 30_000
/** Long enough that nothing is released meanwhile. */
const LONG_MS = 60_000
/** What a slow machine may take between two steps. */
const SLACK_MS = 5000

describe('a ledger in Redis', () => {
  let redis: RedisServer
  const opened: SharedQuotaStore[] = []
  /** A connection of its own, as another process has. */
  async function open(account = 'an account', lease = LEASE_MS): Promise<Member> {
    const ledger = openRedis(redis.url, '', lease)(account)
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

  it('gives exactly what there is to many who ask at once', async () => {
    const ledgers = await Promise.all([open(), open(), open()])
    const limit = 7
    const asked = Array.from({ length: 120 }, (_, at) =>
      ledgers[at % 3]?.claim(`${at}`, [claim({ limit, occupiedMs: LONG_MS })]),
    )
    const told = await Promise.all(asked)
    const taken = told.flatMap((one) => (one && 'taken' in one ? [one.spent[0]] : []))
    assert.deepEqual(taken.toSorted(), [1, 2, 3, 4, 5, 6, 7])
    assert.ok(told.every((one) => one && ('taken' in one || one.short === 0)))
  })

  it('never lets more live than the limit, and as many as it allows', async () => {
    const ledgers = await Promise.all([open(), open(), open()])
    const [limit, occupiedMs, rounds] = [4, 150, 6]
    const lives: { from: number; to: number }[] = []
    await Promise.all(
      ledgers.flatMap((ledger, at) =>
        Array.from({ length: 3 }, async (_, lane) => {
          for (let count = 0; lives.length < limit * rounds; count++) {
            const id = `${at} ${lane} ${count}`
            if (!(await takes(ledger, id, [claim({ limit, occupiedMs })]))) continue
            const from = performance.now()
            // Its clock counts whole milliseconds.
            const to = from + occupiedMs - 2
            await ledger.settle(id, [settled({ limit, occupiedMs })], 0)
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

  it('tells when enough comes free', async () => {
    const ledger = await open()
    const held = { limit: 3, occupiedMs: LONG_MS }
    for (const id of ['a', 'b', 'c']) await holds(ledger, id, [claim(held)])
    const waitFor = async (least: number) => {
      const told = await ledger.claim('more', [claim({ ...held, wanted: least, least })])
      assert.ok('waitMs' in told)
      return told.waitMs
    }
    assert.equal(await waitFor(1), LONG_MS, 'all in flight: a window after answers that are yet to come')
    await ledger.settle('b', [settled(held)], 20_000)
    await ledger.settle('a', [settled(held)], 10_000)
    const [first, second, third] = [await waitFor(1), await waitFor(2), await waitFor(3)]
    assert.ok(first <= 40_000 && first > 40_000 - SLACK_MS, `${first}`)
    assert.ok(second <= 50_000 && second > 50_000 - SLACK_MS, `${second}`)
    assert.equal(third, LONG_MS)
  })

  it('releases what was settled when its time is over and not before', async () => {
    const ledger = await open()
    const held = { limit: 1, occupiedMs: 200 }
    await holds(ledger, 'one', [claim(held)])
    const from = performance.now()
    await ledger.settle('one', [settled(held)], 0)
    await until('the place is free', () => takes(ledger, 'another', [claim(held)]))
    assert.ok(performance.now() - from >= held.occupiedMs - 1)
  })

  it('holds what is in flight for longer than that', async () => {
    const ledger = await open()
    const held = { limit: 1, occupiedMs: 30 }
    await holds(ledger, 'in flight', [claim(held)])
    await holds(ledger, 'settled', [claim({ ...held, name: 'alert' })])
    await ledger.settle('settled', [settled({ ...held, name: 'alert' })], 0)
    await until('the other is released', () => takes(ledger, 'another', [claim({ ...held, name: 'alert' })]))
    assert.equal(await takes(ledger, 'more', [claim(held)]), false)
  })

  it('gives the place of a process that died to others, once its request cannot be under way', async () => {
    const [lease, occupiedMs] = [150, 100]
    const dead = await open('an account', lease)
    const ledger = await open('an account', lease)
    const from = performance.now()
    await holds(dead, 'lost', [claim({ limit: 1, occupiedMs })])
    await dead.ledger.close()
    await until('the place is free', () => takes(ledger, 'another', [claim({ limit: 1, occupiedMs })]))
    assert.ok(performance.now() - from >= lease + occupiedMs - 1)
  })

  it('gives back at once what was not sent', async () => {
    const ledger = await open()
    const held = { limit: 1, occupiedMs: LONG_MS }
    await holds(ledger, 'unsent', [claim(held)])
    await ledger.settle('unsent', [settled({ ...held, used: 0 })], 0)
    assert.ok(await takes(ledger, 'another', [claim(held)]))
  })

  it('counts each account by itself', async () => {
    const held = { limit: 1, occupiedMs: LONG_MS }
    await holds(await open('one'), 'a', [claim(held)])
    assert.ok(await takes(await open('another'), 'b', [claim(held)]))
    assert.equal(await takes(await open('one'), 'c', [claim(held)]), false)
  })

  it('lets what it holds expire', async () => {
    const ledger = await open()
    const held = { limit: 9, occupiedMs: LONG_MS }
    const records = { name: 'data 1/2', wanted: 5, least: 1, limit: 100, occupiedMs: 2 * LONG_MS }
    for (const id of ['in flight', 'over']) await holds(ledger, id, [claim(held), claim(records)])
    await ledger.settle('over', [settled({ ...held, remaining: 3, closedMs: LONG_MS })], 0)
    const spent = [{ id: 'old', ageMs: 10, amount: 1 }]
    await ledger.replay([usage({ name: 'alert', occupiedMs: LONG_MS, spent })])
    const contents = (await redis.contents()).filter(({ key }) => !/:(epoch|members)$/.test(key))
    assert.equal(contents.length, 3)
    for (const { key, lasts } of contents) assert.ok(lasts > 0, `${key} stays for ever`)
    // Longer than what is in it is held.
    const requests = contents.find(({ key }) => key.endsWith('current'))
    assert.ok(Number(requests?.lasts) > LONG_MS, 'the lease of what is in flight')
  })

  it('lets its own mark expire as well, of accounts that nobody uses any more', async () => {
    const ledger = await open()
    await holds(ledger, 'one', [claim({ limit: 9, occupiedMs: LONG_MS })])
    const contents = await redis.contents()
    assert.ok(contents.length >= 2)
    assert.deepEqual(
      contents.filter(({ lasts }) => lasts < 0).map(({ key }) => key),
      [],
    )
  })

  it('writes nothing secret', async () => {
    const secrets = ['https://service.example', 'k'.repeat(45)] as const
    const ledger = await open(accountKey(...secrets))
    await holds(ledger, 'one', [claim({ limit: 9, occupiedMs: LONG_MS })])
    const written = JSON.stringify(await redis.contents())
    for (const secret of [...secrets, 'service.example']) assert.ok(!written.includes(secret))
    assert.match(written, /current/)
  })
})
