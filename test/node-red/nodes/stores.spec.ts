import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { manualClock } from '../../../simulator'
import { freezer, NOW } from '../../support/devices'
import { startFlow, useSimulator } from '../../support/flow'

const ofNodeRed = createRequire(require.resolve('node-red'))
const Nodes: { prototype: { context(): object } } = ofNodeRed('@node-red/runtime/lib/nodes/Node')

describe('a context store that cannot be read', () => {
  const simulator = useSimulator(() => ({ clock: manualClock(NOW), limits: 'off' }))
  const { context } = Nodes.prototype

  beforeEach(() => {
    const get = (_key: string, _store: unknown, done: (error: Error) => void) =>
      setImmediate(() => done(new Error('not connected yet')))
    Nodes.prototype.context = () => ({ get })
  })
  afterEach(() => {
    Nodes.prototype.context = context
  })

  const start = (onlyNew: boolean) =>
    startFlow('latest', simulator(), { node: { select: 'list', devices: [freezer], onlyNew } })

  it('fails every trigger and command without a request', async () => {
    const flow = await start(true)
    for (const msg of [{}, { envlog: { forget: true } }, {}]) {
      flow.send(msg)
      const { error } = await flow.errors.next()
      assert.equal(error.code, 'ENVLOG_CONFIG')
      assert.match(error.message, /store-unreadable/)
    }
    assert.equal(simulator().log.length, 0)
  })

  it('does not block a node that remembers nothing', async () => {
    const flow = await start(false)
    flow.send()
    await flow.completed.next()
    assert.equal(flow.output.messages.length, 1)
  })
})
