import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../../../src/lib/clock'
import { createQuota } from '../../../src/lib/quota/quota'
import { openRedis } from '../../../src/lib/quota/shared/redis'
import { authorityFile } from '../../support/network'
import { participant } from '../../support/quota/quota'
import { type RedisServer, startRedis, startSentinel } from '../../support/redis'
import { temporaryFolder } from '../../support/run'
import { until } from '../../support/wait'

const STARTING_MS = 300_000
const LEASE_MS = 30_000
const ASKED_MS = 20_000
const PASSWORD = 'not-a-secret'

describe('a shared store in Redis over TLS', () => {
  let redis: RedisServer
  const ends: (() => unknown)[] = []

  async function start(certificate: string): Promise<RedisServer> {
    const server = await startRedis({ certificate, password: PASSWORD })
    ends.push(() => server.end('SIGKILL'))
    return server
  }

  before('starts Redis', async function () {
    this.timeout(STARTING_MS)
    redis = await start('server')
  })
  after('ends all', async () => {
    for (const end of ends.reverse()) await end()
  })

  /** The result of a reservation in each of these shared stores, for a process that trusts these authorities. */
  async function reserveWith(trusted: readonly string[], addresses: readonly string[]): Promise<string[]> {
    const file = join(temporaryFolder('trusted'), 'authorities.pem')
    writeFileSync(file, trusted.map((one) => readFileSync(one, 'utf8')).join('\n'))
    const child = spawn(
      process.execPath,
      ['--require', 'tsx/cjs', require.resolve('../../support/reserve-process.ts'), PASSWORD, ...addresses],
      {
        env: { PATH: process.env.PATH, ...(trusted.length > 0 ? { NODE_EXTRA_CA_CERTS: file } : {}) },
        stdio: ['ignore', 'pipe', 'pipe'],
        timeout: ASKED_MS,
      },
    )
    let said = ''
    let warned = ''
    child.stdout.setEncoding('utf8').on('data', (piece: string) => {
      said += piece
    })
    child.stderr.setEncoding('utf8').on('data', (piece: string) => {
      warned += piece
    })
    await once(child, 'close')
    assert.ok(!(said + warned).includes(PASSWORD), said + warned)
    return JSON.parse(said)
  }

  /** The first reported reason why a process is disconnected from its shared store. */
  async function reason(address: string): Promise<string> {
    const quota = createQuota(systemClock)
    const reasons: string[] = []
    const onSharedStoreChange = (_: boolean, why?: string) => {
      if (why !== undefined) reasons.push(why)
    }
    const leave = quota.join(
      participant({
        openSharedStore: () => openRedis(address, PASSWORD, LEASE_MS)('an account'),
        onSharedStoreChange,
      }),
    )
    await until('the reason is reported', () => reasons.length > 0)
    await leave()
    return reasons[0] ?? ''
  }

  it('is used if the process trusts its certificate, by its address or by its sentinels', async () => {
    const sentinel = await startSentinel(redis)
    ends.push(sentinel.end)
    const byName = `rediss://localhost:${redis.port}`
    const bySentinels = `rediss+sentinel://127.0.0.1:1,127.0.0.1:${sentinel.port}/main`
    await redis.command('FLUSHALL')
    assert.deepEqual(await reserveWith([authorityFile], [redis.url]), ['granted'])
    assert.deepEqual(await reserveWith([authorityFile], [byName, bySentinels]), ['full', 'full'])
  })

  it('is refused with an untrusted, wrong or expired certificate', async () => {
    const servers = [redis, await start('other-name'), await start('expired')]
    const trusted = ['other-name', 'expired'].map((one) => join(authorityFile, `../${one}.pem`))
    const reasons = await reserveWith(
      trusted,
      servers.map(({ url }) => url),
    )
    assert.deepEqual(
      reasons.map((one) => one.split(':')[0]),
      ['SELF_SIGNED_CERT_IN_CHAIN', 'ERR_TLS_CERT_ALTNAME_INVALID', 'CERT_HAS_EXPIRED'],
    )
  })

  it('reports this immediately, and not as a timeout', async () => {
    assert.equal(await reason(redis.url), 'SELF_SIGNED_CERT_IN_CHAIN')
    const sentinels = `rediss+sentinel://127.0.0.1:${redis.port}/main`
    assert.match(await reason(sentinels), /CERT/)
    assert.equal(await reason('redis://127.0.0.1:1'), 'ECONNREFUSED')
    assert.equal(await reason('redis+sentinel://127.0.0.1:1,127.0.0.1:2/main'), 'ECONNREFUSED')
  })

  it('reports a connection without TLS as ended', async () => {
    assert.match(await reason(`redis://127.0.0.1:${redis.port}`), /^ECONNRESET$|Closed/)
  })
})
