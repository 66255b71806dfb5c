import assert from 'node:assert/strict'
import { systemClock } from '../../../src/lib/clock'
import { jsonInSteps, LazyMap } from '../../../src/lib/json-in-steps'
import { createAccountLimiter } from '../../../src/lib/quota/account-limiter'
import { toPersistedQuota } from '../../../src/lib/quota/limiter-state'
import { createStateWriter, type StateStore } from '../../../src/lib/state-store'
import { createVirtualClock } from '../../support/clock'
import { createMemoryStore } from '../../support/quota/memory-store'

const ofDevices = (count: number, value: (at: number) => unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`52A10000/${at}`, value(at)]))

/** A store that keeps the texts. */
function keeping(texts: string[]): StateStore {
  return {
    load: async () => undefined,
    save: async (text) => {
      texts.push(text)
    },
  }
}

describe('the text of a state, made in steps', () => {
  it('is written before the node closes, also where each turn of the event loop is long', async () => {
    const clock = createVirtualClock()
    const store = createMemoryStore(clock)
    const state = { marks: ofDevices(20_000, () => 'x'.repeat(1000)) }
    const writer = createStateWriter(store, clock, () => state)
    writer.save()
    let hasEnded = false
    const ended = writer.end().then(() => {
      hasEnded = true
    })
    // Other flows take a second in each turn.
    const other = () => {
      clock.advance(1000)
      if (!hasEnded) setImmediate(other)
    }
    setImmediate(other)
    await ended
    assert.equal(store.writes(), 1, 'the change before the end is written')
  })

  it('is JSON, also where a whole step has values that JSON leaves out', async () => {
    for (const count of [255, 256, 257, 512, 513]) {
      const texts: string[] = []
      const state = { marks: ofDevices(count, (at) => (at < 256 ? 'sent' : undefined)), round: [] }
      const writer = createStateWriter(keeping(texts), systemClock, () => state)
      writer.save()
      await writer.end()
      assert.ok(texts.join() === JSON.stringify(state), `${count} entries: …${texts.join().slice(-30)}`)
    }
  })

  it('is what JSON.stringify makes of values with toJSON', async () => {
    const texts: string[] = []
    const state = { savedAt: new Date(0), round: [new Date(0)] }
    const writer = createStateWriter(keeping(texts), systemClock, () => state)
    writer.save()
    await writer.end()
    assert.deepEqual(texts, [JSON.stringify(state)])
  })

  it('is made of few devices at a time, also of the used quota of thousands of devices', async () => {
    const now = 1000
    const limiter = createAccountLimiter()
    const usage = (at: number) => ({
      ...{ own: [{ id: `process:${at}`, at: now, amount: 10 }], byOthers: [], inFlight: [] },
      ...{ throttledAt: null, serverLimit: { limit: 60_000, windowSeconds: 3600 } },
    })
    const devices = Object.entries(ofDevices(5000, usage)) as [string, ReturnType<typeof usage>][]
    limiter.restore({ endpoints: {}, devices: { data: devices } }, now)
    const texts: string[] = []
    const owner = { account: 'account', processId: 'process' }
    const state = () => toPersistedQuota(limiter.getState(now), owner, 0)
    const { stringify } = JSON
    let longest = 0
    JSON.stringify = ((...given: Parameters<typeof stringify>) => {
      const text = stringify(...given)
      longest = Math.max(longest, text?.length ?? 0)
      return text
    }) as typeof stringify
    try {
      const writer = createStateWriter(keeping(texts), systemClock, state)
      writer.save()
      await writer.end()
    } finally {
      JSON.stringify = stringify
    }
    const whole = texts[0]?.length ?? 0
    assert.ok(whole > 500_000, `${whole} characters`)
    assert.ok(longest < whole / 4, `${longest} of ${whole} characters in one step`)
  })

  it('holds each key in its order and each value: __proto__, numbers, holes, borders of steps', async () => {
    for (const count of [0, 1, 255, 256, 257, 511, 512, 513]) {
      const map = JSON.parse('{"__proto__":{"a":1},"10":1,"b":[[[]]],"2":{"toString":null}}')
      for (let at = 0; at < count; at++) map[`k${count - at}`] = { at }
      const sparse = Array(count)
      sparse[count >> 1] = 'one'
      const state = {
        map,
        sparse,
        list: Array.from({ length: count }, () => undefined),
        none: undefined,
        nil: null,
      }
      const texts: string[] = []
      const writer = createStateWriter(keeping(texts), systemClock, () => state)
      writer.save()
      await writer.end()
      assert.deepEqual(texts, [JSON.stringify(state)], `${count} entries`)
    }
  })

  it('is made of maps that are converted a few entries at a time, without those of no value', () => {
    for (const count of [0, 1, 256, 257, 5000]) {
      const entries = Array.from({ length: count }, (_, at) => [`52A10000/${at}`, at] as const)
      let converted = 0
      const convert = (at: number) => {
        converted++
        return at % 3 === 0 ? undefined : { taken: at }
      }
      const state = { version: 1, cursors: new LazyMap(entries, convert), round: ['52A10000/1'] }
      const steps = jsonInSteps(state)
      let step = steps.next()
      for (let before = 0; !step.done; step = steps.next()) {
        assert.ok(converted - before <= 256, `${converted - before} in one step`)
        before = converted
      }
      assert.equal(converted, count)
      assert.equal(step.value, JSON.stringify(state), `${count} entries`)
    }
  })

  it('is tried again after a minute where the state, its text or the store throws', async () => {
    const circular: Record<string, unknown> = {}
    circular.self = { circular }
    const bad: [string, () => unknown][] = [
      [
        'state',
        () => {
          throw new Error('state')
        },
      ],
      ['text', () => ({ first: ofDevices(600, () => 1), circular })],
      ['bigint', () => ({ first: ofDevices(600, () => 1), last: 1n })],
    ]
    for (const [name, make] of bad) {
      const clock = createVirtualClock()
      let isBad = true
      const texts: string[] = []
      const errors: string[] = []
      const store = { ...keeping(texts), onWriteError: (error: Error) => void errors.push(error.message) }
      const writer = createStateWriter(store, clock, () => (isBad ? make() : 'good'))
      writer.save()
      await clock.pass(1000)
      assert.deepEqual([texts, errors.length], [[], 1], name)
      isBad = false
      await clock.pass(60_000)
      assert.deepEqual(texts, ['"good"'], name)
      await writer.end()
      assert.equal(clock.pending(), 0, name)
    }
    const clock = createVirtualClock()
    const texts: string[] = []
    let isIll = true
    const store: StateStore = {
      ...keeping(texts),
      save(text) {
        if (isIll) throw new Error('synchronously')
        texts.push(text)
        return Promise.resolve()
      },
    }
    const writer = createStateWriter(store, clock, () => 1)
    writer.save()
    await clock.pass(1000)
    isIll = false
    await clock.pass(60_000)
    assert.deepEqual(texts, ['1'])
  })

  it('is not written once the node has ended, and the latest one is where there is time', async () => {
    const clock = createVirtualClock()
    const store = createMemoryStore(clock)
    let value = 'before'
    const writer = createStateWriter(store, clock, () => ({ marks: ofDevices(50_000, () => value) }))
    writer.save()
    assert.equal(store.writes(), 0, 'the first text is being made')
    value = 'after'
    writer.save()
    await writer.end()
    const { marks } = store.contents() as { marks: Record<string, string> }
    assert.equal(store.writes(), 2)
    assert.ok(Object.values(marks).every((one) => one === 'after'))

    const removed = createStateWriter(store, clock, () => ({ marks: ofDevices(50_000, () => value) }))
    removed.save()
    const ended = removed.end()
    clock.advance(5000)
    await ended
    const before = store.writes()
    for (let turn = 0; turn < 500; turn++) await new Promise((resolve) => setImmediate(resolve))
    assert.equal(store.writes(), before)
  })
})
