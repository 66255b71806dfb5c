import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { REPORT, RESERVE, SETTLE } from '../../../src/lib/shared-quota/redis-scripts'
import type { ModelService } from '../../support/quota/model-service'
import { until } from '../../support/wait'
import { createService, HELD_MS, LEASE_MS, Member, mostRefusedInAWindow, ROW } from './members'
import { type RedisServer, startRedis } from './redis-server'

const STARTING_MS = 300_000
const RUN_MS = 60_000
/** Share of what one Node-RED alone could send: low, because timers are late on a busy machine, and windows are short. */
const MIN_THROUGHPUT = 0.6
/** For members that are connected again, or that a busy machine holds up. */
const USED_MS = 30_000

describe('a quota that several Node-REDs share through a real Redis', function () {
  this.timeout(RUN_MS)
  let redis: RedisServer
  let service: ModelService
  let members: Member[]

  before('starts Redis', async function () {
    this.timeout(STARTING_MS)
    redis = await startRedis()
  })
  beforeEach('forgets everything', async () => {
    await redis.command('FLUSHALL')
    service = createService()
    members = []
  })
  afterEach('ends the members', () => {
    for (const member of members) member.leaveAndStop()
  })
  after('ends Redis', () => redis.end('SIGKILL'))

  /** Connected members that all want more than there is. */
  async function start(count: number, hasHeaders = true): Promise<Member[]> {
    const options = { address: redis.url, hasHeaders }
    const started = Array.from({ length: count }, () => new Member(service, options))
    members.push(...started)
    await Promise.all(started.map((member) => member.waitUntilConnected()))
    for (const member of started) member.startDemand()
    return started
  }

  const windows = (count: number) => sleep(count * HELD_MS)

  /** Resolves when the members have used the quota for two windows. */
  const used = () =>
    until(
      'the quota is used',
      async () => {
        const before = service.log.length
        await windows(2)
        return service.log.length - before >= MIN_THROUGHPUT * 2 * ROW.limit
      },
      USED_MS,
    )

  for (const count of [1, 2, 4]) {
    it(`is used up by ${count} members, and never exceeded`, async () => {
      await start(count)
      // Until the data is older than a window, requests are sent one at a time.
      await windows(1.5)
      await used()
      assert.deepEqual(service.refusals(), [])
      // Each gets at least a quarter of a fair share.
      const least = () => service.log.length / count / 4
      await until('each has its share', () => members.every(({ sent }) => sent.length >= least()), USED_MS)
    })
  }

  it('is never exceeded without headers either', async () => {
    await start(3, false)
    await windows(4)
    assert.deepEqual(service.refusals(), [])
  })

  it('is never exceeded by a member that starts after another one has used it up', async () => {
    const [first] = await start(1)
    await windows(1.5)
    for (let count = 0; count < 2; count++) {
      const { length } = first?.sent ?? []
      await until('used up', () => (first?.sent.length ?? 0) >= length + ROW.limit)
      const late = new Member(service, { address: redis.url })
      members.push(late)
      late.startDemand()
      await windows(0.5)
    }
    assert.deepEqual(service.refusals(), [])
  })

  it('applies a stricter limit that the service has reported to one member to all members', async () => {
    const own = { address: redis.url, limit: 10 * ROW.limit }
    const [busy, rare] = [new Member(service, own), new Member(service, own)]
    members.push(busy, rare)
    await Promise.all(members.map((member) => member.waitUntilConnected()))
    busy.startDemand()
    await windows(1.5)
    for (let count = 0; count < 2; count++) {
      await Promise.all(Array.from({ length: 3 }, () => rare.request()))
      await windows(1.2)
    }
    assert.deepEqual(service.refusals(), [])
  })

  it('serves a member with a lower limit of its own beside one that uses more than that', async () => {
    const [busy, low] = [
      new Member(service, { address: redis.url }),
      new Member(service, { address: redis.url, limit: 3 }),
    ]
    members.push(busy, low)
    await Promise.all(members.map((member) => member.waitUntilConnected()))
    await windows(1.5)
    low.startDemand()
    for (let count = 0; count < 4; count++) {
      await Promise.all(Array.from({ length: 5 }, () => busy.request()))
      await windows(1)
    }
    assert.deepEqual(service.refusals(), [])
    assert.ok(low.sent.length >= 6, `${low.sent.length}`)
    const most = low.sent.map(
      ({ at: from }) => low.sent.filter(({ at }) => at >= from && at < from + 1000).length,
    )
    assert.equal(Math.max(...most), 3)
  })

  it('keeps the limits of all account nodes of its members, also of a shorter window that allows less over time', async () => {
    const [long, short] = [
      { limit: 10, window: 3 },
      { limit: 6, window: 2 },
    ]
    service = createService({ ...ROW, ...long })
    const options = { address: redis.url, hasHeaders: false, nodes: [long, short] }
    members.push(new Member(service, options), new Member(service, options))
    await Promise.all(members.map((member) => member.waitUntilConnected()))
    for (const member of members) member.startDemand()
    await windows(7)
    assert.deepEqual([service.refusals().length, service.log.length >= 20], [0, true])
    const times = service.log.map(({ at }) => at)
    const inShort = times.map((from) => times.filter((at) => at >= from && at - from < 2000).length)
    assert.ok(Math.max(...inShort) <= short.limit, `${inShort}`)
  })

  it('is not blocked by instants ahead of the clock, which was set back', async () => {
    await start(2)
    await windows(1.5)
    const [key] = ((await redis.command('KEYS', '*:current')) as string[]) ?? []
    const ahead = Date.now() + 3_600_000
    await redis.command(
      'HSET',
      String(key),
      'used',
      `9 s ${ahead} 0`,
      'others',
      `9 o ${ahead} 0`,
      'closed',
      `1 c ${ahead} ${HELD_MS}`,
    )
    await windows(1.5)
    await used()
  })

  it('is neither exceeded nor kept for ever by entries that no member can have written', async () => {
    await start(2, false)
    await windows(1.5)
    const key = String(((await redis.command('KEYS', '*:current')) as string[])[0])
    const now = Date.now()
    const digits = '9'.repeat(400)
    const damages = [
      ['limit 1 no-time', `5 n ${now} 0`],
      ['limit 1 nothing', `0 n ${now} 0`],
      ['limit 1 short', `10 n ${now} 10`],
      ['limit 1 long', `5 n ${now} 999999999999999`],
      ['limit 1 endless', `5 n ${now} ${digits}`],
      ['limit 1 used', `5 s ${now} 0`],
      ['reported', `0 r ${now} ${HELD_MS}`],
      ['text', 'NaN'],
    ]
    for (const damage of damages) {
      await redis.command('HSET', key, ...damage)
      await windows(0.6)
    }
    assert.deepEqual([service.refusals(), members.flatMap(({ reasons }) => reasons)], [[], []])
    const left = (await redis.command('HKEYS', key)) as string[]
    assert.deepEqual(
      left.filter((id) => damages.some(([damaged]) => damaged === id)),
      [],
    )
    assert.ok(Number(await redis.command('PTTL', key)) < 60_000)
  })

  it('is exceeded once when others use the account too, and by nobody as soon as a refusal shows that', async () => {
    const pair = [0, 1].map(() => new Member(service, { address: redis.url }))
    members.push(...pair)
    await Promise.all(pair.map((member) => member.waitUntilConnected()))
    await windows(1.5)
    for (let count = 0; count < 3; count++) for (const member of pair) await member.request()
    for (let count = 0; count < 4; count++) service.foreign()
    // A single request: of several in flight, each could be refused, because no client could know of the others yet.
    let isDone = false
    const request = pair[0]?.request().then(() => {
      isDone = true
    })
    await until('Redis knows of the refusal, if there was one', async () =>
      service.refusals().length === 0 ? isDone : /\b1 c \d/.test(JSON.stringify(await redis.contents())),
    )
    for (const member of pair) member.startDemand()
    await windows(2)
    await request
    assert.ok(service.refusals().length <= 1, `${service.refusals().length}`)
  })

  it('loses nothing when members are deployed, and frees what a killed one had in flight after its lease', async () => {
    const [first] = await start(2)
    await windows(1.5)
    first?.leaveAndStop()
    await start(1)
    await windows(1)
    // A dead process has left a reservation behind.
    const [key] = ((await redis.command('KEYS', '*:current')) as string[]) ?? []
    const { 0: seconds } = (await redis.command('TIME')) as string[]
    await redis.command('HSET', String(key), 'dead', `8 f ${Number(seconds) * 1000 + 1500} 0`)
    // The dead member's request may have been sent at any time until then, and counts for a window.
    await windows(3)
    assert.deepEqual(service.refusals(), [])
    await used()
  })

  it('counts requests in flight at a deploy as used, not as in flight until the end of their lease', async () => {
    const [member] = await start(1)
    await until('something was sent', () => (member?.sent.length ?? 0) > 2)
    member?.leaveAndStop()
    const stoppedAt = performance.now()
    await until('nothing is in flight', async () => !/\d f \d/.test(JSON.stringify(await redis.contents())))
    assert.ok(performance.now() - stoppedAt < LEASE_MS)
    assert.match(JSON.stringify(await redis.contents()), /\d s \d/)
  })

  const troubles: [string, () => Promise<void>, () => Promise<void>][] = [
    ['is killed, and started again without its data', () => redis.end('SIGKILL'), () => redis.start()],
    ['stands still', () => redis.signal('SIGSTOP'), () => redis.signal('SIGCONT')],
    [
      'is full',
      async () => void (await redis.command('CONFIG', 'SET', 'maxmemory', '1')),
      async () => void (await redis.command('CONFIG', 'SET', 'maxmemory', '0')),
    ],
    [
      'becomes read-only',
      async () => void (await redis.command('REPLICAOF', '127.0.0.1', '1')),
      async () => void (await redis.command('REPLICAOF', 'NO', 'ONE')),
    ],
  ]
  for (const [title, begin, end] of troubles) {
    it(`continues without Redis if that ${title}: at most one refusal per window for each`, async () => {
      await start(2)
      await windows(1.5)
      await begin()
      await Promise.all(members.map((member) => member.waitUntilConnected(false)))
      const sent = service.log.length
      await windows(2)
      assert.ok(service.log.length > sent, 'requests continue')
      for (const { reasons } of members) assert.ok(reasons.length <= 2, `${reasons}`)
      await end()
      await Promise.all(members.map((member) => member.waitUntilConnected()))
      assert.ok(mostRefusedInAWindow(service) <= members.length, `${mostRefusedInAWindow(service)}`)
      // Then the quota is used as before.
      await windows(2)
      const before = service.refusals().length
      await used()
      assert.equal(service.refusals().length, before)
    })
  }

  it('is not exceeded if Redis loses its data, as long as it is reachable', async () => {
    await start(3)
    await windows(1.5)
    for (let count = 0; count < 3; count++) {
      await redis.command('FLUSHALL')
      await windows(0.7)
    }
    await windows(2)
    assert.ok(mostRefusedInAWindow(service) <= members.length)
    const before = service.refusals().length
    await used()
    assert.equal(service.refusals().length, before)
  })

  describe('in what Redis keeps', () => {
    const keys = ['epoch', 'current'].map((name) => `envlog:{an-account}:${name}`)
    const run = (script: string, argument: object) =>
      redis.command('EVAL', script, '2', ...keys, JSON.stringify({ leaseMs: LEASE_MS, ...argument }))
    const part = { id: 'a:1', limits: [{ limit: ROW.limit, heldMs: HELD_MS }], entries: [] }
    const report = () => run(REPORT, { candidate: 'data', process: 'a', parts: [part] })

    it('lasts as long as the windows that its members and the last response have named', async () => {
      const epoch = await report()
      assert.ok(Number(await redis.command('PTTL', keys[1] as string)) > 0)
      const keptAfter = async (heldMs: number) => {
        const uses = [{ used: 1, reported: { limit: ROW.limit, heldMs }, remaining: 9, isClosed: false }]
        await run(SETTLE, { epoch, id: 'a:1', needs: [part], uses, flightMs: 10 })
        return Number(await redis.command('PTTL', keys[1] as string))
      }
      const kept = [await keptAfter(86_401_000), await keptAfter(HELD_MS)]
      const limits = [{ limit: 1, heldMs: 86_401_000 }, ...part.limits]
      await run(REPORT, { candidate: 'data', process: 'b', parts: [{ ...part, limits }] })
      kept.push(await keptAfter(HELD_MS))
      assert.deepEqual(
        kept.map((ms) => ms > 86_000_000),
        [true, false, true],
      )
    })

    it('is closed for twice as long after each further refusal in a row, up to the window that the service reports', async () => {
      const epoch = await report()
      /** The time until a request may ask again after a response, in windows. @param flightMs since it was sent */
      const waitAfter = async (isClosed: boolean, heldMs: number, flightMs: number) => {
        const reported = { limit: ROW.limit, heldMs }
        const use = { used: 1, reported, remaining: -1, isClosed, hasResponse: true }
        await run(SETTLE, { epoch, id: 'a:1', needs: [part], uses: [use], flightMs })
        const needs = [{ wanted: 1, minimum: 1, limits: part.limits }]
        const [isGranted, , retryMs] = (await run(RESERVE, { epoch, id: 'b:1', needs })) as number[]
        return isGranted ? 0 : Math.ceil(Number(retryMs) / HELD_MS)
      }
      // Sent after the last response, also if that was within this millisecond.
      const next = -1
      const waits: number[] = []
      for (const flightMs of [next, 1000, next, next, next, next])
        waits.push(await waitAfter(true, 6 * HELD_MS, flightMs))
      waits.push(await waitAfter(false, HELD_MS, next), await waitAfter(true, 6 * HELD_MS, next))
      assert.deepEqual(waits, [1, 1, 2, 4, 6, 6, 0, 1])
    })
  })
})
