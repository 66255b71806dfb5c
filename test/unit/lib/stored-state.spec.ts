import assert from 'node:assert/strict'
import { type StateStore, StateWriter } from '../../../src/lib/stored-state'
import { createVirtualClock } from '../../support/clock'
import { createMemoryStore } from '../../support/memory-store'

const never = () => new Promise<never>(() => {})
const silent: StateStore = { place: 'nowhere', load: never, save: never }
/** Changes are written after this time. */
const WRITE_MS = 30_000

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

  it('writes a change half a minute later, together with those in between', async () => {
    const { clock, store, change } = setup()
    change(1)
    await clock.pass(20_000)
    change(2)
    await clock.pass(WRITE_MS - 20_000 - 1)
    assert.equal(store.writes(), 0)
    await clock.pass(101)
    assert.deepEqual([store.contents(), store.writes()], [2, 1])
    change(3)
    await clock.pass(WRITE_MS + 100)
    assert.deepEqual([store.contents(), store.writes(), clock.pending()], [3, 2, 0])
  })

  for (const [kilobytes, seconds] of [
    [100, 30],
    [200, 60],
    [1000, 300],
    [2000, 300],
  ] as const)
    it(`writes the next change of a state of ${kilobytes} kB after ${seconds} s`, async () => {
      const clock = createVirtualClock()
      const store = createMemoryStore(clock)
      const writer = new StateWriter(store, clock, () => 'x'.repeat(kilobytes * 1000 - 2))
      writer.save()
      await writer.written()
      writer.save()
      await clock.pass(seconds * 1000 - 1)
      assert.equal(store.writes(), 1)
      await clock.pass(1)
      assert.equal(store.writes(), 2)
    })

  it('writes a change at once if someone waits for it', async () => {
    const { clock, store, change, written } = setup()
    change(1)
    const waiting = written()
    await clock.pass(99)
    assert.equal(waiting.state, 'waiting')
    await clock.pass(1)
    assert.deepEqual([waiting, store.contents()], [{ state: 'done', value: true }, 1])
    await clock.pass(2 * WRITE_MS)
    assert.equal(store.writes(), 1)
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
    await clock.pass(61_000)
    change(3)
    const again = written()
    await clock.pass(100)
    assert.deepEqual(again, { state: 'done', value: true })
  })

  it('reports the first of several failing writes, and the first that succeeds; it retries every minute', async () => {
    const clock = createVirtualClock()
    let isIll = true
    const reports: string[] = []
    const store = createMemoryStore(clock, { fails: () => isIll })
    const onWrite = (error?: Error) => void reports.push(error?.message ?? 'recovered')
    const writer = new StateWriter({ ...store, onWrite }, clock, () => 'state')
    writer.save()
    await clock.pass(WRITE_MS + 170_000)
    assert.deepEqual([store.writes(), reports], [3, ['the store is ill']])
    isIll = false
    await clock.pass(61_000)
    assert.deepEqual([store.contents(), reports.at(-1), clock.pending()], ['state', 'recovered', 0])
    writer.save()
    await clock.pass(WRITE_MS)
    isIll = true
    writer.save()
    await clock.pass(WRITE_MS)
    assert.deepEqual(reports, ['the store is ill', 'recovered', 'the store is ill'])
    await writer.end()
  })

  it('treats a write that never ends as failed after ten seconds', async () => {
    const clock = createVirtualClock()
    const reports: string[] = []
    const onWrite = (error?: Error) => void reports.push(String(error?.message))
    const writer = new StateWriter({ ...silent, onWrite }, clock, () => 1)
    writer.save()
    const written = observe(writer.written())
    await clock.pass(9999)
    assert.deepEqual([written.state, reports], ['waiting', []])
    await clock.pass(1)
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
