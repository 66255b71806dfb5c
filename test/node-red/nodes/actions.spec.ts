import assert from 'node:assert/strict'
import { manualClock } from '../../../simulator'
import { NOW, rackA } from '../../support/devices'
import { startFlow, useSimulator } from '../../support/flow'

describe('the actions', () => {
  const simulator = useSimulator(() => ({ clock: manualClock(NOW) }))
  const list = (...devices: object[]) => ({ select: 'list', devices })

  it('trigger themselves if they repeat; the status of a failure shows when they trigger next', async () => {
    const flow = await startFlow('current', simulator(), { node: { repeat: 1 } })
    const times = []
    for (const _ of [1, 2]) times.push((await flow.output.next()).envlog.receivedAt)
    assert.notEqual(times[0], times[1])
    simulator().set({ faults: [{ kind: 'status', status: 401 }] })
    assert.equal((await flow.errors.next()).error.code, 'ENVLOG_AUTH')
    assert.ok(flow.shown().some(({ text }) => text === 'status.since-next'))
  })

  it('have a status: nothing, requesting, what was received and when', async () => {
    const flow = await startFlow('latest', simulator(), { node: list(rackA) })
    flow.send()
    await flow.completed.next()
    const shown = flow.statuses.messages.map(({ status }) => [status.fill, status.shape, status.text])
    assert.deepEqual(shown.at(-2), ['blue', 'dot', 'status.asking'])
    assert.deepEqual(shown.at(-1)?.slice(0, 2), ['green', 'dot'])
    assert.match(shown.at(-1)?.[2], /^status\.records \d\d:\d\d$/)
  })
})
