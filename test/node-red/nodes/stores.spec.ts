import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { type DeviceDefinition, manualClock } from '../../../simulator'
import { NOW } from '../../support/devices'
import { startFlow, useSimulator } from '../../support/flow'
import type { ActionName, Message } from '../../support/flow-types'

type Done = (error: unknown, value?: unknown) => void
interface Context {
  get(key: string, store: unknown, done: Done): void
  set(key: string, value: unknown, store: unknown, done: Done): void
}
const ofNodeRed = createRequire(require.resolve('node-red'))
const Nodes: { prototype: { context(): Context } } = ofNodeRed('@node-red/runtime/lib/nodes/Node')

const device: DeviceDefinition = {
  serial: '52A10001',
  name: 'Freezer',
  kind: 'standalone-1',
  channels: [{ num: 1, unit: 'C' }],
  records: { interval: 60 },
}
const node = { select: 'list', devices: [{ serial: device.serial, base: device.serial }], onlyNew: true }

describe('a context store that is not connected yet', () => {
  const simulator = useSimulator(() => ({ clock: manualClock(NOW), limits: 'off', fleet: [device] }))
  const { context } = Nodes.prototype
  const stored = new Map<string, unknown>()
  let isConnected = false

  beforeEach(() => {
    stored.clear()
    isConnected = false
    Nodes.prototype.context = () => ({
      get: (key, _store, done) =>
        setImmediate(() =>
          isConnected ? done(null, stored.get(key)) : done(new Error('not connected yet')),
        ),
      set: (key, value, _store, done) => {
        if (isConnected) stored.set(key, value)
        setImmediate(() => done(isConnected ? null : new Error('not connected yet')))
      },
    })
  })
  afterEach(() => {
    Nodes.prototype.context = context
  })

  const start = (more: Message = {}, action: ActionName = 'latest') =>
    startFlow(action, simulator(), { node: { ...node, ...more } })
  const requestCount = () => simulator().log.length

  it('fails every trigger, receipt and forget without a request until it is connected', async () => {
    const flow = await start()
    for (const msg of [{}, { envlog: { forget: true } }, {}]) {
      flow.send(msg)
      const { error } = await flow.errors.next()
      assert.equal(error.code, 'ENVLOG_CONFIG')
      assert.match(error.message, /store-unreadable/)
    }
    assert.equal(requestCount(), 0)
    isConnected = true
    flow.send()
    await flow.completed.next()
    assert.equal(flow.output.messages.length, 1)
    assert.ok(stored.has('cursors'))
  })

  it('does not block nodes that remember nothing', async () => {
    for (const action of ['current', 'latest', 'range'] as const) {
      const flow = await start({ onlyNew: false }, action)
      flow.send()
      await flow.completed.next()
      assert.equal(flow.output.messages.length, 1, action)
    }
  })
})
