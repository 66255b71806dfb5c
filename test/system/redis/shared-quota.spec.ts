/** Two complete Node-REDs on one account that share its quota in a real Redis. */

import assert from 'node:assert/strict'
import { accountKey } from '../../../src/lib/registry'
import type { Message } from '../../support/flow-types'
import { accountId, type DeviceMessage, type QuotaNode } from '../../support/quota-flow'
import { until } from '../../support/wait'
import { disconnections, installClient, sharedFlow, untilConnection } from './shared-quota'
import { MIN_THROUGHPUT, PASSWORD, ROW, RUN_MS, useSharedQuotaHarness } from './shared-quota-harness'

/** An account's default number of concurrent requests. */
const CONCURRENCY = 2
/** Unavoidable refusals: requests of both in flight at the disconnection. */
const UNFORESEEABLE = 2 * CONCURRENCY
/** Of a node with six devices in each of two Node-REDs: 72 requests, four windows. */
const TRIGGERS = 6

describe('a quota shared by two Node-REDs', () => {
  const harness = useSharedQuotaHarness()
  const { harnesses } = harness

  /** Contents of the account's limits in Redis: amount, kind and instant. */
  async function entries(): Promise<string[]> {
    const { url, account } = harness.simulator
    const contents = await harness.redis.contents()
    const own = contents.filter(({ key }) => key.includes(accountKey(url, account.apiKey)))
    assert.ok(own.length > 0)
    return own.flatMap(({ value }) => value.match(/\b\d+ [fs] \d+\b/g) ?? [])
  }

  it('needs a package, which the error names', async function () {
    this.timeout(RUN_MS)
    const [first] = harnesses
    const { simulator, redis } = harness
    const sharing = { simulator, address: redis.url, password: PASSWORD, nodes: harness.longRound() }
    await first.deploy(sharedFlow(first, sharing))
    await first.trigger('endless')
    const [{ error }] = (await first.collector.receive('errors', 1)) as [Message]
    assert.equal(error.code, 'ENVLOG_CONFIG')
    assert.match(error.message, /'npm install redis'/)
    const shown = () => first.collector.box('statuses').at(-1)?.status
    await until('it is shown', () => shown()?.fill === 'grey' && shown()?.shape === 'ring')
    assert.equal(harness.log().length, 0)
  })

  describe('with the Redis client', () => {
    before('installs it', async function () {
      this.timeout(RUN_MS)
      for (const runtime of harnesses) installClient(runtime)
      await Promise.all(harnesses.map((runtime) => runtime.restart()))
    })

    it('is used up by both together, and never more than that, without a secret in Redis', async function () {
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
      const written = JSON.stringify(await harness.redis.contents())
      assert.match(written, /latest-data-relay/)
      const { apiKey, loginId, loginPass } = harness.simulator.account
      for (const secret of [apiKey, loginId, loginPass, PASSWORD, harness.simulator.url])
        assert.ok(!written.includes(secret), secret)
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

    it('loses no trigger if Redis crashes and restarts empty', async function () {
      this.timeout(RUN_MS)
      const six: QuotaNode[] = [{ id: 'six', action: 'latest', devices: harness.remotes.slice(0, 6) }]
      await harness.deploy(six)
      for (let count = 0; count < TRIGGERS; count++) await harness.trigger('six')
      await harness.untilRequests(ROW.limit + 5)
      await harness.redis.end('SIGKILL')
      await untilConnection(harnesses, harness.simulator, true)
      await harness.more(1)
      await harness.redis.start()
      await untilConnection(harnesses, harness.simulator, false)
      const done = () => harnesses.every(({ collector }) => collector.box('done-six').length === TRIGGERS)
      const failed = () => harnesses.flatMap(({ collector }) => collector.box('errors'))
      await until('all triggers have ended', () => done() || failed().length > 0)
      assert.deepEqual(failed(), [])
      for (const { collector } of harnesses) {
        const serials = (collector.box('six') as DeviceMessage[]).flatMap((one) => one.serials)
        assert.equal(serials.length, TRIGGERS * 6)
      }
      assert.ok(harness.over() <= UNFORESEEABLE, `${harness.over()} refused`)
      const id = accountId(harness.simulator)
      const statuses = harnesses[0].collector.box('statuses').map(({ status }) => status)
      const away = statuses.find(({ source, text }) => source.id === id && text !== undefined)
      assert.deepEqual([away?.fill, away?.shape], ['yellow', 'ring'])
      // Then it continues as before: nothing stays reserved.
      await harness.deploy(harness.longRound())
      await harness.trigger('endless')
      await harness.more(ROW.limit)
      const before = harness.over()
      const ratio = await harness.throughput()
      assert.ok(ratio >= MIN_THROUGHPUT, `${ratio}`)
      assert.equal(harness.over(), before)
    })

    it('continues alone after a wrong password, and does not show it', async function () {
      this.timeout(RUN_MS)
      const wrong = 'a-wrong-password'
      await harness.deploy(harness.longRound(), wrong)
      await harness.trigger('endless')
      await untilConnection(harnesses, harness.simulator, true)
      await harness.untilRequests(ROW.limit)
      const ratio = await harness.throughput()
      assert.ok(ratio >= MIN_THROUGHPUT, `${ratio}`)
      const [first, last] = [harness.log()[0], harness.log().at(-1)]
      const windows = Math.ceil(((last?.time ?? 0) - (first?.time ?? 0)) / (ROW.window * 1000))
      // Without Redis, each may be refused once per window.
      assert.ok(harness.over() <= harnesses.length * windows, `${harness.over()} in ${windows}`)
      for (const { nodeRed, collector } of harnesses) {
        assert.ok(!nodeRed.log().includes(wrong))
        assert.ok(!collector.rawText().includes(wrong))
        assert.ok(collector.box('endless').length > 0)
      }
    })
  })
})
