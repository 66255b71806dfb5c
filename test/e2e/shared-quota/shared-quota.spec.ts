/** Two whole Node-REDs on one account, with a real Redis between them. */

import assert from 'node:assert/strict'
import { accountKey } from '../../../src/lib/registry'
import type { Message } from '../../support/flow-types'
import { disconnections, installClient, sharedFlow } from '../../support/shared-quota'
import { until } from '../../support/wait'
import { FLOWING, PASSWORD, ROW, RUN_MS, useScene } from './scene'

describe('a quota that two Node-REDs share', () => {
  const scene = useScene()
  const { harnesses } = scene

  /** What the account's limits hold in Redis: amount, state, end and how long it lasts. */
  async function entries(): Promise<string[]> {
    const { url, account } = scene.simulator
    const contents = await scene.redis.contents()
    const own = contents.filter(({ key }) => key.includes(accountKey(url, account.apiKey)))
    assert.ok(own.length > 0)
    return own.flatMap(({ value }) => value.match(/\b\d+ [fs] \d+ \d+\b/g) ?? [])
  }

  it('needs a package, and names it', async function () {
    this.timeout(RUN_MS)
    const [first] = harnesses
    const { simulator, redis } = scene
    const sharing = { simulator, address: redis.url, password: PASSWORD, nodes: scene.endless() }
    await first.deploy(sharedFlow(first, sharing))
    await first.trigger('endless')
    const [{ error }] = (await first.collector.receive('errors', 1)) as [Message]
    assert.equal(error.code, 'ENVLOG_CONFIG')
    assert.match(error.message, /'npm install redis'/)
    const shown = first.collector.box('statuses').map(({ status }) => status)
    assert.deepEqual([shown.at(-1)?.fill, shown.at(-1)?.shape], ['grey', 'ring'])
    assert.equal(scene.log().length, 0)
    for (const harness of harnesses) installClient(harness)
    await first.restart()
    await first.trigger('endless')
    await scene.untilRequests(1)
  })

  it('is used up by both together, and never more than that', async function () {
    this.timeout(RUN_MS)
    await scene.deploy(scene.endless())
    await scene.trigger('endless')
    await scene.untilRequests(ROW.limit)
    const ratio = await scene.flowing()
    assert.ok(ratio >= FLOWING, `${ratio}`)
    assert.equal(scene.over(), 0)
    const shares = harnesses.map(({ collector }) => collector.box('endless').length)
    assert.ok(Math.min(...shares) >= ROW.limit / 2, `${shares}`)
    for (const harness of harnesses)
      assert.deepEqual(disconnections(harness, scene.simulator).filter(Boolean), [])
  })

  it('writes nothing secret into Redis', async function () {
    this.timeout(RUN_MS)
    await scene.deploy(scene.endless())
    await scene.trigger('endless')
    await scene.untilRequests(3)
    const written = JSON.stringify(await scene.redis.contents())
    assert.match(written, /latest-data-relay/)
    const { apiKey, loginId, loginPass } = scene.simulator.account
    for (const secret of [apiKey, loginId, loginPass, PASSWORD, scene.simulator.url]) {
      assert.ok(!written.includes(secret), secret)
    }
  })

  it('is completely available after full deploys', async function () {
    this.timeout(RUN_MS)
    await scene.deploy(scene.endless())
    for (let deploys = 0; deploys < 3; deploys++) {
      await scene.trigger('endless')
      // All is used up, and so next to nothing on its way: what is cut off may come late to a busy service.
      await scene.more(ROW.limit)
      await scene.deploy(scene.endless())
    }
    await scene.trigger('endless')
    await scene.more(ROW.limit)
    const ratio = await scene.flowing()
    assert.equal(scene.over(), 0)
    assert.ok(ratio >= FLOWING, `${ratio}`)
  })

  it('counts requests in flight at a deploy as used, not as in flight for minutes', async function () {
    this.timeout(RUN_MS)
    scene.simulator.set({ faults: [{ kind: 'delay', delay: 300 }] })
    await scene.deploy(scene.endless())
    await scene.trigger('endless')
    await scene.untilRequests(4)
    await scene.deploy([])
    const flying = async () => (await entries()).filter((one) => one.includes('f'))
    const none = async () => (await flying()).length === 0
    await until('nothing is in flight any more', none, 5000).catch(async () => {
      assert.deepEqual(await flying(), [])
    })
    assert.ok((await entries()).some((one) => one.includes('s')))
  })
})
