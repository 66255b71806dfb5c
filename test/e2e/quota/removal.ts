/** Nodes that are removed while what they spend and deliver is written down. */
import assert from 'node:assert/strict'
import { accountId, quotaFlow } from '../../support/quota-flow'
import type { QuotaHall } from '../../support/quota-hall'
import { until } from '../../support/wait'

const RUN_MS = 60_000
const REMOVALS = 25

export function removalTests(hall: QuotaHall): void {
  it('leaves a Node-RED whose flows start, and nothing in the store, however busy it was when removed', async function () {
    this.timeout(RUN_MS)
    const simulator = await hall.simulate({ devices: 60, limits: 'off' })
    const devices = simulator.truth.devices().map(({ serial, base }) => ({ serial, base }))
    const ids = ['removed-1', 'removed-2', 'removed-3']
    const nodes = ids.map((id) => ({ id, action: 'alerts' as const, devices }))
    const limits = { alert: { limit: 5000, window: 1 } }
    const account = { limits: JSON.stringify(limits), store: 'file' }
    const flow = quotaFlow({ simulator, collector: hall.collector, account, nodes })
    for (let removals = 0; removals < REMOVALS; removals++) {
      const { length } = simulator.log
      await hall.deploy(flow)
      await hall.ask(...ids)
      await until('it is busy', () => simulator.log.length > length + 5)
      // Rejects where the flows do not start.
      await hall.deploy([])
    }
    const log = hall.nodeRed.log()
    assert.ok(!/ENOENT|ENOTEMPTY|unhandled/i.test(log), log.slice(-2000))
    assert.deepEqual(
      hall
        .contexts()
        .filter((name) => name.includes(accountId(simulator)) || ids.some((id) => name.includes(id))),
      [],
    )
  })
}
