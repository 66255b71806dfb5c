import assert from 'node:assert/strict'
import { type StateStore, StateWriter } from '../../../src/lib/state-writer'
import { createVirtualClock } from '../../support/clock'
import { createMemoryStore } from '../../support/memory-store'

const silent: StateStore = { load: () => new Promise(() => {}), save: () => new Promise(() => {}) }

describe('writing to a store', () => {
  function setup(fails = () => false) {
    const clock = createVirtualClock()
    const store = createMemoryStore(clock, { delays: () => 100, fails })
    let state = 0
    const writer = new StateWriter(store, clock, () => state)
    const change = (to: number) => {
      state = to
      writer.save()
    }
    return {
      clock,
      store,
      change,
      written: () => observe(writer.written()),
      end: () => observe(writer.end()),
    }
  }

  it('writes a change immediately, and those of the next two seconds together', async () => {
    const { clock, store, change } = setup()
    change(1)
    await clock.pass(100)
    assert.deepEqual([store.contents(), store.writes()], [1, 1])
    change(2)
    await clock.pass(1500)
    change(3)
    await clock.pass(399)
    assert.equal(store.writes(), 1)
    await clock.pass(101)
    assert.deepEqual([store.contents(), store.writes()], [3, 2])
    assert.equal(clock.pending(), 0)
  })

  it('performs one write at a time', async () => {
    const { clock, store, change, written } = setup()
    change(1)
    const first = written()
    await clock.pass(50)
    change(2)
    const second = written()
    await clock.pass(50)
    assert.equal(store.contents(), 1)
    await clock.pass(100)
    assert.deepEqual([first.state, second, store.contents()], ['done', { state: 'done', value: true }, 2])
    assert.equal(store.writes(), 2)
  })

  it('does not wait for a failing store until a write succeeds', async () => {
    let isIll = true
    const { clock, change, written } = setup(() => isIll)
    change(1)
    const first = written()
    await clock.pass(100)
    const later = written()
    await clock.settle()
    const failed = { state: 'done', value: false }
    assert.deepEqual([first, later], [failed, failed])
    isIll = false
    change(2)
    await clock.pass(2100)
    change(3)
    const again = written()
    await clock.pass(100)
    assert.deepEqual(again, { state: 'done', value: true })
  })

  it('reports failing writes once until one succeeds, and retries every minute', async () => {
    const clock = createVirtualClock()
    let isIll = true
    let reports = 0
    const store = createMemoryStore(clock, { fails: () => isIll })
    const onWriteError = () => void reports++
    const writer = new StateWriter({ ...store, onWriteError }, clock, () => 'state')
    writer.save()
    await clock.pass(200_000)
    assert.equal(reports, 1)
    assert.equal(store.writes(), 4)
    isIll = false
    await clock.pass(61_000)
    assert.deepEqual([store.contents(), reports, clock.pending()], ['state', 1, 0])
    isIll = true
    writer.save()
    await clock.pass(1000)
    assert.equal(reports, 2)
    await writer.end()
  })

  it('treats a write that never ends as failed', async () => {
    const clock = createVirtualClock()
    const reports: string[] = []
    const onWriteError = ({ message }: Error) => void reports.push(message)
    const writer = new StateWriter({ ...silent, onWriteError }, clock, () => 1)
    writer.save()
    const written = observe(writer.written())
    await clock.pass(10_000)
    assert.deepEqual([written, reports], [{ state: 'done', value: false }, ['no response']])
  })

  it('writes the last change at its end, and nothing after that', async () => {
    const { clock, store, change, end } = setup()
    change(1)
    const ended = end()
    await clock.pass(100)
    change(2)
    await clock.pass(60_000)
    assert.deepEqual([ended.state, store.contents(), store.writes()], ['done', 1, 1])
    assert.equal(clock.pending(), 0)
  })

  it('ends after 5 s if the store does not respond', async () => {
    const clock = createVirtualClock()
    const writer = new StateWriter(silent, clock, () => 1)
    writer.save()
    const ended = observe(writer.end())
    await clock.pass(4999)
    assert.equal(ended.state, 'waiting')
    await clock.pass(1)
    assert.equal(ended.state, 'done')
  })
})

/** The result of a promise. */
function observe(promise: Promise<unknown>): {
  state: 'waiting' | 'done' | 'failed'
  value?: unknown
  error?: unknown
} {
  const seen: ReturnType<typeof observe> = { state: 'waiting' }
  promise.then(
    (value) => Object.assign(seen, { state: 'done', value }),
    (error) => Object.assign(seen, { state: 'failed', error }),
  )
  return seen
}
