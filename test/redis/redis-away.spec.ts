import assert from 'node:assert/strict'
import { openRedis } from '../../src/lib/quota/redis'
import type { SharedLedger } from '../../src/lib/quota/shared'
import { claim, settled, takes } from '../support/ledger'
import { type RedisServer, startRedis } from '../support/redis'
import { until } from '../support/wait'

const STARTING_MS = 300_000
const LEASE_MS = 30_000
const LONG_MS = 60_000
const SLACK_MS = 5000
const PASSWORD = 'not-a-secret'

describe('a ledger in Redis that forgets, ends, and lets nobody in', () => {
  let redis: RedisServer
  const opened: SharedLedger[] = []
  function connect(password = PASSWORD): SharedLedger {
    const ledger = openRedis(redis.url, password, LEASE_MS)('an account')
    opened.push(ledger)
    return ledger
  }
  async function open(): Promise<SharedLedger> {
    const ledger = connect()
    await ledger.epoch()
    return ledger
  }

  before('starts Redis', async function () {
    this.timeout(STARTING_MS)
    redis = await startRedis({ password: PASSWORD })
  })
  beforeEach('forgets everything', () => redis.ask('FLUSHALL'))
  afterEach('closes the connections', async () => {
    await Promise.all(opened.splice(0).map((ledger) => ledger.close()))
  })
  after('ends Redis', () => redis.end('SIGKILL'))

  const forgets = {
    'was emptied': () => redis.ask('FLUSHALL'),
    'was started anew': async () => {
      await redis.end('SIGKILL')
      await redis.start()
    },
  }
  for (const [what, forget] of Object.entries(forgets)) {
    it(`has another name where it ${what}, the same to each process, and takes in what they spent`, async () => {
      const ledgers = [await open(), await open()]
      const held = { limit: 9, heldMs: LONG_MS }
      const before = await ledgers[0]?.epoch()
      assert.equal(await ledgers[1]?.epoch(), before)
      await forget()
      const names = new Set<unknown>()
      for (const [at, ledger] of ledgers.entries()) {
        const name = await until('it is connected', () =>
          ledger.epoch().then(
            (told) => told,
            () => false,
          ),
        )
        names.add(name)
        assert.notEqual(name, before)
        const spent = [
          { ageMs: LONG_MS + 1, amount: 5 },
          { ageMs: 20_000, amount: 2 + at },
        ]
        await ledger.catchUp([{ name: 'current', heldMs: LONG_MS, spent }])
      }
      assert.equal(names.size, 1)
      const told = await ledgers[0]?.claim('a', [claim({ ...held, wanted: 5, least: 5 })])
      assert.ok(told && 'waitMs' in told)
      assert.ok(told.waitMs <= 40_000 && told.waitMs > 40_000 - SLACK_MS, `${told.waitMs}`)
      assert.deepEqual(await ledgers[1]?.claim('b', [claim({ ...held, wanted: 4, least: 4 })]), {
        taken: [4],
        spent: [9],
      })
    })
  }

  it('fails at once while Redis is away, and goes on when it is back', async () => {
    const ledger = await open()
    await redis.end('SIGKILL')
    await until('it knows', () =>
      ledger.epoch().then(
        () => false,
        () => true,
      ),
    )
    await assert.rejects(ledger.claim('a', [claim({})]))
    await assert.rejects(ledger.settle('a', [settled({})], 0))
    await redis.start()
    await until('it is back', () =>
      ledger.epoch().then(
        () => true,
        () => false,
      ),
    )
    assert.ok(await takes(ledger, 'a', [claim({})]))
  })

  it('does nothing with a wrong password, and says none', async () => {
    const wrong = 'wrong-password'
    // Equal refusals are one entry, with a count.
    const refusals = async () => {
      const [entry] = (await redis.ask('ACL', 'LOG')) as { count: number }[]
      return entry?.count ?? 0
    }
    await redis.ask('ACL', 'LOG', 'RESET')
    const ledger = connect(wrong)
    await until('it was refused again and again', async () => (await refusals()) >= 2)
    await assert.rejects(ledger.claim('a', [claim({})]), (error: Error) => {
      assert.ok(!String(error.stack).includes(wrong))
      return true
    })
    assert.deepEqual(await redis.contents(), [])
  })
})
