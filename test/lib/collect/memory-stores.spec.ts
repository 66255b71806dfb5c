import assert from 'node:assert/strict'
import { createMemory } from '../../../src/lib/collect/memory'
import { handClock } from '../../support/collect/hand-clock'
import { settled, shelf } from '../../support/collect/shelf'

const DEVICE = '5839F001/5212A1B2'
const saved = (taken: number) => {
  return { version: 1, cursors: { [DEVICE]: { taken } }, forgotten: {}, marks: {}, round: [] }
}
const silence = <T>() => new Promise<T>(() => {})

function begin(store = shelf()) {
  const clock = handClock()
  const memory = createMemory(clock)
  memory.keep(store)
  let isReady = false
  void memory.ready().then(() => {
    isReady = true
  })
  const deliver = (taken: number) => {
    memory.step(DEVICE, { kind: 'trigger' })
    memory.step(DEVICE, { kind: 'sent', next: { taken } })
  }
  return { clock, memory, deliver, isReady: () => isReady, cursor: () => memory.machine(DEVICE).cursor }
}

describe('a store', () => {
  it('that is slow is waited for: nothing is asked before', async () => {
    let answer = (_: unknown) => {}
    const store = { ...shelf(), load: () => new Promise((resolve) => (answer = resolve)) }
    const { isReady, cursor } = begin(store)
    await settled()
    assert.equal(isReady(), false)
    answer(saved(5))
    await settled()
    assert.deepEqual([isReady(), cursor()], [true, { taken: 5 }])
  })

  it('that stays silent holds nothing back for good, and what comes too late changes nothing', async () => {
    let answer = (_: unknown) => {}
    const store = { ...shelf(), load: () => new Promise((resolve) => (answer = resolve)) }
    const { clock, isReady, deliver, cursor } = begin(store)
    clock.pass(4999)
    await settled()
    assert.equal(isReady(), false)
    clock.pass(1)
    await settled()
    assert.equal(isReady(), true)
    deliver(9)
    answer(saved(5))
    await settled()
    assert.deepEqual(cursor(), { taken: 9 })
    assert.deepEqual(store.writes.length, 1)
  })

  it('that fails to read is empty, and is written to all the same', async () => {
    const store = { ...shelf(), load: () => Promise.reject(new Error('the store is ill')) }
    const { isReady, deliver, cursor } = begin(store)
    await settled()
    assert.deepEqual([isReady(), cursor()], [true, null])
    deliver(5)
    assert.equal(store.writes.length, 1)
  })

  it('that fails to write gets the next change', async () => {
    let fails = true
    const good = shelf()
    const save = (state: unknown) => (fails ? Promise.reject(new Error('full')) : good.save(state))
    const { deliver } = begin({ ...good, save })
    await settled()
    deliver(5)
    await settled()
    fails = false
    deliver(6)
    await settled()
    assert.deepEqual(good.newest(), saved(6))
  })

  it('knows after a restart what was forgotten: an old receipt does not bring it back', async () => {
    const store = shelf()
    const before = begin(store)
    await settled()
    before.deliver(5)
    before.memory.forget('all')
    await settled()
    const { memory, cursor } = begin(store)
    await settled()
    memory.step(DEVICE, { kind: 'receipt', cursor: { taken: 5 } })
    assert.equal(cursor(), null)
    memory.step(DEVICE, { kind: 'receipt', cursor: { taken: 6 } })
    assert.deepEqual(cursor(), { taken: 6 })
  })

  it('that is slow to write gets one write at a time, and the newest in the end', async () => {
    const ends: (() => void)[] = []
    const states: unknown[] = []
    const save = (state: unknown) => {
      states.push(state)
      return new Promise<void>((resolve) => ends.push(resolve))
    }
    const { deliver } = begin({ ...shelf(), save })
    await settled()
    for (const taken of [5, 6, 7]) deliver(taken)
    assert.deepEqual(states, [saved(5)])
    ends[0]?.()
    await settled()
    assert.deepEqual(states, [saved(5), saved(7)])
    ends[1]?.()
    await settled()
    assert.equal(states.length, 2)
  })

  it('that never says it has written does not hold deliveries back', async () => {
    const { deliver, cursor } = begin({ ...shelf(), save: () => silence() })
    await settled()
    deliver(5)
    deliver(6)
    assert.deepEqual(cursor(), { taken: 6 })
  })

  it('of an earlier deploy that is still being read does not take the place of the present one', async () => {
    let answer = (_: unknown) => {}
    const old = { ...shelf(), load: () => new Promise((resolve) => (answer = resolve)) }
    const { memory, deliver } = begin(old)
    const present = shelf()
    memory.keep(present)
    answer(undefined)
    await settled()
    deliver(5)
    await settled()
    assert.deepEqual([old.writes.length, present.writes.length], [0, 1])
  })

  for (const [what, held] of Object.entries({
    'of another version': { ...saved(5), version: 2 },
    'that is no state': 'cursors',
    'that is null': null,
    'that has only a version': { version: 1 },
  })) {
    it(`holding something ${what} is empty`, async () => {
      const { isReady, cursor } = begin({ ...shelf(), load: async () => held })
      await settled()
      assert.deepEqual([isReady(), cursor()], [true, null])
    })
  }
})
