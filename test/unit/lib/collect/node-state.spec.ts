import assert from 'node:assert/strict'
import type { Backfill } from '../../../../src/lib/collect/backfill'
import { NodeState } from '../../../../src/lib/collect/node-state'
import type { SavedState } from '../../../../src/lib/collect/saved-state'
import { Registry } from '../../../../src/lib/registry'
import { createVirtualClock } from '../../../support/clock'
import { createRecordingStore, nextTurn } from '../../../support/collect/recording-store'

const [FIRST, SECOND] = ['5839F001/5212A1B2', '5839F002/5212A1B2']
const at = (sequence: number) => ({ seen: [`${sequence}`], sequence })
const target = (key: string) => {
  const [base = '', serial = ''] = key.split('/')
  return { base, serial }
}

/** The state of a node in a new process, loaded from the store. */
async function begin(store = createRecordingStore(), clock = createVirtualClock(0)) {
  const nodeState = new NodeState(clock)
  nodeState.open(store)
  await nodeState.ready()
  const deliver = (device: string, sequence: number) => nodeState.device(device).advance(at(sequence))
  return { clock, nodeState, store, deliver, cursor: (device: string) => nodeState.device(device).cursor }
}

describe('the state of a node', () => {
  it('is restored from a store in the next process: cursors, last sent values, and the polling order', async () => {
    const { nodeState, store, deliver } = await begin()
    deliver(FIRST, 5)
    deliver(SECOND, 6)
    nodeState.device(FIRST).lastSent = 'mark'
    nodeState.markPolled(target(SECOND))
    nodeState.markPolled(target(FIRST))
    nodeState.save()
    await nextTurn()
    const next = await begin(store)
    assert.deepEqual([next.cursor(FIRST), next.cursor(SECOND)], [at(5), at(6)])
    assert.equal(next.nodeState.device(FIRST).lastSent, 'mark')
    const order = next.nodeState.leastRecentlyPolledFirst([target(FIRST), target(SECOND), target('x/y')])
    assert.deepEqual(order, [target('x/y'), target(SECOND), target(FIRST)])
  })

  it('has one key for its receipts, even after restarts, and a different one in each store', async () => {
    const { nodeState, store, deliver } = await begin()
    deliver(FIRST, 5)
    await nextTurn()
    assert.equal((await begin(store)).nodeState.receiptKey, nodeState.receiptKey)
    assert.notEqual((await begin()).nodeState.receiptKey, nodeState.receiptKey)
    assert.ok(nodeState.receiptKey.length >= 43, '32 bytes')
  })

  it('is not saved by a poll that finds nothing new', async () => {
    const { clock, store, nodeState } = await begin()
    const poll = async (next: { seen: string[]; sequence: number }) => {
      nodeState.setDevices([target(FIRST)])
      nodeState.device(FIRST).advance(next)
      await clock.pass(1000)
    }
    await poll({ seen: ['a'], sequence: 1 })
    assert.equal(store.writes.length, 1, 'the first response creates the cursor')
    for (let sequence = 2; sequence < 50; sequence++) await poll({ seen: ['a'], sequence })
    assert.equal(store.writes.length, 1)
    assert.equal(nodeState.device(FIRST).cursor?.sequence, 49, 'older receipts are void')
    await poll({ seen: [], sequence: 50 })
    assert.equal(store.writes.length, 2, 'the cursor moves even if nothing is sent')
  })

  it('survives a deploy, even if the store contains older state, or is another store', async () => {
    const { nodeState, store, deliver, cursor, clock } = await begin()
    deliver(FIRST, 5)
    await clock.pass(1000)
    const isOver = nodeState.device(SECOND).beginPoll()
    const other = createRecordingStore({
      version: 1,
      receiptKey: 'key',
      devices: { [FIRST]: { cursor: at(1) } },
    })
    await nodeState.close(store)
    nodeState.open(other)
    await nodeState.ready()
    assert.deepEqual([cursor(FIRST), isOver()], [at(5), true])
    deliver(SECOND, 7)
    await clock.pass(2000)
    assert.deepEqual([store.writes.length, other.writes.length], [2, 2])
    assert.deepEqual((await begin(other)).cursor(FIRST), at(5))
  })

  it('keeps changes that occur while the store is being read', async () => {
    const { store, deliver } = await begin()
    deliver(FIRST, 5)
    deliver(SECOND, 5)
    await nextTurn()
    const nodeState = new NodeState(createVirtualClock(0))
    nodeState.open(store)
    nodeState.device(FIRST).acknowledge(at(9))
    nodeState.device(FIRST).lastSent = 'new'
    nodeState.markPolled(target(FIRST))
    await nodeState.ready()
    assert.deepEqual(nodeState.device(FIRST).cursor, at(9))
    assert.deepEqual(nodeState.device(SECOND).cursor, at(5))
    assert.equal(nodeState.device(FIRST).lastSent, 'new')
  })
})

/** A backfill with this number of received records. */
const holeOf = (count: number): Backfill => {
  const records = Array.from({ length: count }, () => ({}))
  return { received: { series: { records: [] } }, paging: { parts: [{ records }] } } as unknown as Backfill
}

describe('fetched pages', () => {
  const fetch = async (shapes: readonly string[]) => {
    const nodeState = new NodeState(createVirtualClock(0))
    const store = createRecordingStore()
    nodeState.open(store, { settingsKey: 'old' })
    await nodeState.ready()
    nodeState.device(FIRST).backfill.current = holeOf(1)
    for (const shape of shapes) {
      await nodeState.close(store)
      nodeState.open(store, { settingsKey: shape })
    }
    return nodeState.device(FIRST).backfill.current !== null
  }

  it('survive a deploy with the same settings, and are discarded if the settings have changed', async () => {
    assert.equal(await fetch(['old', 'old']), true)
    assert.equal(await fetch(['new', 'old']), false)
  })
})

describe('data retained in memory', () => {
  it('is up to 100,000 records of all nodes of a process, or those of one device', () => {
    const clock = createVirtualClock(0)
    const registry = new Registry(clock)
    const [one, other] = ['a', 'b'].map((id) => registry.getOrCreateNodeState(id)) as [NodeState, NodeState]
    const canRetain = (count: number) => other.canRetain(other.device(SECOND), count)
    assert.equal(canRetain(500_000), true)
    one.device(FIRST).backfill.current = holeOf(60_000)
    assert.deepEqual([canRetain(40_000), canRetain(40_001)], [true, false])
    assert.equal(one.canRetain(one.device(FIRST)), true)
    one.forget('all')
    assert.equal(canRetain(500_000), true)
  })

  it('is discarded after 30 days if the node no longer selects the device', async () => {
    const { clock, store, nodeState } = await begin()
    const both = [target(FIRST), target('a/b')]
    for (const device of [FIRST, 'a/b']) {
      nodeState.device(device).acknowledge(at(5))
      nodeState.device(device).lastSent = 'mark'
    }
    for (const one of both) nodeState.markPolled(one)
    nodeState.setDevices(both)
    // Jumps of the clock do not count.
    clock.jump(60 * 86_400_000)
    for (let day = 0; day < 29; day++) {
      clock.advance(86_400_000)
      nodeState.setDevices([target(FIRST)])
    }
    assert.deepEqual(nodeState.device('a/b').cursor, at(5))
    clock.advance(86_400_000)
    nodeState.setDevices([target(FIRST)])
    nodeState.save()
    await nextTurn()
    assert.deepEqual([nodeState.device('a/b').cursor, nodeState.device('a/b').lastSent], [null, undefined])
    assert.deepEqual(Object.keys((store.latest() as SavedState).devices), [FIRST])
  })

  it('is not kept longer because of restarts, but while Node-RED is off', async () => {
    const day = 86_400_000
    const clock = createVirtualClock(0)
    const store = createRecordingStore({
      version: 1,
      receiptKey: 'key',
      devices: { [FIRST]: { cursor: at(5) } },
    })
    for (let restart = 0; restart < 31; restart++) {
      const { nodeState } = await begin(store, clock)
      assert.equal(nodeState.device(FIRST).cursor === null, restart > 29, `${restart}`)
      nodeState.setDevices([])
      clock.advance(day)
      nodeState.setDevices([])
      await nodeState.close(store)
      clock.advance(100 * day)
    }
  })

  it('moves with a device to another base unit if it has left the previous one', async () => {
    const { nodeState, deliver, cursor } = await begin()
    deliver(FIRST, 5)
    nodeState.device(FIRST).lastSent = 'mark'
    nodeState.setDevices([target(SECOND)], () => false)
    assert.deepEqual([cursor(FIRST), cursor(SECOND)], [at(5), null], 'two may have the same serial')
    nodeState.device(FIRST).refuse(0)
    nodeState.setDevices([target(SECOND)], ({ base }) => base === '5839F001')
    assert.equal(nodeState.device(SECOND).isPaused(0), false, 'the refusal was for the previous base unit')
    nodeState.acknowledge(FIRST, at(9))
    assert.deepEqual(cursor(SECOND), at(5), 'a late receipt has no effect')
    deliver(SECOND, 20)
    nodeState.setDevices([target(FIRST)], ({ base }) => base === '5839F002')
    assert.deepEqual(cursor(FIRST), at(20), 'not even if the device moves back')
    nodeState.setDevices([target(SECOND)], ({ base }) => base === '5839F001')
    assert.deepEqual(
      [nodeState.device(FIRST).lastSent, nodeState.device(SECOND).lastSent],
      [undefined, 'mark'],
    )
  })

  it('is not shared with a node of another type with the same id', async () => {
    const records = { held: '', hashes: ['x'], since: null, from: null, sequence: 5 }
    const store = createRecordingStore()
    const { nodeState, cursor } = await begin(store)
    nodeState.device(FIRST).acknowledge(records)
    await nodeState.close(store)
    nodeState.open(store, { cursorKind: 'alerts' })
    assert.equal(cursor(FIRST), null)
    nodeState.device(FIRST).acknowledge(at(6))
    await nextTurn()
    const next = new NodeState(createVirtualClock(0))
    next.open(store, { cursorKind: 'records' })
    await next.ready()
    assert.equal(next.device(FIRST).cursor, null)
  })

  it('is bounded, regardless of how many devices responses contain', () => {
    const nodeState = new NodeState(createVirtualClock(0))
    let first = 0
    for (let index = 0; index < 12_000; index++)
      if (nodeState.isFirstReport({ serial: `${index}` }, 'unreadable')) first++
    assert.equal(first, 10_000)
    assert.equal(nodeState.isFirstReport({ serial: '5' }, 'unreadable'), false)
  })
})

describe('forgetting', () => {
  it('clears the named devices under every base unit, or all devices, and is saved', async () => {
    const { nodeState, store, deliver, cursor, clock } = await begin()
    for (const device of [FIRST, SECOND, 'a/b']) deliver(device, 5)
    for (const device of [FIRST, 'a/b']) nodeState.device(device).lastSent = 'mark'
    nodeState.forget(['5212A1B2'])
    assert.deepEqual([cursor(FIRST), cursor(SECOND), cursor('a/b')], [null, null, at(5)])
    assert.deepEqual(
      [nodeState.device(FIRST).lastSent, nodeState.device('a/b').lastSent],
      [undefined, 'mark'],
    )
    await clock.pass(1000)
    assert.equal((await begin(store)).cursor(FIRST), null)
    nodeState.forget('all')
    await clock.pass(1000)
    assert.equal((await begin(store)).cursor('a/b'), null)
    assert.equal(nodeState.device('a/b').lastSent, undefined)
  })

  it('is not undone after a restart by a receipt from before the device moved to another base unit', async () => {
    const { nodeState, store, deliver, clock } = await begin()
    deliver(FIRST, 5)
    const move = (state: NodeState) => state.setDevices([target(SECOND)], ({ base }) => base === '5839F001')
    move(nodeState)
    nodeState.forget('all')
    await clock.pass(5000)
    await nodeState.close(store)
    const next = await begin(store)
    next.nodeState.acknowledge(FIRST, at(9))
    move(next.nodeState)
    assert.equal(next.cursor(SECOND), null)
  })
})
