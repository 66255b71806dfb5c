import assert from 'node:assert/strict'
import { install } from '@sinonjs/fake-timers'
import { manualClock } from '../../../simulator'
import { A_DAY, freezer, NOW } from '../../support/devices'
import { startFlow, useSimulator } from '../../support/flow'
import { actions } from '../../support/flow-types'

describe('faults of the service and of the network', () => {
  const simulator = useSimulator(() => ({ clock: manualClock(NOW), limits: 'off' }))
  const node = { select: 'list', devices: [freezer], ...A_DAY }

  for (const action of actions) {
    it(`fail ${action} once, and the next trigger succeeds`, async () => {
      const flow = await startFlow(action, simulator(), { node })
      simulator().set({ faults: [{ kind: 'dropMidBody', times: 1 }] })
      flow.send({ keep: 'me' })
      const msg = await flow.errors.next()
      assert.equal(msg.error.code, 'ENVLOG_NETWORK')
      assert.equal(msg.keep, 'me')
      assert.equal(flow.output.messages.length, 0)
      flow.send()
      await flow.completed.next()
      assert.equal(flow.errors.messages.length, 1)
      assert.equal(flow.output.messages.length, 1)
    })
  }

  it("fail a trigger with ENVLOG_TIMEOUT after the account's timeout, and the next one succeeds", async () => {
    const flow = await startFlow('latest', simulator(), { node, account: { timeout: 30 } })
    simulator().set({ faults: [{ kind: 'silence', times: 1 }] })
    const clock = install({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      flow.send()
      const turn = () => new Promise((resolve) => setImmediate(resolve))
      while (!simulator().log.some(({ faults }) => faults.includes('silence'))) await turn()
      clock.tick(29_999)
      // An error would have arrived by then.
      for (let turns = 0; turns < 50; turns++) await turn()
      assert.equal(flow.errors.messages.length, 0)
      clock.tick(1)
    } finally {
      clock.uninstall()
    }
    const { error } = await flow.errors.next()
    assert.equal(error.code, 'ENVLOG_TIMEOUT')
    flow.send()
    await flow.completed.next()
    assert.equal(flow.errors.messages.length, 1)
  })
})
