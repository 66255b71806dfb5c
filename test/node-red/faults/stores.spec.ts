import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { install, type Clock as Timers } from '@sinonjs/fake-timers'
import helper from 'node-red-node-test-helper'
import { manualClock } from '../../../simulator'
import type { StateStore } from '../../../src/lib/stored-state'
import type { AccountNode } from '../../../src/nodes/kit/action/account-node'
import { freezer, NOW } from '../../support/devices'
import { startFlow, unload, useSimulator } from '../../support/flow'

/** Changes are written after this time, and failed writes are repeated after this time. */
const [WRITE_MS, RETRY_MS] = [30_000, 60_000]

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

describe('a context store that', () => {
  const simulator = useSimulator(() => ({ clock: manualClock(NOW), limits: 'off' }))
  const { context } = Nodes.prototype

  afterEach(() => {
    Nodes.prototype.context = context
  })

  /**
   * Triggers all nodes, whose store does not write, and stops them.
   * @param during is passed the account's warnings so far
   * @returns the account's warnings, including those at the stop
   */
  async function run(
    during: (warnings: string[], clock: Timers) => Promise<void> = async () => {},
  ): Promise<string[]> {
    Nodes.prototype.context = () => ({
      get: (_key: string, _store: unknown, done: Done) => done(null),
      set: (_key: string, _value: unknown, _store: unknown, done: Done) =>
        setImmediate(() => done(new Error('the store is full'))),
    })
    const flow = await startFlow('latest', simulator(), { node: NODE, flow: others })
    const warnings: string[] = []
    // The helper reports no calls during a stop.
    helper.getNode('account').warn = (warning) => void warnings.push(String(warning))
    const clock = install({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      for (const { id } of others) helper.getNode(id).receive({})
      flow.send()
      await flow.completed.next()
      assert.equal(flow.output.messages.length, 1)
      await during(warnings, clock)
      const unloaded = unload()
      await clock.tickAsync(5000)
      await unloaded
      return warnings
    } finally {
      clock.uninstall()
    }
  }

  /** Lets time and all callbacks of the store pass. */
  async function pass(clock: Timers, ms: number): Promise<void> {
    await clock.tickAsync(ms)
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
  }

  it('fails delays nothing, and is reported once for all nodes of the account', async () => {
    const warnings = await run(async (soFar, clock) => {
      await pass(clock, WRITE_MS)
      assert.equal(soFar.length, 1)
      await pass(clock, RETRY_MS)
      assert.equal(soFar.length, 1)
    })
    assert.equal(warnings.length, 1)
  })

  it('fails only at the stop is reported once for all nodes of the account', async () => {
    assert.equal((await run()).length, 1)
  })

  it('fails again is reported again after it has recovered, or its node was deployed or removed', async () => {
    await startFlow('latest', simulator(), { node: NODE })
    const account = helper.getNode('account') as unknown as AccountNode & NodeJS.EventEmitter
    let warnings = 0
    account.on('call:warn', () => warnings++)
    const write = async (store: StateStore, error?: Error) => {
      store.onWrite?.(error)
      await new Promise(setImmediate)
    }
    const full = new Error('the store is full')
    const deployAndFail = (id: string) => write(account.acquire({ id } as never).store, full)
    for (const id of ['one', 'other', 'one']) await deployAndFail(id)
    assert.equal(warnings, 1, 'the other still fails')
    for (const id of ['one', 'other']) delete account.users[id]
    for (const id of ['one', 'one']) await deployAndFail(id)
    assert.equal(warnings, 3)
    const { store } = account.acquire({ id: 'one' } as never)
    for (const error of [full, full, undefined, full]) await write(store, error)
    assert.equal(warnings, 5)
  })

  describe('cannot be read', () => {
    beforeEach(() => {
      const get = (_key: string, _store: unknown, done: Done) =>
        setImmediate(() => done(new Error('not connected yet')))
      Nodes.prototype.context = () => ({ get })
    })

    it('fails every trigger and command without a request', async () => {
      const flow = await startFlow('latest', simulator(), { node: NODE })
      for (const msg of [{}, { envlog: { forget: true } }, {}]) {
        flow.send(msg)
        const { error } = await flow.errors.next()
        assert.equal(error.code, 'ENVLOG_CONFIG')
        assert.match(error.message, /store-unreadable/)
      }
      assert.equal(simulator().log.length, 0)
    })

    it('is an error of a report that is to be made by itself', async () => {
      const flow = await startFlow('report', simulator(), { node: { ...NODE, every: 'day' } })
      const { error } = await flow.errors.next()
      assert.equal(error.code, 'ENVLOG_CONFIG')
      assert.match(error.message, /store-unreadable/)
    })

    it('does not block a node that remembers nothing', async () => {
      const flow = await startFlow('latest', simulator(), { node: { ...NODE, onlyNew: false } })
      flow.send()
      await flow.completed.next()
      assert.equal(flow.output.messages.length, 1)
    })
  })
})
