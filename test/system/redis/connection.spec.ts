import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { authorityFile } from '../../support/network'
import { until } from '../../support/wait'
import { createService, Member } from './members'
import { type RedisServer, startRedis, startSentinel } from './redis-server'

const STARTING_MS = 300_000
const RUN_MS = 60_000
const PASSWORD = 'not-a-secret'

/** A connection to Redis that can be redirected to another server, or stop responding. */
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
    redirect: (to: number) => {
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

describe('the connection to a shared quota in Redis', function () {
  this.timeout(RUN_MS)
  let redis: RedisServer
  const ends: (() => unknown)[] = []

  before('starts Redis', async function () {
    this.timeout(STARTING_MS)
    redis = await startRedis({ password: PASSWORD })
  })
  beforeEach('forgets everything', () => redis.command('FLUSHALL'))
  afterEach('ends what the test has started', async () => {
    for (const end of ends.splice(0).reverse()) await end()
  })
  after('ends Redis', () => redis.end('SIGKILL'))

  function share(address: string, password = PASSWORD): Member {
    const member = new Member(createService(), { address, password })
    ends.push(() => member.leaveAndStop())
    return member
  }

  /** Returns the reason why a process cannot connect. */
  async function reasonOf(address: string, password = PASSWORD): Promise<string | undefined> {
    const member = share(address, password)
    await until('the reason is known', () => member.reasons.length > 0)
    return member.reasons[0]
  }

  /** Number of requests that a Redis server knows. */
  async function known(server: RedisServer): Promise<number> {
    const own = (await server.contents()).find(({ key }) => key.endsWith(':current'))
    return own?.value.match(/"\d+ s \d+ \d+"/g)?.length ?? 0
  }

  it("logs in as the user in the address, with the account's password", async () => {
    await redis.command('ACL', 'SETUSER', 'envlog', 'on', '>a p@ss:word', '~*', '+@all')
    const member = share(`redis://envlog@127.0.0.1:${redis.port}/2`, 'a p@ss:word')
    await member.waitUntilConnected()
    assert.match(String(await redis.command('CLIENT', 'LIST')), /db=2 .*user=envlog/)
    assert.equal(await reasonOf(`redis://envlog@127.0.0.1:${redis.port}`, 'wrong'), 'WRONGPASS')
  })

  it('reports in one word why it cannot be established', async () => {
    assert.equal(await reasonOf('redis://127.0.0.1:1'), 'ECONNREFUSED')
    assert.equal(await reasonOf('redis+sentinel://127.0.0.1:1,127.0.0.1:2/main'), 'ECONNREFUSED')
    assert.equal(await reasonOf(redis.url, ''), 'NOAUTH')
  })

  it('needs only the commands and keys in docs/shared-quota.md, and says what a user may not do', async () => {
    const docs = readFileSync('docs/shared-quota.md', 'utf8')
    const [, rule = ''] = /ACL SETUSER envlog on >password ([^`]*)/.exec(docs) ?? []
    const rules = rule.split(' ')
    await redis.command('ACL', 'SETUSER', 'least', 'reset', 'on', '>word', ...rules)
    const address = `redis://least@127.0.0.1:${redis.port}`
    const member = share(address, 'word')
    await member.waitUntilConnected()
    await member.request()
    assert.deepEqual([member.quota.counts().sharedConnected, member.reasons], [true, []])
    member.leaveAndStop()
    for (const name of ['set', 'hset', 'hdel', 'pexpire']) {
      await redis.command('FLUSHALL')
      await redis.command('ACL', 'SETUSER', 'least', 'reset', 'on', '>word', ...rules, `-${name}`)
      assert.match(String(await reasonOf(address, 'word')), /^ERR .* can't run this command/, name)
    }
  })

  it('quotes a server that is too old, but not the password in its words', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => {})
      socket.on('data', () => socket.write(words))
    })
    let words = `-ERR unknown command \`HELLO\`, with args beginning with: \`3\` \`AUTH\` \`default\` \`${PASSWORD}\`\r\n`
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    ends.push(() => server.close())
    const { port } = server.address() as { port: number }
    assert.equal(await reasonOf(`redis://127.0.0.1:${port}`), 'ERR unknown command `HELLO`')
    words = `-ERR ${'x'.repeat(105)} ${PASSWORD}\r\n`
    assert.doesNotMatch(String(await reasonOf(`redis://127.0.0.1:${port}`)), /not-a/)
  })

  it('is opened again if its server has become read-only, and counts on the server that its address now leads to', async () => {
    const other = await startRedis({ password: PASSWORD })
    ends.push(() => other.end('SIGKILL'))
    const proxy = await startProxy(redis.port)
    ends.push(proxy.end)
    const member = share(`redis://127.0.0.1:${proxy.port}`)
    await member.waitUntilConnected()
    proxy.redirect(other.port)
    await redis.command('REPLICAOF', '127.0.0.1', '1')
    ends.push(() => redis.command('REPLICAOF', 'NO', 'ONE'))
    await member.request()
    assert.equal(member.quota.counts().sharedConnected, false)
    await member.waitUntilConnected()
    await member.request()
    await until('Redis knows the usage', async () => (await known(other)) >= 1)
    assert.ok(member.reasons.includes('READONLY'), `${member.reasons}`)
  })

  it('is reopened if it stops responding', async () => {
    const proxy = await startProxy(redis.port)
    ends.push(proxy.end)
    const member = share(`redis://127.0.0.1:${proxy.port}`)
    await member.waitUntilConnected()
    proxy.mute()
    await member.request()
    await member.waitUntilConnected()
    assert.ok(member.reasons.includes('TIMEOUT'), `${member.reasons}`)
  })

  it('follows the sentinels to the new primary, and reports the usage to it', async () => {
    const leader = await startRedis()
    ends.push(() => leader.end('SIGKILL'))
    const replica = await startRedis({ replicaOf: leader })
    ends.push(() => replica.end('SIGKILL'))
    const sentinel = await startSentinel(leader)
    ends.push(sentinel.end)
    await until('the sentinel knows the replica', async () =>
      String(await leader.command('INFO', 'replication')).includes('state=online'),
    )
    const member = share(`redis+sentinel://127.0.0.1:1,127.0.0.1:${sentinel.port}/main`, '')
    await member.waitUntilConnected()
    for (let count = 0; count < 3; count++) await member.request()
    await until('Redis knows the usage', async () => (await known(leader)) === 3)
    await leader.end('SIGKILL')
    // Usage need not be known after its window has passed, so requests continue in the meantime.
    const goOn = setInterval(() => void member.request().catch(() => {}), 300)
    ends.push(() => clearInterval(goOn))
    const isKnown = async () => (await known(replica).catch(() => 0)) >= 1
    await until('the new primary knows it', isKnown, 30_000)
    await member.waitUntilConnected()
  })

  it('is kept if other work kept the process busy for longer than a response may take', async () => {
    const member = share(redis.url)
    await member.waitUntilConnected()
    const sent = member.request()
    // It is written in the second turn; then the process is busy while the response arrives.
    for (let turns = 0; turns < 2; turns++) await new Promise(setImmediate)
    const from = performance.now()
    while (performance.now() - from < 2500);
    await sent
    assert.deepEqual([member.quota.counts().sharedConnected, member.reasons], [true, []])
  })

  describe('over TLS', () => {
    let encrypted: RedisServer

    before('starts a Redis', async () => {
      encrypted = await startRedis({ certificate: 'server', password: PASSWORD })
    })
    after('ends it', () => encrypted.end('SIGKILL'))

    /** Connects in a separate process, because trusted authorities are read when a process starts. */
    async function connectTrusting(authority: string, address: string): Promise<string> {
      const child = spawn(
        process.execPath,
        ['--require', 'tsx/cjs', require.resolve('./connect-process.ts'), address, PASSWORD],
        {
          env: { PATH: process.env.PATH, NODE_EXTRA_CA_CERTS: authority },
          stdio: ['ignore', 'pipe', 'inherit'],
        },
      )
      let said = ''
      child.stdout.setEncoding('utf8').on('data', (piece: string) => {
        said += piece
      })
      await once(child, 'close')
      return said.trim()
    }

    it('checks the certificate of the server and its sentinels', async () => {
      const sentinel = await startSentinel(encrypted)
      ends.push(sentinel.end)
      const addresses = [
        encrypted.url,
        `rediss://localhost:${encrypted.port}`,
        `rediss+sentinel://127.0.0.1:1,127.0.0.1:${sentinel.port}/main`,
      ]
      for (const address of addresses)
        assert.equal(await connectTrusting(authorityFile, address), 'connected', address)
      assert.equal(await reasonOf(encrypted.url), 'SELF_SIGNED_CERT_IN_CHAIN')
      assert.match(String(await reasonOf(`redis://127.0.0.1:${encrypted.port}`)), /^ECONNRESET$|Closed/)
      assert.match(String(await reasonOf(`rediss+sentinel://127.0.0.1:${encrypted.port}/main`)), /CERT/)
    })
  })
})
