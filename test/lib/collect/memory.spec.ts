import assert from 'node:assert/strict'
import { createMemory } from '../../../src/lib/collect/memory'
import { createVirtualClock } from '../../support/clock'
import { settled, shelf } from '../../support/collect/shelf'

const [FIRST, SECOND] = ['5839F001/5212A1B2', '5839F002/5212A1B2']
const at = (taken: number) => ({ seen: [`${taken}`], taken })
const target = (key: string) => {
  const [base = '', serial = ''] = key.split('/')
  return { base, serial }
}

/** A node's memory in a process of its own, once it has taken over what the store holds. */
async function begin(store = shelf()) {
  const memory = createMemory(createVirtualClock(0))
  memory.open(store)
  await memory.ready()
  const deliver = (device: string, taken: number) => {
    memory.step(device, { kind: 'trigger' })
    memory.step(device, { kind: 'sent', next: at(taken) })
  }
  return { memory, store, deliver, cursor: (device: string) => memory.machine(device).cursor }
}

describe('what a node knows of its devices', () => {
  it('is nothing at first, and empty stores are fine', async () => {
    const { memory, cursor } = await begin()
    assert.deepEqual([cursor(FIRST), memory.mark(FIRST)], [null, undefined])
  })

  it('outlives its process in a store: cursors, marks, and who was asked longest ago', async () => {
    const { memory, store, deliver } = await begin()
    deliver(FIRST, 5)
    deliver(SECOND, 6)
    memory.setMarks([[FIRST, 'mark']])
    memory.round.asked(target(SECOND))
    memory.round.asked(target(FIRST))
    memory.save()
    await settled()
    const next = await begin(store)
    assert.deepEqual([next.cursor(FIRST), next.cursor(SECOND)], [at(5), at(6)])
    assert.equal(next.memory.mark(FIRST), 'mark')
    const order = next.memory.round.order([target(FIRST), target(SECOND), target('x/y')])
    assert.deepEqual(order, [target('x/y'), target(SECOND), target(FIRST)])
  })

  it('is saved by every step that moves a cursor, and by no other', async () => {
    const { memory, store, deliver } = await begin()
    const writes = () => store.writes.length
    deliver(FIRST, 5)
    assert.equal(writes(), 1)
    await settled()
    memory.step(FIRST, { kind: 'trigger' })
    memory.step(FIRST, { kind: 'handed-over', base: at(1), next: at(9), until: 0, news: null })
    memory.step(FIRST, { kind: 'timeout' })
    memory.setMarks([])
    await settled()
    assert.equal(writes(), 1, 'what is open is in memory only')
    memory.step(FIRST, { kind: 'receipt', cursor: at(9) })
    assert.equal(writes(), 2)
  })

  it('holds nothing but data: what a store keeps is not changed afterwards', async () => {
    const kept: unknown[] = []
    const { memory, deliver } = await begin({
      ...shelf(),
      save: async (state) => void kept.push(state),
    })
    deliver(FIRST, 5)
    await settled()
    const before = structuredClone(kept[0])
    deliver(FIRST, 6)
    memory.setMarks([[FIRST, 'mark']])
    memory.forget('all')
    await settled()
    assert.deepEqual(kept[0], before)
  })

  it('stays over a deploy, also where the store holds something older, or is another one', async () => {
    const { memory, store, deliver, cursor } = await begin()
    deliver(FIRST, 5)
    await settled()
    memory.step(SECOND, { kind: 'trigger' })
    const other = shelf({ version: 1, cursors: { [FIRST]: at(1) }, marks: {}, round: [] })
    await memory.close()
    memory.open(other)
    await memory.ready()
    assert.deepEqual([cursor(FIRST), memory.machine(SECOND).phase.name], [at(5), 'idle'])
    deliver(SECOND, 7)
    await settled()
    assert.deepEqual([store.writes.length, other.writes.length], [1, 1])
    assert.deepEqual((await begin(other)).cursor(FIRST), at(5))
  })

  it('keeps what changed while the store was read', async () => {
    const { store, deliver } = await begin()
    deliver(FIRST, 5)
    deliver(SECOND, 5)
    await settled()
    const memory = createMemory(createVirtualClock(0))
    memory.open(store)
    memory.step(FIRST, { kind: 'receipt', cursor: at(9) })
    memory.setMarks([[FIRST, 'new']])
    memory.round.asked(target(FIRST))
    await memory.ready()
    assert.deepEqual(memory.machine(FIRST).cursor, at(9))
    assert.deepEqual(memory.machine(SECOND).cursor, at(5))
    assert.equal(memory.mark(FIRST), 'new')
  })
})

describe('what was fetched', () => {
  const fetch = async (shapes: readonly string[]) => {
    const memory = createMemory(createVirtualClock(0))
    memory.open(shelf(), 'old')
    await memory.ready()
    memory.step(FIRST, { kind: 'trigger' })
    memory.step(FIRST, { kind: 'hole', hole: {} as never })
    for (const shape of shapes) {
      await memory.close()
      memory.open(shelf(), shape)
    }
    return memory.machine(FIRST).phase.name
  }

  it('stays over a deploy with the same settings, and is dropped where they changed', async () => {
    assert.equal(await fetch(['old', 'old']), 'filling')
    assert.equal(await fetch(['new', 'old']), 'idle')
  })
})

describe('to forget', () => {
  it('clears the named devices under every base unit, or all, and is saved', async () => {
    const { memory, store, deliver, cursor } = await begin()
    for (const device of [FIRST, SECOND, 'a/b']) deliver(device, 5)
    memory.setMarks([
      [FIRST, 'mark'],
      ['a/b', 'mark'],
    ])
    memory.forget(['5212A1B2'])
    assert.deepEqual([cursor(FIRST), cursor(SECOND), cursor('a/b')], [null, null, at(5)])
    assert.deepEqual([memory.mark(FIRST), memory.mark('a/b')], [undefined, 'mark'])
    await settled()
    assert.equal((await begin(store)).cursor(FIRST), null)
    memory.forget('all')
    await settled()
    assert.equal((await begin(store)).cursor('a/b'), null)
    assert.equal(memory.mark('a/b'), undefined)
  })

  it('takes a serial as a whole', async () => {
    const { memory, deliver, cursor } = await begin()
    deliver(FIRST, 5)
    memory.forget(['12A1B2', '5839F001'])
    assert.deepEqual(cursor(FIRST), at(5))
  })
})
