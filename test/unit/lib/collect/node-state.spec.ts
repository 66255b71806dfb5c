import assert from 'node:assert/strict'
import type { Backfill } from '../../../../src/lib/collect/backfill'
import { createNodeState } from '../../../../src/lib/collect/node-state'
import { createVirtualClock } from '../../../support/clock'
import { createRecordingStore, nextTurn } from '../../../support/collect/recording-store'

const [FIRST, SECOND] = ['5839F001/5212A1B2', '5839F002/5212A1B2']
const at = (sequence: number) => ({ seen: [`${sequence}`], sequence })
const target = (key: string) => {
  const [base = '', serial = ''] = key.split('/')
  return { base, serial }
}

/** The state of a node in a new process, loaded from the store. */
async function begin(store = createRecordingStore()) {
  const clock = createVirtualClock(0)
  const nodeState = createNodeState(clock)
  nodeState.open(store)
  await nodeState.ready()
  const deliver = (device: string, sequence: number) => {
    nodeState.dispatch(device, { kind: 'trigger' })
    nodeState.dispatch(device, { kind: 'delivered', next: at(sequence) })
  }
  return { clock, nodeState, store, deliver, cursor: (device: string) => nodeState.delivery(device).cursor }
}

describe('the state of a node', () => {
  it('is empty at first, and empty stores are valid', async () => {
    const { nodeState, cursor } = await begin()
    assert.deepEqual([cursor(FIRST), nodeState.lastSent(FIRST)], [null, undefined])
  })

  it('is restored from a store in the next process: cursors, last sent values, and the polling order', async () => {
    const { nodeState, store, deliver } = await begin()
    deliver(FIRST, 5)
    deliver(SECOND, 6)
    nodeState.setLastSent([[FIRST, 'mark']])
    nodeState.pollingOrder.markPolled(target(SECOND))
    nodeState.pollingOrder.markPolled(target(FIRST))
    nodeState.save()
    await nextTurn()
    const next = await begin(store)
    assert.deepEqual([next.cursor(FIRST), next.cursor(SECOND)], [at(5), at(6)])
    assert.equal(next.nodeState.lastSent(FIRST), 'mark')
    const order = next.nodeState.pollingOrder.leastRecentlyPolledFirst([
      target(FIRST),
      target(SECOND),
      target('x/y'),
    ])
    assert.deepEqual(order, [target('x/y'), target(SECOND), target(FIRST)])
  })

  it('has one key for its receipts, also after restarts, and another one in each store', async () => {
    const { nodeState, store, deliver } = await begin()
    deliver(FIRST, 5)
    await nextTurn()
    assert.equal((await begin(store)).nodeState.receiptKey(), nodeState.receiptKey())
    assert.notEqual((await begin()).nodeState.receiptKey(), nodeState.receiptKey())
    assert.ok(nodeState.receiptKey().length >= 43, 'of 32 bytes')
  })

  it('is saved by every step that changes a cursor, and by no other', async () => {
    const { nodeState, store, deliver, clock } = await begin()
    const writes = () => store.writes.length
    deliver(FIRST, 5)
    await clock.pass(1000)
    assert.equal(writes(), 1)
    nodeState.dispatch(FIRST, { kind: 'trigger' })
    nodeState.dispatch(FIRST, {
      kind: 'receipt-issued',
      next: at(9),
      overdueAt: 0,
      retained: null,
    })
    nodeState.dispatch(FIRST, { kind: 'receipt-overdue' })
    nodeState.setLastSent([])
    await clock.pass(1000)
    assert.equal(writes(), 1, 'what is open is in memory only')
    nodeState.dispatch(FIRST, { kind: 'receipt-received', cursor: at(9) })
    await clock.pass(1000)
    assert.equal(writes(), 2)
  })

  it('is not saved by a poll that finds nothing new, but once a day', async () => {
    const clock = createVirtualClock(0)
    const store = createRecordingStore()
    const nodeState = createNodeState(clock)
    nodeState.open(store)
    await nodeState.ready()
    const poll = async (next: { seen: string[]; sequence: number }) => {
      nodeState.setDevices([target(FIRST)])
      nodeState.dispatch(FIRST, { kind: 'trigger' })
      nodeState.dispatch(FIRST, { kind: 'nothing-new', next })
      await clock.pass(1000)
    }
    await poll({ seen: ['a'], sequence: 1 })
    assert.equal(store.writes.length, 1, 'the first answer makes the cursor')
    for (let sequence = 2; sequence < 50; sequence++) await poll({ seen: ['a'], sequence })
    assert.equal(store.writes.length, 1)
    assert.equal(nodeState.delivery(FIRST).cursor?.sequence, 49, 'older receipts are void')
    await poll({ seen: [], sequence: 50 })
    assert.equal(store.writes.length, 2, 'the cursor moves also where nothing is sent')
    clock.advance(86_400_000)
    await poll({ seen: [], sequence: 51 })
    assert.equal(store.writes.length, 3, 'that the node is still about the device')
    await poll({ seen: [], sequence: 52 })
    assert.equal(store.writes.length, 3)
  })

  it('survives a deploy, also if the store contains older state, or is another one', async () => {
    const { nodeState, store, deliver, cursor, clock } = await begin()
    deliver(FIRST, 5)
    await clock.pass(1000)
    nodeState.dispatch(SECOND, { kind: 'trigger' })
    const other = createRecordingStore({
      version: 1,
      cursors: { [FIRST]: { seen: ['1'], taken: 1 } },
      marks: {},
      round: [],
    })
    await nodeState.close(store)
    nodeState.open(other)
    await nodeState.ready()
    assert.deepEqual([cursor(FIRST), nodeState.delivery(SECOND).phase.name], [at(5), 'idle'])
    deliver(SECOND, 7)
    await clock.pass(1000)
    assert.deepEqual([store.writes.length, other.writes.length], [1, 2])
    assert.deepEqual((await begin(other)).cursor(FIRST), at(5))
  })

  it('keeps changes that occur while the store is read', async () => {
    const { store, deliver } = await begin()
    deliver(FIRST, 5)
    deliver(SECOND, 5)
    await nextTurn()
    const nodeState = createNodeState(createVirtualClock(0))
    nodeState.open(store)
    nodeState.dispatch(FIRST, { kind: 'receipt-received', cursor: at(9) })
    nodeState.setLastSent([[FIRST, 'new']])
    nodeState.pollingOrder.markPolled(target(FIRST))
    await nodeState.ready()
    assert.deepEqual(nodeState.delivery(FIRST).cursor, at(9))
    assert.deepEqual(nodeState.delivery(SECOND).cursor, at(5))
    assert.equal(nodeState.lastSent(FIRST), 'new')
  })
})

/** A backfill with this number of received records. */
const holeOf = (count: number): Backfill => {
  const records = Array.from({ length: count }, () => ({}))
  return { received: { series: { records: [] } }, paging: { parts: [{ records }] } } as unknown as Backfill
}

describe('fetched pages', () => {
  const fetch = async (shapes: readonly string[]) => {
    const nodeState = createNodeState(createVirtualClock(0))
    const store = createRecordingStore()
    nodeState.open(store, { settingsKey: 'old' })
    await nodeState.ready()
    nodeState.dispatch(FIRST, { kind: 'trigger' })
    nodeState.dispatch(FIRST, { kind: 'backfill-needed', backfill: holeOf(1) })
    for (const shape of shapes) {
      await nodeState.close(store)
      nodeState.open(store, { settingsKey: shape })
    }
    return nodeState.delivery(FIRST).phase.name
  }

  it('survive a deploy with the same settings, and are dropped if they changed', async () => {
    assert.equal(await fetch(['old', 'old']), 'backfilling')
    assert.equal(await fetch(['new', 'old']), 'idle')
  })
})

describe('data that is retained in memory', () => {
  it('is up to 100,000 records of all nodes of a process, or those of one device', () => {
    const holding = { count: 0 }
    const [one, other] = [
      createNodeState(createVirtualClock(0), holding),
      createNodeState(createVirtualClock(0), holding),
    ]
    const fill = (count: number) => {
      one.dispatch(FIRST, { kind: 'trigger' })
      one.dispatch(FIRST, { kind: 'backfill-needed', backfill: holeOf(count) })
    }
    assert.equal(other.canRetain(SECOND, 500_000), true)
    fill(60_000)
    assert.deepEqual([other.canRetain(SECOND, 40_000), other.canRetain(SECOND, 40_001)], [true, false])
    assert.equal(one.canRetain(FIRST), true)
    one.forget('all')
    assert.equal(holding.count, 0)
  })

  it('is dropped after 30 days if the node no longer selects the device', async () => {
    const clock = createVirtualClock(0)
    const store = createRecordingStore()
    const nodeState = createNodeState(clock)
    nodeState.open(store)
    await nodeState.ready()
    const both = [target(FIRST), target('a/b')]
    for (const device of [FIRST, 'a/b']) {
      nodeState.dispatch(device, { kind: 'receipt-received', cursor: at(5) })
      nodeState.setLastSent([[device, 'mark']])
    }
    for (const one of both) nodeState.pollingOrder.markPolled(one)
    nodeState.setDevices(both)
    for (let day = 0; day < 29; day++) {
      clock.advance(86_400_000)
      nodeState.setDevices([target(FIRST)])
    }
    assert.deepEqual(nodeState.delivery('a/b').cursor, at(5))
    clock.advance(86_400_000)
    nodeState.setDevices([target(FIRST)])
    nodeState.save()
    await nextTurn()
    assert.deepEqual([nodeState.delivery('a/b').cursor, nodeState.lastSent('a/b')], [null, undefined])
    const held = store.latest() as Record<string, object>
    for (const key of ['cursors', 'marks', 'selected'])
      assert.deepEqual(Object.keys(held[key] ?? {}), [FIRST], key)
    assert.deepEqual(held.round, [FIRST])
  })

  it('is kept while Node-RED is off, however long that is', async () => {
    const clock = createVirtualClock(0)
    const store = createRecordingStore()
    const first = createNodeState(clock)
    first.open(store)
    await first.ready()
    for (const device of [FIRST, 'a/b']) first.dispatch(device, { kind: 'receipt-received', cursor: at(5) })
    first.setDevices([target(FIRST), target('a/b')])
    first.save()
    await first.close(store)
    clock.advance(100 * 86_400_000)
    const next = createNodeState(clock)
    next.open(store)
    await next.ready()
    next.setDevices([target(FIRST)])
    assert.deepEqual(next.delivery('a/b').cursor, at(5))
  })

  it('is not kept longer because of restarts', async () => {
    const day = 86_400_000
    const store = createRecordingStore({
      version: 1,
      cursors: { [FIRST]: { seen: ['5'], taken: 5 } },
      forgotten: {},
      marks: {},
      round: [],
    })
    let now = 0
    for (let restart = 0; restart < 31; restart++) {
      const clock = createVirtualClock(0)
      clock.advance(now)
      const nodeState = createNodeState(clock)
      nodeState.open(store)
      await nodeState.ready()
      assert.equal(nodeState.delivery(FIRST).cursor === null, restart > 29, `${restart}`)
      nodeState.setDevices([])
      clock.advance(day)
      nodeState.setDevices([])
      nodeState.save()
      await nextTurn()
      now += day
    }
    assert.deepEqual((store.latest() as { cursors: object }).cursors, {})
  })

  it('moves with a device to another base unit, if it has left the previous one', async () => {
    const { nodeState, deliver, cursor } = await begin()
    deliver(FIRST, 5)
    nodeState.setLastSent([[FIRST, 'mark']])
    nodeState.setDevices([target(SECOND)], () => false)
    assert.deepEqual([cursor(FIRST), cursor(SECOND)], [at(5), null], 'two may have one serial')
    nodeState.setDevices([target(SECOND)], ({ base }) => base === '5839F001')
    assert.deepEqual([cursor(FIRST), cursor(SECOND)], [null, at(5)])
    assert.deepEqual([nodeState.lastSent(FIRST), nodeState.lastSent(SECOND)], [undefined, 'mark'])
  })

  it('is not shared with a node of another type with the same id', async () => {
    const records = { held: '.1', hashes: ['x'], since: null, from: null, sequence: 5 }
    const store = createRecordingStore()
    const { nodeState, cursor } = await begin(store)
    nodeState.dispatch(FIRST, { kind: 'receipt-received', cursor: records })
    await nodeState.close(store)
    nodeState.open(store, { cursorKind: 'alerts' })
    assert.equal(cursor(FIRST), null)
    nodeState.dispatch(FIRST, { kind: 'receipt-received', cursor: at(6) })
    await nextTurn()
    const next = createNodeState(createVirtualClock(0))
    next.open(store, { cursorKind: 'records' })
    await next.ready()
    assert.equal(next.delivery(FIRST).cursor, null)
  })

  it('is bounded, however many devices answers contain or messages forget', () => {
    const nodeState = createNodeState(createVirtualClock(0))
    let first = 0
    for (let index = 0; index < 12_000; index++)
      if (nodeState.isFirstReport({ serial: `${index}` }, 'unreadable')) first++
    assert.equal(first, 10_000)
    assert.equal(nodeState.isFirstReport({ serial: '5' }, 'unreadable'), false)
    nodeState.forget(Array.from({ length: 12_000 }, (_, index) => `${index}`))
    const isVoid = (serial: number) => nodeState.delivery(`x/${serial}`).receiptsVoidUpTo > 0
    assert.deepEqual([isVoid(1999), isVoid(2000)], [false, true])
  })
})

describe('forgetting', () => {
  it('clears the named devices under every base unit, or all, and is saved', async () => {
    const { nodeState, store, deliver, cursor, clock } = await begin()
    for (const device of [FIRST, SECOND, 'a/b']) deliver(device, 5)
    nodeState.setLastSent([
      [FIRST, 'mark'],
      ['a/b', 'mark'],
    ])
    nodeState.forget(['5212A1B2'])
    assert.deepEqual([cursor(FIRST), cursor(SECOND), cursor('a/b')], [null, null, at(5)])
    assert.deepEqual([nodeState.lastSent(FIRST), nodeState.lastSent('a/b')], [undefined, 'mark'])
    await clock.pass(1000)
    assert.equal((await begin(store)).cursor(FIRST), null)
    nodeState.forget('all')
    await clock.pass(1000)
    assert.equal((await begin(store)).cursor('a/b'), null)
    assert.equal(nodeState.lastSent('a/b'), undefined)
  })

  it('takes a serial as a whole', async () => {
    const { nodeState, deliver, cursor } = await begin()
    deliver(FIRST, 5)
    nodeState.forget(['12A1B2', '5839F001'])
    assert.deepEqual(cursor(FIRST), at(5))
  })
})
