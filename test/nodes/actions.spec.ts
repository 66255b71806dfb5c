import assert from 'node:assert/strict'
import { startFlow, useSimulator } from '../support/flow'

describe('the four actions', () => {
  const simulator = useSimulator()

  it('current sends all readings in one message', async () => {
    const flow = await startFlow('current', simulator())
    flow.send({ keep: 'me' })
    const [msg] = await flow.output.take(1)
    console.log(JSON.stringify(msg, null, 1).slice(0, 1500))
    await flow.completed.take(1)
    console.log(flow.statuses.messages.map((m) => m.status))
    assert.equal(msg?.keep, 'me')
  })
  for (const action of ['latest', 'range', 'alerts'] as const) {
    it(action, async () => {
      const flow = await startFlow(action, simulator())
      flow.send({ keep: 'me' })
      await flow.completed.take(1)
      console.log(
        flow.output.messages.length,
        flow.errors.messages.map((m) => [m.error, m.envlog]),
        flow.statuses.messages.map((m) => m.status),
      )
      console.log(JSON.stringify(flow.output.messages[0]).slice(0, 1500))
    })
  }
})
