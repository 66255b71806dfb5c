import assert from 'node:assert/strict'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { systemClock } from '../../../src/lib/clock'
import { createQuota, type Quota } from '../../../src/lib/quota/quota'
import { openRedis } from '../../../src/lib/quota/shared/redis'
import { contextWith, NO_HEADERS } from '../../support/quota/manual-service'
import { participant } from '../../support/quota/quota'
import { type RedisServer, startRedis, startSentinel } from '../../support/redis'
import { until } from '../../support/wait'

const STARTING_MS = 300_000
const RUN_MS = 60_000
/** Maximum time to reconnect, ms. */
const BACK_MS = 20_000
const LEASE_MS = 30_000

/** A proxy to Redis that can switch to another server, or stop answering on open connections. */
async function startProxy(port: number) {
  let target = port
  const pairs = new Set<[Socket, Socket]>()
  const server: Server = createServer((near) => {
    const far = connect(target, '127.0.0.1')
    const pair: [Socket, Socket] = [near, far]
    pairs.add(pair)
    near.pipe(far)
    far.pipe(near)
    for (const one of pair) {
      one.on('error', () => {})
      one.on('close', () => {
        for (const both of pair) both.destroy()
        pairs.delete(pair)
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as { port: number }).port,
    turn: (to: number) => {
      target = to
    },
    mute() {
      for (const [near, far] of pairs) {
        near.unpipe(far)
        far.unpipe(near)
      }
    },
    end() {
      for (const [near, far] of pairs) for (const one of [near, far]) one.destroy()
      server.close()
    },
  }
}

describe('a quota that is shared by a failing Redis', function () {
  this.timeout(RUN_MS)
  let redis: RedisServer
  const ends: (() => unknown)[] = []

  before('starts Redis', async function () {
    this.timeout(STARTING_MS)
    redis = await startRedis()
  })
  beforeEach('forgets everything', () => redis.command('FLUSHALL'))
  afterEach('ends what the test has started', async () => {
    for (const end of ends.splice(0).reverse()) await end()
  })
  after('ends Redis', () => redis.end('SIGKILL'))

  /** A process that shares its quota, and the reasons it was disconnected. */
  function share(address: string) {
    const quota = createQuota(systemClock)
    const reasons: (string | undefined)[] = []
    const openSharedStore = () => openRedis(address, '', LEASE_MS)('an account')
    ends.push(
      quota.join(
        participant({ openSharedStore, onSharedStoreChange: (_, reason) => void reasons.push(reason) }),
      ),
    )
    return { quota, reasons }
  }

  const isHere = (quota: Quota, here = true) =>
    until(here ? 'it is connected' : 'it is disconnected', () => quota.counts().ledgerHere === here, BACK_MS)

  async function spend(quota: Quota, count: number): Promise<void> {
    for (let at = 0; at < count; at++) {
      const request = {
        endpoint: 'latest-data' as const,
        key: `${at}`,
        send: async () => ({ headers: NO_HEADERS, value: at }),
        copy: (value: number) => value,
      }
      await quota.submit(request, contextWith())
    }
  }

  /** The usage that a Redis holds. */
  async function known({ contents }: RedisServer): Promise<number> {
    const own = (await contents()).find(({ key }) => key.endsWith(':latest-data'))
    const amounts = [...(own?.value ?? '').matchAll(/"(\d+) s \d+ \d+"/g)].map(([, amount]) => Number(amount))
    return amounts.reduce((sum, amount) => sum + amount, 0)
  }

  it('reconnects to the server at its address if the connection leads to a read-only one', async () => {
    const other = await startRedis()
    ends.push(() => other.end('SIGKILL'))
    const proxy = await startProxy(redis.port)
    ends.push(proxy.end)
    const { quota, reasons } = share(`redis://127.0.0.1:${proxy.port}`)
    await isHere(quota)
    await spend(quota, 3)
    proxy.turn(other.port)
    await redis.command('REPLICAOF', '127.0.0.1', '1')
    ends.push(() => redis.command('REPLICAOF', 'NO', 'ONE'))
    await isHere(quota, false)
    await isHere(quota)
    assert.ok(reasons.includes('READONLY'), `${reasons}`)
    await until('it knows the usage', async () => (await known(other)) === 3)
  })

  it('is available again over another connection if the current one does not answer', async () => {
    const proxy = await startProxy(redis.port)
    ends.push(proxy.end)
    const { quota, reasons } = share(`redis://127.0.0.1:${proxy.port}`)
    await isHere(quota)
    proxy.mute()
    await isHere(quota, false)
    await isHere(quota)
    assert.ok(reasons.includes('TIMEOUT'), `${reasons}`)
  })

  it('connects to the new leader that its sentinels name, and reports the usage to it', async () => {
    const leader = await startRedis()
    ends.push(() => leader.end('SIGKILL'))
    const replica = await startRedis({ replicaOf: leader })
    ends.push(() => replica.end('SIGKILL'))
    const sentinel = await startSentinel(leader)
    ends.push(sentinel.end)
    await until('the sentinel knows the replica', async () =>
      String(await leader.command('INFO', 'replication')).includes('state=online'),
    )
    const { quota } = share(`redis+sentinel://127.0.0.1:1,127.0.0.1:${sentinel.port}/main`)
    await isHere(quota)
    await spend(quota, 3)
    await until('it knows the usage', async () => (await known(leader)) === 3)
    await replica.command('CONFIG', 'SET', 'slave-read-only', 'no')
    await leader.end('SIGKILL')
    // A replica may lack the last writes: here, all of them. The sentinel closes all connections as it promotes it.
    await until('the replica is empty', () =>
      replica.command('FLUSHALL').then(
        () => true,
        () => false,
      ),
    )
    const isKnown = async () => (await known(replica).catch(() => 0)) === 3
    await until('it is known to the new leader', isKnown, BACK_MS)
    await spend(quota, 2)
    await isHere(quota)
    assert.equal(await known(replica), 5)
  })

  it('is not disconnected if something else kept the process busy for longer than a response may take', async () => {
    const { quota, reasons } = share(redis.url)
    await isHere(quota)
    const submitted = spend(quota, 1)
    await new Promise(setImmediate)
    const from = performance.now()
    while (performance.now() - from < 2500);
    await submitted
    assert.equal(quota.counts().ledgerHere, true)
    assert.deepEqual(
      reasons.filter((reason) => reason !== undefined),
      [],
    )
  })
})
