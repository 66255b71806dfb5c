/** Two whole Node-REDs on one account that share its quota in a real Redis. */

import assert from 'node:assert/strict'
import { accountKey } from '../../../src/lib/registry'
import type { Message } from '../../support/flow-types'
import { disconnections, installClient, sharedFlow } from '../../support/shared-quota'
import { until } from '../../support/wait'
import { MIN_THROUGHPUT, PASSWORD, ROW, RUN_MS, useSharedQuotaHarness } from './shared-quota-harness'

describe('a quota that two Node-REDs share', () => {
  const harness = useSharedQuotaHarness()
  const { harnesses } = harness

  /** Contents of the account's limits in Redis: amount, state, end and remaining time. */
  async function entries(): Promise<string[]> {
    const { url, account } = harness.simulator
    const contents = await harness.redis.contents()
    const own = contents.filter(({ key }) => key.includes(accountKey(url, account.apiKey)))
    assert.ok(own.length > 0)
    return own.flatMap(({ value }) => value.match(/\b\d+ [fs] \d+ \d+\b/g) ?? [])
  }

  it('needs a package, and names it', async function () {
    this.timeout(RUN_MS)
    const [first] = harnesses
    const { simulator, redis } = harness
    const sharing = { simulator, address: redis.url, password: PASSWORD, nodes: harness.longRound() }
    await first.deploy(sharedFlow(first, sharing))
    await first.trigger('endless')
    const [{ error }] = (await first.collector.receive('errors', 1)) as [Message]
    assert.equal(error.code, 'ENVLOG_CONFIG')
    assert.match(error.message, /'npm install redis'/)
    const shown = first.collector.box('statuses').map(({ status }) => status)
    assert.deepEqual([shown.at(-1)?.fill, shown.at(-1)?.shape], ['grey', 'ring'])
    assert.equal(harness.log().length, 0)
    for (const runtime of harnesses) installClient(runtime)
    await first.restart()
    await first.trigger('endless')
    await harness.untilRequests(1)
  })

  it('is used up by both together, and never more than that', async function () {
    this.timeout(RUN_MS)
    await harness.deploy(harness.longRound())
    await harness.trigger('endless')
    await harness.untilRequests(ROW.limit)
    const ratio = await harness.throughput()
    assert.ok(ratio >= MIN_THROUGHPUT, `${ratio}`)
    assert.equal(harness.over(), 0)
    const shares = harnesses.map(({ collector }) => collector.box('endless').length)
    assert.ok(Math.min(...shares) >= ROW.limit / 2, `${shares}`)
    for (const runtime of harnesses)
      assert.deepEqual(disconnections(runtime, harness.simulator).filter(Boolean), [])
  })

  it('writes nothing secret into Redis', async function () {
    this.timeout(RUN_MS)
    await harness.deploy(harness.longRound())
    await harness.trigger('endless')
    await harness.untilRequests(3)
    const written = JSON.stringify(await harness.redis.contents())
    assert.match(written, /latest-data-relay/)
    const { apiKey, loginId, loginPass } = harness.simulator.account
    for (const secret of [apiKey, loginId, loginPass, PASSWORD, harness.simulator.url]) {
      assert.ok(!written.includes(secret), secret)
    }
  })

  it('is completely available after full deploys', async function () {
    this.timeout(RUN_MS)
    await harness.deploy(harness.longRound())
    for (let deploys = 0; deploys < 3; deploys++) {
      await harness.trigger('endless')
      // All permits are used, so hardly any request is in flight: a busy service may receive an aborted one late.
      await harness.more(ROW.limit)
      await harness.deploy(harness.longRound())
    }
    await harness.trigger('endless')
    await harness.more(ROW.limit)
    const ratio = await harness.throughput()
    assert.equal(harness.over(), 0)
    assert.ok(ratio >= MIN_THROUGHPUT, `${ratio}`)
  })

  it('counts requests in flight at a deploy as used, not as in flight for minutes', async function () {
    this.timeout(RUN_MS)
    harness.simulator.set({ faults: [{ kind: 'delay', delay: 300 }] })
    await harness.deploy(harness.longRound())
    await harness.trigger('endless')
    await harness.untilRequests(4)
    await harness.deploy([])
    const flying = async () => (await entries()).filter((one) => one.includes('f'))
    const none = async () => (await flying()).length === 0
    await until('nothing is in flight any more', none).catch(async () => {
      assert.deepEqual(await flying(), [])
    })
    assert.ok((await entries()).some((one) => one.includes('s')))
  })
})
