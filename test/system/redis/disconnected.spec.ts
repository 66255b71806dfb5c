/** A shared quota while its Redis is down. */
import assert from 'node:assert/strict'
import { accountId, type DeviceMessage, type QuotaNode } from '../../support/quota-flow'
import { installClient, untilConnection } from '../../support/shared-quota'
import { until } from '../../support/wait'
import { MIN_THROUGHPUT, ROW, RUN_MS, useSharedQuotaHarness } from './shared-quota-harness'

/** The default of concurrent requests of an account. */
const CONCURRENCY = 2
/** Refusals that cannot be avoided: requests of both in flight at the disconnection. */
const UNFORESEEABLE = 2 * CONCURRENCY
/** Six devices in each of two nodes of each Node-RED: 72 requests, four windows. */
const TRIGGERS = 6

describe('a quota that two Node-REDs share while its Redis is down', () => {
  const harness = useSharedQuotaHarness()
  const { harnesses } = harness

  before('installs the client of Redis', async function () {
    this.timeout(RUN_MS)
    for (const runtime of harnesses) installClient(runtime)
    await Promise.all(harnesses.map((harness) => harness.restart()))
  })

  const six = (): QuotaNode[] => [{ id: 'six', action: 'latest', devices: harness.remotes.slice(0, 6) }]

  async function disturbed(disturb: () => unknown, mend: () => unknown): Promise<void> {
    const { simulator } = harness
    await harness.deploy(six())
    for (let count = 0; count < TRIGGERS; count++) await harness.trigger('six')
    await harness.untilRequests(ROW.limit + 5)
    await disturb()
    await untilConnection(harnesses, simulator, true)
    await harness.more(1)
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
    assert.ok(harness.over() <= UNFORESEEABLE, `${harness.over()} refused`)
    // And then as before: nothing stays reserved.
    await harness.deploy(harness.longRound())
    await harness.trigger('endless')
    await harness.more(ROW.limit)
    const before = harness.over()
    const ratio = await harness.throughput()
    assert.ok(ratio >= MIN_THROUGHPUT, `${ratio}`)
    assert.equal(harness.over(), before)
  }

  it('loses no trigger if Redis crashes and restarts empty', async function () {
    this.timeout(RUN_MS)
    await disturbed(
      () => harness.redis.end('SIGKILL'),
      () => harness.redis.start(),
    )
    const id = accountId(harness.simulator)
    const statuses = harnesses[0].collector.box('statuses').map(({ status }) => status)
    const away = statuses.find(({ source, text }) => source.id === id && text !== undefined)
    assert.deepEqual([away?.fill, away?.shape], ['yellow', 'ring'])
  })

  it('loses no trigger if Redis hangs for a while', async function () {
    this.timeout(RUN_MS)
    await disturbed(
      () => harness.redis.hang(),
      () => harness.redis.wake(),
    )
  })

  it('continues with half of the quota each after a wrong password, and does not show it', async function () {
    this.timeout(RUN_MS)
    const wrong = 'a-wrong-password'
    await harness.deploy(harness.longRound(), wrong)
    await harness.trigger('endless')
    await untilConnection(harnesses, harness.simulator, true)
    await harness.untilRequests(ROW.limit)
    const ratio = await harness.throughput()
    assert.ok(ratio >= MIN_THROUGHPUT, `${ratio}`)
    assert.equal(harness.over(), 0)
    for (const { nodeRed, collector } of harnesses) {
      assert.ok(!nodeRed.log().includes(wrong))
      assert.ok(!collector.rawText().includes(wrong))
      assert.ok(collector.box('endless').length >= ROW.limit / 2)
    }
  })
})
