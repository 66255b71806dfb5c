import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { install } from '@sinonjs/fake-timers'
import helper from 'node-red-node-test-helper'
import { manualClock } from '../../../simulator'
import { freezer, NOW } from '../../support/devices'
import { startFlow, unload, useSimulator } from '../../support/flow'

type Done = (error: unknown, value?: unknown) => void
const ofNodeRed = createRequire(require.resolve('node-red'))
const Nodes: { prototype: { context(): object } } = ofNodeRed('@node-red/runtime/lib/nodes/Node')

const NODE = { select: 'list', devices: [freezer], onlyNew: true }
const PLACE = { z: 'tab', x: 100, y: 100, wires: [[]] }
const others = ['alerts', 'current'].map((action) => ({
  id: `other-${action}`,
  type: `envlog-${action}`,
  account: 'account',
  ...PLACE,
  ...NODE,
}))

/** What a context store does instead of writing. */
const failures: Record<string, (done: Done) => void> = {
  fails: (done) => setImmediate(() => done(new Error('the store is full'))),
  throws: () => {
    throw new Error('the store is full')
  },
  'never responds': () => {},
}

describe('a context store that', () => {
  const simulator = useSimulator(() => ({ clock: manualClock(NOW), limits: 'off' }))
  const { context } = Nodes.prototype

  afterEach(() => {
    Nodes.prototype.context = context
  })

  for (const [title, write] of Object.entries(failures)) {
    it(`${title} delays nothing, and is reported once for all nodes of the account`, async () => {
      Nodes.prototype.context = () => ({
        get: (_key: string, _store: unknown, done: Done) => done(null),
        set: (_key: string, _value: unknown, _store: unknown, done: Done) => write(done),
      })
      const flow = await startFlow('latest', simulator(), { node: NODE, flow: others })
      const warnings: string[] = []
      const account = helper.getNode('account') as unknown as NodeJS.EventEmitter
      account.on('call:warn', ({ args }: { args: unknown[] }) => warnings.push(String(args[0])))
      const clock = install({ toFake: ['setTimeout', 'clearTimeout'] })
      try {
        for (const { id } of others) helper.getNode(id).receive({})
        flow.send()
        await flow.completed.next()
        assert.equal(flow.output.messages.length, 1)
        // A write that takes ten seconds has failed.
        await clock.tickAsync(10_000)
        for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
        await clock.tickAsync(10_000)
        assert.equal(warnings.length, 1)
        const unloaded = unload()
        await clock.tickAsync(5000)
        await unloaded
      } finally {
        clock.uninstall()
      }
    })
  }
})
