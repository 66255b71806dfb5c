/** Nodes that are removed while their usage and cursors are written. */
import assert from 'node:assert/strict'
import { accountId, quotaFlow } from '../../support/quota-flow'
import type { QuotaHarness } from '../../support/quota-harness'
import { until } from '../../support/wait'

const RUN_MS = 60_000
const REMOVALS = 25

export function removalTests(harness: QuotaHarness): void {
  it('leaves flows that start, and nothing in the store, under any load', async function () {
    this.timeout(RUN_MS)
    const simulator = await harness.simulate({ devices: 60, limits: 'off' })
    const devices = simulator.truth.devices().map(({ serial, base }) => ({ serial, base }))
    const ids = ['removed-1', 'removed-2', 'removed-3']
    const nodes = ids.map((id) => ({ id, action: 'alerts' as const, devices }))
    const limits = { alert: { limit: 5000, window: 1 } }
    const account = { limits: JSON.stringify(limits), store: 'file' }
    const flow = quotaFlow({ simulator, collector: harness.collector, account, nodes })
    for (let removals = 0; removals < REMOVALS; removals++) {
      const { length } = simulator.log
      await harness.deploy(flow)
      await harness.trigger(...ids)
      await until('more than five requests are sent', () => simulator.log.length > length + 5)
      // Rejects if the flows do not start.
      await harness.deploy([])
    }
    const log = harness.nodeRed.log()
    assert.ok(!/ENOENT|ENOTEMPTY|unhandled/i.test(log), log.slice(-2000))
    assert.deepEqual(
      harness
        .contextFiles()
        .filter((name) => name.includes(accountId(simulator)) || ids.some((id) => name.includes(id))),
      [],
    )
  })
}
