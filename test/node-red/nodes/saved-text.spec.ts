import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Node, NodeAPI } from 'node-red'
import { systemClock } from '../../../src/lib/clock'
import { NodeState } from '../../../src/lib/collect/node-state'
import { createContextStore } from '../../../src/nodes/kit/state/context-store'
import { root } from '../../support/package'

type Done = (error: unknown, value?: unknown) => void
const old = JSON.parse(readFileSync(join(root, 'test/fixtures/saved/node-state-v1.json'), 'utf8'))

/** The store of a node whose context contains one value. @param pass converts a value that is read */
function storeOf(value: unknown, pass: (value: unknown) => unknown = (same) => same) {
  const held = { value }
  const context = {
    get: (_key: string, _store: unknown, done: Done) => setImmediate(() => done(null, pass(held.value))),
    set(_key: string, next: unknown, _store: unknown, done: Done) {
      held.value = next
      setImmediate(() => done(null))
    },
  }
  const node = { context: () => context } as unknown as Node
  const RED = { settings: {} } as NodeAPI
  return { held, store: createContextStore(RED, node, '', 'cursors', (error) => assert.fail(error)) }
}

async function open(value: unknown, pass?: (value: unknown) => unknown) {
  const { held, store } = storeOf(value, pass)
  const state = new NodeState(systemClock)
  state.open(store, { cursorKind: 'records' })
  await state.ready()
  return { held, state, store }
}

const reasonOf = (value: unknown) =>
  open(value).then(
    () => 'accepted',
    (error) => error.reason,
  )

const cursorsOf = ({ devices }: { devices: Record<string, { cursor: unknown }> }) =>
  Object.entries(devices).map(([device, { cursor }]) => [device, cursor])

describe('the saved state of a node', () => {
  const good = JSON.stringify(old.records)

  for (const text of ['null', ' null\n']) {
    it(`is damaged, not empty, if a store contains the text ${JSON.stringify(text)}`, async () => {
      assert.equal(await reasonOf(text), 'store-unreadable')
    })
  }

  it('is damaged if it is other text, or other JSON', async () => {
    const texts = [
      '',
      ' ',
      '0',
      '5',
      'true',
      'false',
      '""',
      '[]',
      '{}',
      '"null"',
      'undefined',
      '[object Object]',
    ]
    const cut = [1, 10, good.length - 1].map((length) => good.slice(0, length))
    const doubled = [JSON.stringify(good), `${good}${good}`, `\ufeff${good}`, `[${good}]`]
    const others = [
      '{"version":1}',
      '{"version":0}',
      '{"version":"1"}',
      good.replace('"devices"', '"Devices"'),
    ]
    for (const text of [...texts, ...cut, ...doubled, ...others]) {
      assert.equal(await reasonOf(text), 'store-unreadable', text.slice(0, 40))
    }
    for (const value of [0, false, true, Number.NaN, [], {}, Buffer.from(good), Object(good)]) {
      assert.equal(await reasonOf(value), 'store-unreadable', String(value).slice(0, 40))
    }
  })

  it('of a newer version is left unchanged, as an object and as text', async () => {
    const newer = { ...old.records, version: 2 }
    for (const value of [newer, JSON.stringify(newer)]) {
      const { held, store } = storeOf(value)
      const state = new NodeState(systemClock)
      state.open(store, { cursorKind: 'records' })
      await assert.rejects(state.ready(), { reason: 'store-newer' })
      state.forget('all')
      state.save()
      await state.close(store)
      assert.equal(held.value, value)
    }
  })

  it('is the same as an object, as text, and in a store that parses text; it is written as text', async () => {
    const parsing = (value: unknown) =>
      typeof value === 'string' ? JSON.parse(value) : structuredClone(value)
    const saved: unknown[] = []
    for (const [value, pass] of [
      [old.records],
      [good],
      [good, parsing],
      [structuredClone(old.records), parsing],
    ] as const) {
      const { held, state, store } = await open(value, pass)
      state.save()
      await state.close(store)
      assert.equal(typeof held.value, 'string')
      saved.push(JSON.parse(held.value as string))
    }
    for (const one of saved) assert.deepEqual(cursorsOf(one as typeof old.records), cursorsOf(old.records))
  })

  it('for thousands of devices survives, with any serials', async () => {
    const { held, state, store } = await open(undefined)
    const next = { held: 'topf5s.2s', hashes: ['é"\\\u2028'], since: null, from: null, sequence: 5 }
    const names = [
      '__proto__',
      'constructor',
      '"',
      ...Array.from({ length: 5000 }, (_, index) => `S${index}`),
    ]
    for (const name of names) {
      state.device(`B/${name}`).advance(next)
    }
    await state.close(store)
    const again = await open(held.value)
    for (const name of names) assert.deepEqual(again.state.device(`B/${name}`).cursor, next, name)
  })
})
