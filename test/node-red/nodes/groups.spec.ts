import assert from 'node:assert/strict'
import { manualClock } from '../../../simulator'
import { A_DAY, freezer, NOW, rackA } from '../../support/devices'
import { runEveryPair } from '../../support/every-pair'
import { useSimulator } from '../../support/flow'
import type { Message } from '../../support/flow-types'
import type { Pair } from '../../support/outputs'

describe('the groups of devices', () => {
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
    [true, { action: 'latest', output: 'readings', send: 'device' }],
    [true, { action: 'alerts', output: 'points', send: 'device' }],
    // Other messages with alerts have no property for a group.
    [false, { action: 'alerts', output: 'readings', send: 'device' }],
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

  it('are the same in current readings and in records, even in missing ones', async () => {
    const more = { onlyNew: true, start: A_DAY.from }
    const wanted = (['current', 'latest', 'range'] as const).map(
      (action): Pair => ({ action, output: 'readings', send: 'device' }),
    )
    const ran = await runEveryPair(simulator(), () => ({ ...node, ...more }), wanted)
    const sent = ran.flatMap(({ messages }) => messages)
    assert.ok(sent.some(({ envlog }) => envlog.backfill))
    const group = { number: 1, name: 'Cold store' }
    for (const { payload } of sent)
      assert.deepEqual(payload.group, payload.serial === freezer.serial ? group : null)
  })

  it('fail the trigger if they are needed and no response has them', async () => {
    simulator().set({ faults: [{ kind: 'status', status: 500, endpoints: ['current'] }] })
    const [ran] = await run({ action: 'latest', output: 'points', send: 'device' })
    assert.equal(ran?.failed?.error.code, 'ENVLOG_SERVICE')
    assert.deepEqual([ran?.messages, ran?.errors], [[], []])
  })
})
