/** What becomes of a shared quota while its Redis is away. */
import assert from 'node:assert/strict'
import { accountId, type DeviceMessage, type QuotaNode } from '../../support/quota-flow'
import { installClient, untilConnection } from '../../support/shared-quota'
import { until } from '../../support/wait'
import { FLOWING, ROW, RUN_MS, useScene } from './scene'

/** Requests of an account at the same time, unless told otherwise. */
const CONCURRENCY = 2
/** What is spent by the two at once, and neither can know of, is refused: what they have under way then, once. */
const UNFORESEEABLE = 2 * CONCURRENCY
/** Of six devices each, in each of the two: 72 requests, four windows. */
const TRIGGERS = 6

describe('a quota that two Node-REDs share while its Redis is down', () => {
  const scene = useScene()
  const { harnesses } = scene

  before('installs the client of Redis', async function () {
    this.timeout(RUN_MS)
    for (const harness of harnesses) installClient(harness)
    await Promise.all(harnesses.map((harness) => harness.restart()))
  })

  const six = (): QuotaNode[] => [{ id: 'six', action: 'latest', devices: scene.remotes.slice(0, 6) }]

  async function disturbed(disturb: () => unknown, mend: () => unknown): Promise<void> {
    const { simulator } = scene
    await scene.deploy(six())
    for (let count = 0; count < TRIGGERS; count++) await scene.trigger('six')
    await scene.untilRequests(ROW.limit + 5)
    await disturb()
    await untilConnection(harnesses, simulator, true)
    await scene.more(1)
    await mend()
    await untilConnection(harnesses, simulator, false)
    const done = () => harnesses.every(({ collector }) => collector.box('done-six').length === TRIGGERS)
    const failed = () => harnesses.flatMap(({ collector }) => collector.box('errors'))
    await until('all triggers have ended', () => done() || failed().length > 0)
    assert.deepEqual(failed(), [])
    for (const { collector } of harnesses) {
      const serials = (collector.box('six') as DeviceMessage[]).flatMap((one) => one.serials)
      assert.equal(serials.length, TRIGGERS * 6)
    }
    assert.ok(scene.over() <= UNFORESEEABLE, `${scene.over()} refused`)
    // And as if nothing had been: nothing is held for ever.
    await scene.deploy(scene.endless())
    await scene.trigger('endless')
    await scene.more(ROW.limit)
    const before = scene.over()
    const ratio = await scene.flowing()
    assert.ok(ratio >= FLOWING, `${ratio}`)
    assert.equal(scene.over(), before)
  }

  it('loses no trigger if Redis crashes and restarts empty', async function () {
    this.timeout(RUN_MS)
    await disturbed(
      () => scene.redis.end('SIGKILL'),
      () => scene.redis.start(),
    )
    const id = accountId(scene.simulator)
    const statuses = harnesses[0].collector.box('statuses').map(({ status }) => status)
    const away = statuses.find(({ source, text }) => source.id === id && text !== undefined)
    assert.deepEqual([away?.fill, away?.shape], ['yellow', 'ring'])
  })

  it('loses no trigger if Redis hangs for a while', async function () {
    this.timeout(RUN_MS)
    await disturbed(
      () => scene.redis.hang(),
      () => scene.redis.wake(),
    )
  })

  it('continues with half of the quota each if the password is wrong, and does not show the password', async function () {
    this.timeout(RUN_MS)
    const wrong = 'a-wrong-password'
    await scene.deploy(scene.endless(), wrong)
    await scene.trigger('endless')
    await untilConnection(harnesses, scene.simulator, true)
    await scene.untilRequests(ROW.limit)
    const ratio = await scene.flowing()
    assert.ok(ratio >= FLOWING, `${ratio}`)
    assert.equal(scene.over(), 0)
    for (const { nodeRed, collector } of harnesses) {
      assert.ok(!nodeRed.log().includes(wrong))
      assert.ok(!collector.rawText().includes(wrong))
      assert.ok(collector.box('endless').length >= ROW.limit / 2)
    }
  })
})
