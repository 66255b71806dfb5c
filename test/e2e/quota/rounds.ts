/** Alerts of many devices with few requests: triggers that the quota interrupts, and rounds that continue. */

import assert from 'node:assert/strict'
import type { Simulator } from '../../../simulator'
import type { Message } from '../../support/flow-types'
import { type DeviceMessage, quotaFlow } from '../../support/quota-flow'
import type { QuotaHarness } from '../../support/quota-harness'
import { until } from '../../support/wait'

const RUN_MS = 40_000
const LIMIT = 4
const WINDOW = 2
/** Long enough that some requests are in flight when the quota is used up. */
const DELAY_MS = 100

export function roundTests(harness: QuotaHarness): void {
  let simulator: Simulator
  let devices: { serial: string; base: string }[]

  before('starts a service with few requests for alerts', async () => {
    const faults = [{ kind: 'delay', delay: DELAY_MS }] as const
    simulator = await harness.simulate({
      devices: 30,
      limits: { alert: { limit: LIMIT, window: WINDOW } },
      faults,
    })
    devices = simulator.truth
      .devices()
      .filter(({ endpoints }) => endpoints.includes('alert'))
      .slice(0, 10)
      .map(({ serial, base }) => ({ serial, base }))
    assert.equal(devices.length, 10)
  })

  const answered = () => (harness.collector.box('round') as DeviceMessage[]).flatMap(({ serials }) => serials)
  const failures = () =>
    harness.collector.box('errors').filter(({ error }: Message) => error.source.id === 'round')

  /** Runs one trigger; resolves with the time of a retry, if the quota interrupted it. */
  async function trigger(): Promise<string | undefined> {
    const done = () => harness.collector.box('done-round').length + failures().length
    const before = done()
    await harness.trigger('round')
    await until('the trigger has ended', () => done() > before)
    const { code, cause } = failures().at(-1)?.error ?? {}
    assert.ok(code === undefined || code === 'ENVLOG_QUOTA', code)
    return harness.collector.box('done-round').length > 0 ? undefined : cause.retryAt
  }

  it('continues where the quota interrupted a trigger, also after a full deploy', async function () {
    this.timeout(RUN_MS)
    const settings = { wait: 1 }
    const flow = (change: object) =>
      quotaFlow({
        ...{ simulator, collector: harness.collector },
        nodes: [{ id: 'round', action: 'alerts', devices, settings: { ...settings, ...change } }],
      })
    await harness.deploy(flow({}))
    let triggers = 0
    for (let deployed = false; ; triggers++) {
      const retryAt = await trigger()
      if (answered().length >= 2 * devices.length) break
      assert.ok(triggers < 12, `${answered().length} answers of ${triggers} triggers`)
      if (retryAt === undefined) harness.collector.box('done-round').length = 0
      else await until('the time of the retry', () => Date.now() >= Date.parse(retryAt))
      if (!deployed && answered().length >= LIMIT) {
        await harness.deploy(flow({ topic: 'changed' }))
        deployed = true
      }
    }
    assert.ok(failures().length >= 3, 'the quota cut triggers short')
    const serials = devices.map(({ serial }) => serial).toSorted()
    assert.deepEqual(answered().slice(0, serials.length).toSorted(), serials, 'each once before any twice')
    assert.deepEqual(
      answered()
        .slice(serials.length, 2 * serials.length)
        .toSorted(),
      serials,
    )
    assert.equal(simulator.counts().alert.over, 0)
  })

  it('requests nothing whose answer is not delivered', () => {
    const requested = simulator.log.map(({ params }) => params['remote-serial'])
    assert.deepEqual(requested.toSorted(), answered().toSorted())
  })
}
