import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Node, NodeAPI } from 'node-red'
import { systemClock } from '../../../../src/lib/clock'
import { NodeState } from '../../../../src/lib/collect/node-state'
import { createContextStore, listContextStores } from '../../../../src/nodes/kit/state/context-store'
import { root } from '../../../support/package'

type Done = (error: unknown, value?: unknown) => void

describe('the available context stores', () => {
  const storesOf = (contextStorage?: object) =>
    listContextStores({ settings: { contextStorage } } as NodeAPI).map(
      ({ name, persistent }) => `${name} ${persistent}`,
    )

  it('are only one, in memory, if the settings file names none', () => {
    assert.deepEqual(storesOf(), ['default false'])
  })

  it('are those in the settings file, all persistent except those in memory', () => {
    const stores = storesOf({
      default: 'disk',
      disk: { module: 'localfilesystem' },
      other: 'memory',
      fast: { module: 'memory' },
      quick: 'fast',
      own: { module: class {} },
    })
    const expected = ['default true', 'disk true', 'other false', 'fast false', 'quick false', 'own true']
    assert.deepEqual(stores, expected)
  })
})

describe('the state of a node in a context store', () => {
  const old = JSON.parse(readFileSync(join(root, 'test/fixtures/saved/node-state-v1.json'), 'utf8'))
  const good = JSON.stringify(old.records)

  /** Reads the state of a node whose context contains one value. @param pass converts a value that is read */
  async function open(value: unknown, pass: (value: unknown) => unknown = (same) => same) {
    const held = { value }
    const context = {
      get: (_key: string, _store: unknown, done: Done) => setImmediate(() => done(null, pass(held.value))),
      set(_key: string, next: unknown, _store: unknown, done: Done) {
        held.value = next
        setImmediate(() => done(null))
      },
    }
    const node = { context: () => context } as unknown as Node
    const store = createContextStore({ settings: {} } as NodeAPI, node, '')
    const state = new NodeState(systemClock)
    state.open(store, { cursorKind: 'records' })
    await state.ready()
    return { held, state, store }
  }

  it('can be read as an object, as text, or from a store that parses text, and is written as text', async () => {
    const parsing = (value: unknown) =>
      typeof value === 'string' ? JSON.parse(value) : structuredClone(value)
    for (const [value, pass] of [[old.records], [good], [good, parsing], [old.records, parsing]] as const) {
      const { held, state, store } = await open(value, pass)
      state.save()
      await state.close(store)
      assert.equal(typeof held.value, 'string')
      const { devices } = JSON.parse(String(held.value))
      for (const [key, { cursor }] of Object.entries<{ cursor: unknown }>(old.records.devices))
        assert.deepEqual(devices[key].cursor, cursor)
    }
  })

  it('is in the store of the account, and not silently in the default one if the settings file does not name it', async () => {
    const contextStorage = { default: { module: 'localfilesystem' }, memory: { module: 'memory' } }
    const storeOf = async (name: string, settings: object) => {
      let used: unknown
      const get = (_key: string, store: unknown, done: Done) => {
        used = store
        done(null)
      }
      const node = { context: () => ({ get }) } as unknown as Node
      await createContextStore({ settings } as NodeAPI, node, name).load()
      return used
    }
    for (const name of ['default', 'memory']) assert.equal(await storeOf(name, { contextStorage }), name)
    for (const name of ['', 'default', 'memory']) assert.equal(await storeOf(name, {}), undefined)
    for (const settings of [{ contextStorage }, {}])
      await assert.rejects(storeOf('disk', settings), { reason: 'store-unknown' })
  })

  it('is not written if the store throws, as if it had responded with an error', async () => {
    const set = () => {
      throw new Error('the store is full')
    }
    const node = { context: () => ({ set }) } as unknown as Node
    await assert.rejects(createContextStore({ settings: {} } as NodeAPI, node, '').save('{}'), /is full/)
  })

  it('has a cursor for any serial', async () => {
    const { held, state, store } = await open(undefined)
    const next = { ...old.records.devices['5839F001/5212A1B2'].cursor, hashes: ['é"\\\u2028'] }
    const keys = ['__proto__', 'constructor', '"'].map((serial) => `B/${serial}`)
    for (const key of keys) state.devices.get(key).advance(next)
    await state.close(store)
    const again = await open(held.value)
    for (const key of keys) assert.deepEqual(again.state.devices.get(key).cursor, next, key)
  })
})
