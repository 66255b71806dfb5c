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
  usageReplay,
} from '../../support/shared-store'
import { until } from '../../support/wait'

const STARTING_MS = 300_000
const LEASE_MS = 30_000
const LONG_MS = 60_000
const SLACK_MS = 9000
const PASSWORD = 'not-a-secret'

describe('a shared store in Redis that loses data, stops, and refuses the password', () => {
  let redis: RedisServer
  const opened: SharedQuotaStore[] = []
  function connect(password = PASSWORD): SharedQuotaStore {
    const sharedStore = openRedis(redis.url, password, LEASE_MS)('an account')
    opened.push(sharedStore)
    return sharedStore
  }
  const open = (name?: string): Promise<StoreMember> => joinStore(connect(), name)
  /** Waits until it is connected. */
  const rejoin = (sharedStore: SharedQuotaStore, name?: string) =>
    until('it is connected', () => joinStore(sharedStore, name).catch(() => false as const))

  before('starts Redis', async function () {
    this.timeout(STARTING_MS)
    redis = await startRedis({ password: PASSWORD })
  })
  beforeEach('forgets everything', () => redis.command('FLUSHALL'))
  afterEach('closes the connections', async () => {
    await Promise.all(opened.splice(0).map((sharedStore) => sharedStore.close()))
  })
  after('ends Redis', () => redis.end('SIGKILL'))

  const forgets = {
    'was emptied': () => redis.command('FLUSHALL'),
    'was restarted': async () => {
      await redis.end('SIGKILL')
      await redis.start()
    },
  }
  for (const [what, forget] of Object.entries(forgets)) {
    it(`has another instance id if it ${what}, the same for each process, and accepts their usage`, async () => {
      const before = [await open('one'), await open('two')]
      const rule = { limit: 9, occupiedMs: LONG_MS }
      assert.equal(before[0]?.instanceId, before[1]?.instanceId)
      await forget()
      const after: StoreMember[] = []
      for (const [at, { sharedStore, name, instanceId }] of before.entries()) {
        const member = await rejoin(sharedStore, name)
        after.push(member)
        assert.notEqual(member.instanceId, instanceId)
        const used = [
          { id: `${name}:1`, ageMs: LONG_MS + 1, amount: 5 },
          { id: `${name}:2`, ageMs: 20_000, amount: 2 + at },
        ]
        for (let times = 0; times < 3; times++)
          await member.replay([usageReplay({ occupiedMs: LONG_MS, used })])
      }
      assert.equal(after[0]?.instanceId, after[1]?.instanceId)
      const result = await after[0]?.reserve('a', [reserveRequest({ ...rule, wanted: 5, minimum: 5 })])
      assert.ok(result && 'waitMs' in result)
      assert.ok(result.waitMs <= 40_000 && result.waitMs > 40_000 - SLACK_MS, `${result.waitMs}`)
      assert.deepEqual(await after[1]?.reserve('b', [reserveRequest({ ...rule, wanted: 4, minimum: 4 })]), {
        granted: [4],
        totals: [9],
      })
    })
  }

  it('does nothing for a member that has not reported its usage since it was emptied', async () => {
    const { sharedStore, name, instanceId } = await open()
    await redis.command('FLUSHALL')
    assert.equal(await sharedStore.reserve(instanceId, name, 'a', [reserveRequest({})]), 'stale')
    const settles = [{ ...commitOutcome({}), used: { id: 'a', amount: 1, ageMs: 0 } }]
    assert.equal(await sharedStore.commit(instanceId, 'a', settles), 'stale')
    assert.equal(await sharedStore.replay(instanceId, [usageReplay({})]), 'stale')
    assert.deepEqual(await redis.contents(), [])
  })

  it('has another instance id if a copy of its data is in another process', async () => {
    const { sharedStore, name, instanceId } = await open()
    const key = String((await redis.contents()).find((one) => one.key.endsWith('epoch'))?.key)
    const written = String(await redis.command('GET', key))
    await redis.command('SET', key, written.replace(/\w{40}$/, 'f'.repeat(40)))
    assert.equal(await sharedStore.reserve(instanceId, name, 'a', [reserveRequest({})]), 'stale')
    assert.notEqual((await joinStore(sharedStore)).instanceId, instanceId)
  })

  it('distinguishes reported usage in flight from ended usage, however late it is reported', async () => {
    const member = await open()
    const rule = { limit: 9, occupiedMs: LONG_MS }
    const inFlight = [{ id: 'x:1', amount: 2 }]
    const used = [{ id: 'x:1', amount: 2, ageMs: 5000 }]
    await member.replay([usageReplay({ occupiedMs: LONG_MS, inFlight })])
    const all = async () => {
      const result = await member.reserve('look', [reserveRequest({ ...rule, wanted: 10, minimum: 10 })])
      assert.ok('waitMs' in result)
      return [result.total, result.inFlight]
    }
    assert.deepEqual(await all(), [2, true])
    await member.replay([usageReplay({ occupiedMs: LONG_MS, used })])
    assert.deepEqual(await all(), [2, false])
    await member.replay([usageReplay({ occupiedMs: LONG_MS, inFlight })])
    assert.deepEqual(await all(), [2, false])
    await member.replay([usageReplay({ occupiedMs: LONG_MS, inFlight: [{ id: 'x:2', amount: 3 }] })])
    await member.replay([usageReplay({ occupiedMs: LONG_MS, ended: ['x:2', 'x:1'] })])
    assert.deepEqual(await all(), [2, false])
  })

  it('accepts a thousand limits, though each command has to end in time', async () => {
    const member = await open()
    const used = (at: number) => [{ id: `x:${at}`, amount: 1, ageMs: 0 }]
    const all = Array.from({ length: 1000 }, (_, at) =>
      usageReplay({ name: `data ${at}`, occupiedMs: LONG_MS, used: used(at) }),
    )
    await member.replay(all)
    assert.equal((await redis.command('DBSIZE')) as number, 1000 + 2)
  })

  it('reserves a share for members that fell silent, as long as they may be using it', async () => {
    const member = await open('one')
    const rule = { limit: 12, occupiedMs: LONG_MS }
    const members = `envlog:{an account}:members`
    const [now] = (await redis.command('TIME')) as string[]
    const seen = (secondsAgo: number) => String((Number(now) - secondsAgo) * 1000)
    // Two within the window, one of which used some permits; one before it.
    await redis.command('ZADD', members, seen(20), 'silent', seen(30), 'used some', seen(61), 'long gone')
    const key = 'envlog:{an account}:epoch'
    const [instanceId, , of] = String(await redis.command('GET', key)).split(' ')
    await redis.command('SET', key, `${instanceId} ${seen(100)} ${of}`)
    await member.replay([
      usageReplay({ occupiedMs: LONG_MS, used: [{ id: 'used some:1', amount: 3, ageMs: 31_000 }] }),
    ])
    // Three live members: four permits each.
    const result = await member.reserve('a', [reserveRequest({ ...rule, wanted: 12, minimum: 1 })])
    assert.deepEqual(result, { granted: [12 - 3 - 4 - 1], totals: [12] })
    const none = await member.reserve('b', [reserveRequest({ ...rule, wanted: 12, minimum: 1 })])
    assert.ok('waitMs' in none && none.waitMs <= 30_000, `${JSON.stringify(none)}`)
  })

  it('does so for a member without a report since the store was emptied, however recently it was active', async () => {
    const sharedStore = connect()
    const hello = {
      memberId: 'one',
      isLeaving: false,
      members: [{ id: 'silent', ageMs: 0 }],
      predecessors: [],
    }
    const { instanceId } = await sharedStore.heartbeat(hello)
    await sharedStore.heartbeat({ ...hello, reportedTo: instanceId })
    const request = reserveRequest({ limit: 12, occupiedMs: LONG_MS, wanted: 12, minimum: 1 })
    assert.deepEqual(await sharedStore.reserve(instanceId, 'one', 'one:a', [request]), {
      granted: [6],
      totals: [12],
    })
  })

  it('keeps nothing too long if its clock was set back', async () => {
    const member = await open()
    const rule = { limit: 1, occupiedMs: 300 }
    await grantedOf(member, 'a', [reserveRequest(rule)])
    await member.commit('a', [commitOutcome({ ...rule, closedMs: 300 })])
    const key = 'envlog:{an account}:current'
    const entries = (await redis.command('HGETALL', key)) as string[]
    for (let at = 0; at < entries.length; at += 2) {
      const [amount, state, ends, lasts] = String(entries[at + 1]).split(' ')
      await redis.command(
        'HSET',
        key,
        String(entries[at]),
        `${amount} ${state} ${Number(ends) + 86_400_000} ${lasts}`,
      )
    }
    await until('a permit is available', () => isGranted(member, 'b', [reserveRequest(rule)]))
  })

  it('stays closed until the end of the latest refusal, even if an earlier one is reported after it', async () => {
    const member = await open()
    const rule = { limit: 9, occupiedMs: LONG_MS }
    await member.commit('a', [commitOutcome({ ...rule, closedMs: LONG_MS })])
    await member.commit('b', [commitOutcome({ ...rule, closedMs: 5000 })])
    const result = await member.reserve('c', [reserveRequest(rule)])
    assert.ok('waitMs' in result && result.waitMs > LONG_MS - SLACK_MS)
  })

  it('keeps its instance id as long as any member sends heartbeats', async () => {
    const member = await open()
    const key = 'envlog:{an account}:epoch'
    await redis.command('PEXPIRE', key, '5000')
    assert.equal(await member.heartbeat(), member.instanceId)
    assert.ok(Number(await redis.command('PTTL', key)) > 86_400_000)
  })

  it('counts large limits exactly', async () => {
    const member = await open()
    const rule = { limit: 999_999_999_999_999, occupiedMs: LONG_MS }
    assert.deepEqual(
      await grantedOf(member, 'a', [reserveRequest({ ...rule, wanted: 999_999_999_999_998 })]),
      [999_999_999_999_998],
    )
    await member.commit('a', [commitOutcome({ ...rule, used: 999_999_999_999_998, remaining: 0 })])
    const result = await member.reserve('b', [reserveRequest(rule)])
    assert.ok('waitMs' in result && result.total === 999_999_999_999_999, JSON.stringify(result))
  })

  it('fails immediately while Redis is down, with a reason, and continues when it is up again', async () => {
    const { sharedStore, name, instanceId } = await open()
    await redis.end('SIGKILL')
    const error = await until('it rejects', () =>
      joinStore(sharedStore).then(
        () => false as const,
        (error: { code?: string }) => error.code === 'ECONNREFUSED' && error,
      ),
    )
    assert.equal(error.code, 'ECONNREFUSED')
    await assert.rejects(sharedStore.reserve(instanceId, name, 'a', [reserveRequest({})]))
    await assert.rejects(sharedStore.commit(instanceId, 'a', []))
    await redis.start()
    assert.ok(await isGranted(await rejoin(sharedStore), 'a', [reserveRequest({})]))
  })

  it('does nothing with a wrong password, and does not contain it in errors', async () => {
    const wrong = 'wrong-password'
    // Identical refusals are one entry with a count.
    const refusals = async () => {
      const [entry] = (await redis.command('ACL', 'LOG')) as { count: number }[]
      return entry?.count ?? 0
    }
    await redis.command('ACL', 'LOG', 'RESET')
    const sharedStore = connect(wrong)
    await until('it was refused again and again', async () => (await refusals()) >= 2)
    await assert.rejects(
      sharedStore.reserve('any', 'one', 'a', [reserveRequest({})]),
      (error: Error & { code?: string }) => {
        assert.ok(!String(error.stack).includes(wrong))
        return error.code === 'WRONGPASS'
      },
    )
    assert.deepEqual(await redis.contents(), [])
  })
})
