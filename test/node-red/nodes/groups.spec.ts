import assert from 'node:assert/strict'
import { manualClock } from '../../../simulator'
import { A_DAY, freezer, NOW, rackA } from '../../support/devices'
import { runEveryPair } from '../../support/every-pair'
import { useSimulator } from '../../support/flow'
import type { Message } from '../../support/flow-types'
import type { Pair } from '../../support/outputs'

describe('the names of groups', () => {
  const simulator = useSimulator(() => ({ clock: manualClock(NOW), limits: 'off' }))
  /** Everything that a request needs is set, so the list of devices is requested for nothing else. */
  const node = {
    select: 'list',
    devices: [{ ...freezer, base: freezer.serial }, rackA],
    ...A_DAY,
    from: '2026-01-15T11:00:00Z',
  }
  const listRequests = () => simulator().log.filter(({ endpoint }) => endpoint === 'current').length
  const run = (pair: Pair, more: Message = {}) =>
    runEveryPair(simulator(), () => ({ ...node, ...more }), [pair])

  for (const [needed, pair] of [
    [true, { action: 'latest', output: 'points', send: 'device' }],
    // Series and rows of alerts have no property for a group.
    [false, { action: 'latest', output: 'readings', send: 'device' }],
    [false, { action: 'alerts', output: 'rows', send: 'device' }],
  ] as const) {
    const name = `${pair.action} as ${pair.output}`
    it(`are ${needed ? 'requested once' : 'not requested, unless the topic contains them'}: ${name}`, async () => {
      await run(pair)
      assert.equal(listRequests(), needed ? 1 : 0)
      simulator().reset()
      await run(pair, { topic: '{group}/{serial}' })
      assert.equal(listRequests(), 1)
    })
  }

  it('fail the trigger if they are needed and no response has them', async () => {
    simulator().set({ faults: [{ kind: 'status', status: 500, endpoints: ['current'] }] })
    const [ran] = await run({ action: 'latest', output: 'points', send: 'device' })
    assert.equal(ran?.failed?.error.code, 'ENVLOG_SERVICE')
    assert.deepEqual([ran?.messages, ran?.errors], [[], []])
  })
})
