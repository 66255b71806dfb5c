import assert from 'node:assert/strict'
import helper from 'node-red-node-test-helper'
import { accountKey } from '../../../src/lib/registry'
import { startFlow, useSimulator } from '../../support/flow'
import type { Message } from '../../support/flow-types'
import { until } from '../../support/wait'
import { type RedisServer, startRedis } from './redis-server'

const STARTING_MS = 300_000
const PASSWORD = 'not-a-secret'

describe('an account whose quota is shared through Redis', function () {
  this.timeout(STARTING_MS)
  const simulator = useSimulator()
  let redis: RedisServer

  before('starts Redis', async () => {
    redis = await startRedis({ password: PASSWORD })
  })
  after('ends Redis', () => redis.end('SIGKILL'))

  async function text(): Promise<string> {
    return JSON.stringify(await redis.contents())
  }

  it('counts its requests there without a secret, and shows while it continues without Redis', async () => {
    const flow = await startFlow('current', simulator(), {
      account: { sharedQuota: redis.url },
      credentials: { sharedQuotaPassword: PASSWORD },
    })
    const statuses: Message[] = []
    Object.assign(helper.getNode('account'), { status: (status: Message) => statuses.push(status) })
    const request = async () => {
      flow.send()
      await flow.completed.next()
    }
    await request()
    const { url, account } = simulator()
    await until('Redis knows the usage', async () => /"1 s \d+/.test(await text()))
    const written = await text()
    assert.ok(written.includes(`{${accountKey(url, account.apiKey)}}:current`))
    for (const secret of [...Object.values(account), PASSWORD, url])
      assert.ok(!written.includes(secret), secret)

    await redis.end('SIGKILL')
    await request()
    await until('it is shown', () => /status\.redis-away/.test(statuses.at(-1)?.text))
    await redis.start()
    await until('it is shown no longer', () => statuses.at(-1)?.text === undefined)
    assert.match(await text(), /"1 s \d+/)
    assert.deepEqual(flow.errors.messages, [])
  })
})
