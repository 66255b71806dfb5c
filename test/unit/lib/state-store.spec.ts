import assert from 'node:assert/strict'
import fc from 'fast-check'
import { systemClock } from '../../../src/lib/clock'
import { createStateWriter, loadOrEmpty, type StateStore } from '../../../src/lib/state-store'
import { createVirtualClock } from '../../support/clock'
import { observe } from '../../support/quota/manual-service'
import { createMemoryStore } from '../../support/quota/memory-store'

const silent: StateStore = { load: () => new Promise(() => {}), save: () => new Promise(() => {}) }

describe('loading from a store', () => {
  it('returns what was saved', async () => {
    const clock = createVirtualClock()
    const store = createMemoryStore(clock)
    await store.save('{"some":"state"}')
    assert.deepEqual(await loadOrEmpty(store, clock), { some: 'state' })
    assert.equal(clock.pending(), 0)
  })

  it('returns nothing if the store fails', async () => {
    const clock = createVirtualClock()
    assert.equal(await loadOrEmpty(createMemoryStore(clock, { fails: () => true }), clock), undefined)
    assert.equal(clock.pending(), 0)
  })

  it('returns nothing if the store does not answer within 5 s', async () => {
    const clock = createVirtualClock()
    const loaded = observe(loadOrEmpty(silent, clock))
    await clock.pass(4999)
    assert.equal(loaded.state, 'waiting')
    await clock.pass(1)
    assert.deepEqual(loaded, { state: 'done', value: undefined })
  })

  it('waits for a slow store', async () => {
    const clock = createVirtualClock()
    const store = createMemoryStore(clock, { delays: () => 4000 })
    const loaded = observe(store.save('"state"').then(() => loadOrEmpty(store, clock)))
    await clock.pass(8000)
    assert.deepEqual(loaded, { state: 'done', value: 'state' })
  })
})

describe('writing to a store', () => {
  function setup(fails = () => false) {
    const clock = createVirtualClock()
    const store = createMemoryStore(clock, { delays: () => 100, fails })
    let state = 0
    const writer = createStateWriter(store, clock, () => state)
    const change = (to: number) => {
      state = to
      writer.save()
    }
    async function written() {
      const observed = observe(writer.written())
      await clock.settle()
      return observed
    }
    return { clock, store, change, written, end: () => observe(writer.end()) }
  }

  it('writes at once', () => {
    const { store, change } = setup()
    change(1)
    assert.equal(store.writes(), 1)
  })

  it('writes one after the other, and of several changes only the latest', async () => {
    const { clock, store, change } = setup()
    for (const state of [1, 2, 3, 4]) change(state)
    assert.equal(store.writes(), 1)
    await clock.pass(100)
    assert.deepEqual([store.contents(), store.writes()], [1, 2])
    await clock.pass(100)
    assert.deepEqual([store.contents(), store.writes(), store.isBusy()], [4, 2, false])
  })

  it('tells when the latest change is written, or cannot be', async () => {
    let isIll = false
    const { clock, change, written, end } = setup(() => isIll)
    assert.deepEqual(await written(), { state: 'done', value: true })
    change(1)
    const first = await written()
    change(2)
    const second = await written()
    await clock.pass(100)
    assert.deepEqual([first.state, second.state], ['done', 'waiting'])
    await clock.pass(100)
    assert.deepEqual(second, { state: 'done', value: true })
    change(3)
    isIll = true
    change(4)
    const failing = await written()
    await clock.pass(100)
    assert.deepEqual(failing, { state: 'done', value: false })
    // A store that works again is waited for.
    isIll = false
    change(5)
    const again = await written()
    assert.equal(again.state, 'waiting')
    await clock.pass(100)
    assert.deepEqual(again, { state: 'done', value: true })
    end()
  })

  it('tells nobody to wait while writes take long to fail', async () => {
    const clock = createVirtualClock()
    const writer = createStateWriter(silent, clock, () => 1)
    writer.save()
    const first = observe(writer.written())
    await clock.pass(9999)
    assert.equal(first.state, 'waiting')
    await clock.pass(1)
    assert.deepEqual(first, { state: 'done', value: false })
    writer.save()
    const later = observe(writer.written())
    await clock.settle()
    assert.deepEqual(later, { state: 'done', value: false })
  })

  it('writes again once a write ends that was given up: it may have replaced a later one', async () => {
    const clock = createVirtualClock()
    let contents = 0
    let state = 1
    const lands: (() => void)[] = []
    const save = (text: string) => {
      const land = () => {
        contents = Number(text)
      }
      if (state > 1) return Promise.resolve(land())
      return new Promise<void>((resolve) => lands.push(() => resolve(land())))
    }
    const writer = createStateWriter({ ...silent, save }, clock, () => state)
    writer.save()
    await clock.pass(10_000)
    state = 2
    writer.save()
    await clock.settle()
    assert.equal(contents, 2)
    for (const land of lands) land()
    assert.equal(contents, 1)
    await clock.settle()
    assert.equal(contents, 2)
    assert.equal(clock.pending(), 0)
  })

  it('does not write for ever to a store whose writes all end too late', async () => {
    const clock = createVirtualClock()
    const store = createMemoryStore(clock, { delays: () => 11_000 })
    const writer = createStateWriter(store, clock, () => 'state')
    writer.save()
    writer.save()
    await clock.pass(60_000)
    assert.equal(store.writes(), 2)
    await clock.pass(540_000)
    assert.ok(store.writes() <= 11, `${store.writes()}`)
  })

  it('goes on where the report of a failure fails', async () => {
    const clock = createVirtualClock()
    let isIll = true
    const store = createMemoryStore(clock, { fails: () => isIll })
    const onWriteError = () => {
      throw new Error('the log is full')
    }
    const writer = createStateWriter({ ...store, onWriteError }, clock, () => 'state')
    writer.save()
    const written = observe(writer.written())
    await clock.settle()
    assert.deepEqual(written, { state: 'done', value: false })
    isIll = false
    writer.save()
    await clock.settle()
    assert.equal(store.contents(), 'state')
  })

  it('tells nobody to wait for a store that does not respond before the end', async () => {
    const clock = createVirtualClock()
    const writer = createStateWriter(silent, clock, () => 1)
    writer.save()
    writer.save()
    const written = observe(writer.written())
    const ended = observe(writer.end())
    await clock.pass(5000)
    assert.deepEqual([ended.state, written.state], ['done', 'done'])
  })

  it('pauses after a state that takes long to copy, and then writes the latest', async () => {
    const clock = createVirtualClock()
    const store = createMemoryStore(clock)
    let [state, copyMs] = [0, 5]
    const writer = createStateWriter(store, clock, () => {
      clock.block(copyMs)
      return state
    })
    const change = (to: number) => {
      state = to
      writer.save()
    }
    change(1)
    await clock.settle()
    change(2)
    change(3)
    await clock.pass(95)
    assert.deepEqual([store.writes(), await store.load()], [1, 1])
    await clock.pass(10)
    assert.deepEqual([store.writes(), await store.load()], [2, 3])
    // Never for longer than a second, and not where the node closes.
    copyMs = 1000
    await clock.pass(200)
    change(4)
    await clock.settle()
    change(5)
    await clock.pass(900)
    assert.equal(await store.load(), 4)
    await clock.pass(200)
    assert.equal(await store.load(), 5)
    change(6)
    await writer.end()
    assert.equal(await store.load(), 6)
    assert.equal(clock.pending(), 0)
  })

  it('writes any state as JSON does, however many entries its maps and lists have', async () => {
    const entries = fc.array(fc.tuple(fc.string(), fc.jsonValue()), { maxLength: 5 })
    const states = fc.record({
      lists: fc
        .tuple(fc.array(fc.jsonValue()), fc.nat(3))
        .map(([list, times]) => Array(200 * times).fill(list)),
      maps: fc
        .tuple(entries, fc.nat(600))
        .map(([some, count]) =>
          Object.fromEntries([...some, ...Array.from({ length: count }, (_, at) => [`key ${at}`, { at }])]),
        ),
      none: fc.constant(undefined),
      other: fc.jsonValue(),
    })
    await fc.assert(
      fc.asyncProperty(fc.oneof(states, fc.jsonValue()), async (state) => {
        let written = ''
        const save = async (text: string) => {
          written = text
        }
        const writer = createStateWriter({ ...silent, save }, systemClock, () => state)
        writer.save()
        await writer.end()
        assert.equal(written, JSON.stringify(state))
      }),
    )
  })

  it('makes a large state to text in several turns of the event loop, as it was at first', async () => {
    const state = {
      devices: Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`${at}`, 'before'])),
    }
    let turns = 0
    const counted = setInterval(() => turns++, 0)
    const written = await new Promise<string>((resolve) => {
      const save = async (text: string) => resolve(text)
      const writer = createStateWriter({ ...silent, save }, systemClock, () => structuredClone(state))
      writer.save()
      state.devices['49999'] = 'after'
    })
    clearInterval(counted)
    assert.ok(turns >= 2, `${turns} turns`)
    assert.equal(JSON.parse(written).devices['49999'], 'before')
  })

  it('continues after a failed write', async () => {
    let ill = true
    const { clock, store, change } = setup(() => ill)
    change(1)
    change(2)
    await clock.settle()
    ill = false
    change(3)
    await clock.pass(100)
    assert.equal(store.contents(), 3)
  })

  it('reports failing writes once until one succeeds, and retries each minute', async () => {
    const clock = createVirtualClock()
    let ill = true
    const store = createMemoryStore(clock, { fails: () => ill })
    const failures: string[] = []
    const onWriteError = (error: Error) => void failures.push(error.message)
    const writer = createStateWriter({ ...store, onWriteError }, clock, () => 'state')
    writer.save()
    await clock.pass(180_000)
    assert.deepEqual([failures, store.writes()], [['the store is ill'], 4])
    ill = false
    await clock.pass(60_000)
    assert.deepEqual([store.contents(), store.writes()], ['state', 5])
    await clock.pass(600_000)
    assert.equal(store.writes(), 5, 'it is written')
    ill = true
    writer.save()
    await clock.settle()
    assert.equal(failures.length, 2)
    await writer.end()
    assert.equal(clock.pending(), 0)
  })

  it('treats a write that never ends as failed', async () => {
    const clock = createVirtualClock()
    let writes = 0
    const failures: string[] = []
    const save = () => new Promise<void>(() => writes++)
    const writer = createStateWriter(
      { ...silent, save, onWriteError: ({ message }) => failures.push(message) },
      clock,
      () => 'state',
    )
    writer.save()
    await clock.pass(9999)
    assert.deepEqual([writes, failures.length], [1, 0])
    await clock.pass(1)
    writer.save()
    await clock.settle()
    assert.deepEqual([writes, failures.length], [2, 1])
  })

  it('writes nothing while nothing changes', async () => {
    const { clock, store, change } = setup()
    change(1)
    await clock.pass(60_000)
    assert.equal(store.writes(), 1)
  })

  it('ends when all is written, and writes nothing after that', async () => {
    const { clock, store, change, end } = setup()
    change(1)
    change(2)
    const ended = end()
    await clock.pass(199)
    assert.equal(ended.state, 'waiting')
    await clock.pass(1)
    assert.deepEqual([ended.state, store.contents(), store.writes(), clock.pending()], ['done', 2, 2, 0])
    change(3)
    await clock.pass(60_000)
    assert.equal(store.writes(), 2)
  })

  it('ends at once if nothing is being written', async () => {
    const { clock, end } = setup()
    const ended = end()
    await clock.settle()
    assert.deepEqual([ended.state, clock.pending()], ['done', 0])
  })

  it('ends after 5 s if the store does not answer', async () => {
    const clock = createVirtualClock()
    let writes = 0
    let wake = () => {}
    const slow: StateStore = {
      ...silent,
      save: () => {
        writes++
        return new Promise((resolve) => {
          wake = resolve
        })
      },
    }
    const writer = createStateWriter(slow, clock, () => 'state')
    writer.save()
    writer.save()
    const ended = observe(writer.end())
    await clock.pass(4999)
    assert.equal(ended.state, 'waiting')
    await clock.pass(1)
    assert.equal(ended.state, 'done')
    wake()
    await clock.pass(60_000)
    assert.equal(writes, 1)
  })
})
