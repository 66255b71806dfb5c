import assert from 'node:assert/strict'
import type { RetainedDelivery } from '../../../../src/lib/collect/awaited-delivery'
import { NodeState } from '../../../../src/lib/collect/node-state'
import type { SavedState } from '../../../../src/lib/collect/saved-state'
import { Registry } from '../../../../src/lib/registry'
import { createVirtualClock } from '../../../support/clock'
import { createRecordingStore } from '../../../support/collect/recording-store'

const [FIRST, SECOND] = ['5839F001/5212A1B2', '5839F002/5212A1B2']
const at = (content: number) => ({ seen: [`${content}`] })
/** Changes are written after this time. */
const WRITE_MS = 30_000
const target = (key: string) => {
  const [base = '', serial = ''] = key.split('/')
  return { base, serial }
}

/** The state of a node in a new process, loaded from the store. */
async function begin(store = createRecordingStore(), clock = createVirtualClock(0)) {
  const nodeState = new NodeState(clock)
  nodeState.open(store)
  await nodeState.ready()
  const deliver = (device: string, content: number) => nodeState.devices.get(device).advance(at(content))
  return {
    clock,
    nodeState,
    store,
    deliver,
    cursor: (device: string) => nodeState.devices.get(device).cursor,
  }
}

describe('the state of a node', () => {
  it('is restored from a store in the next process: cursors, last sent values, polling order and next round', async () => {
    const { nodeState, store, deliver } = await begin()
    deliver(FIRST, 5)
    deliver(SECOND, 6)
    nodeState.devices.get(FIRST).rememberReading('mark')
    nodeState.devices.markPolled(target(SECOND))
    nodeState.devices.markPolled(target(FIRST))
    nodeState.planRound({ at: 7, settings: 'mine' })
    await nodeState.close(store)
    assert.equal((await begin(store)).nodeState.takeNextRound('others'), undefined)
    const next = await begin(store)
    assert.equal(next.nodeState.takeNextRound('mine'), 7)
    assert.deepEqual([next.cursor(FIRST), next.cursor(SECOND)], [at(5), at(6)])
    assert.ok(next.nodeState.devices.get(FIRST).isLastReading('mark'))
    const order = next.nodeState.devices.leastRecentlyPolledFirst([
      target(FIRST),
      target(SECOND),
      target('x/y'),
    ])
    assert.deepEqual(order, [target('x/y'), target(SECOND), target(FIRST)])
  })

  it('survives a deploy, even if the store contains older state, or is another store', async () => {
    const { nodeState, store, deliver, cursor, clock } = await begin()
    deliver(FIRST, 5)
    await clock.pass(WRITE_MS)
    const isOver = nodeState.devices.get(SECOND).beginPoll()
    const other = createRecordingStore({ version: 1, devices: { [FIRST]: { cursor: at(1) } } })
    await nodeState.close(store)
    nodeState.open(other)
    await nodeState.ready()
    assert.deepEqual([cursor(FIRST), isOver()], [at(5), true])
    deliver(SECOND, 7)
    await clock.pass(WRITE_MS)
    assert.deepEqual([store.writes.length, other.writes.length], [2, 1])
    assert.deepEqual((await begin(other)).cursor(FIRST), at(5))
  })

  it('keeps changes that occur while the store is being read', async () => {
    const cursor = at(5)
    const store = createRecordingStore({ version: 1, devices: { [FIRST]: { cursor }, [SECOND]: { cursor } } })
    const nodeState = new NodeState(createVirtualClock(0))
    nodeState.open(store)
    nodeState.devices.get(FIRST).advance(at(9))
    nodeState.devices.get(FIRST).rememberReading('new')
    nodeState.devices.markPolled(target(FIRST))
    await nodeState.ready()
    assert.deepEqual(nodeState.devices.get(FIRST).cursor, at(9))
    assert.deepEqual(nodeState.devices.get(SECOND).cursor, at(5))
    assert.ok(nodeState.devices.get(FIRST).isLastReading('new'))
  })
})

/** Sends this number of alerts, and retains them until their receipt. */
function sendAndRetain(nodeState: NodeState, count: number): void {
  const content = { kind: 'alerts', alerts: Array.from({ length: count }) }
  nodeState.devices.get(FIRST).issue(at(1), at(0), { content } as unknown as RetainedDelivery, 0)
}

describe('data retained in memory', () => {
  it('survives a deploy with the same settings, and is discarded if the settings have changed', async () => {
    const nodeState = new NodeState(createVirtualClock(0))
    const deploy = (settingsKey: string) =>
      nodeState.open(createRecordingStore(), { settingsKey, receiptTimeoutMs: 1000 })
    deploy('old')
    sendAndRetain(nodeState, 1)
    const counts = ['old', 'new', 'old'].map((settingsKey) => {
      deploy(settingsKey)
      return nodeState.devices.retainedCount
    })
    assert.deepEqual(counts, [1, 0, 0])
  })

  it('is up to 100,000 records of all nodes of a process, or those of one device', () => {
    const clock = createVirtualClock(0)
    const registry = new Registry(clock)
    const [one, other] = ['a', 'b'].map((id) => registry.getOrCreateNodeState(id)) as [NodeState, NodeState]
    const canRetain = (count: number) => other.canRetain(other.devices.get(SECOND), count)
    assert.equal(canRetain(500_000), true)
    sendAndRetain(one, 60_000)
    assert.deepEqual([canRetain(40_000), canRetain(40_001)], [true, false])
    assert.equal(one.canRetain(one.devices.get(FIRST), 500_000), true)
    one.forget('all')
    assert.equal(canRetain(500_000), true)
  })

  it('is discarded after 30 days if the node no longer selects the device', async () => {
    const { clock, store, nodeState } = await begin()
    const both = [target(FIRST), target('a/b')]
    for (const device of [FIRST, 'a/b']) {
      nodeState.devices.get(device).advance(at(5))
      nodeState.devices.get(device).rememberReading('mark')
    }
    for (const one of both) nodeState.devices.markPolled(one)
    nodeState.devices.select(both)
    // Jumps of the clock do not count.
    clock.jump(60 * 86_400_000)
    for (let day = 0; day < 29; day++) {
      clock.advance(86_400_000)
      nodeState.devices.select([target(FIRST)])
    }
    assert.deepEqual(nodeState.devices.get('a/b').cursor, at(5))
    clock.advance(86_400_000)
    nodeState.devices.select([target(FIRST)])
    await nodeState.close(store)
    assert.deepEqual(
      [nodeState.devices.get('a/b').cursor, nodeState.devices.get('a/b').isLastReading('mark')],
      [null, false],
    )
    assert.deepEqual(Object.keys((store.latest() as SavedState).devices), [FIRST])
  })

  it('is not kept longer because of restarts, but while Node-RED is off', async () => {
    const day = 86_400_000
    const clock = createVirtualClock(0)
    const store = createRecordingStore({ version: 1, devices: { [FIRST]: { cursor: at(5) } } })
    for (let restart = 0; restart < 31; restart++) {
      const { nodeState } = await begin(store, clock)
      assert.equal(nodeState.devices.get(FIRST).cursor === null, restart > 29, `${restart}`)
      nodeState.devices.select([])
      clock.advance(day)
      nodeState.devices.select([])
      await nodeState.close(store)
      clock.advance(100 * day)
    }
  })

  it('moves with a device to another base unit if it has left the previous one', async () => {
    const { nodeState, deliver, cursor } = await begin()
    deliver(FIRST, 5)
    nodeState.devices.get(FIRST).rememberReading('mark')
    nodeState.devices.select([target(SECOND)], () => false)
    assert.deepEqual([cursor(FIRST), cursor(SECOND)], [at(5), null], 'two may have the same serial')
    const issuedAt = nodeState.devices.get(FIRST).issue(at(9), at(5), null, 0)
    nodeState.devices.get(FIRST).refuse(0, false)
    nodeState.devices.select([target(SECOND)], ({ base }) => base === '5839F001')
    assert.equal(
      nodeState.devices.get(SECOND).refusal.left(0) > 0,
      false,
      'the refusal was for the previous base unit',
    )
    for (const device of [FIRST, SECOND]) nodeState.acknowledge(device, issuedAt)
    assert.deepEqual(cursor(SECOND), at(5), 'a late receipt has no effect')
    deliver(SECOND, 20)
    nodeState.devices.select([target(FIRST)], ({ base }) => base === '5839F002')
    assert.deepEqual(cursor(FIRST), at(20), 'not even if the device moves back')
    nodeState.devices.select([target(SECOND)], ({ base }) => base === '5839F001')
    assert.deepEqual(
      [
        nodeState.devices.get(FIRST).isLastReading('mark'),
        nodeState.devices.get(SECOND).isLastReading('mark'),
      ],
      [false, true],
    )
  })

  it('is not shared with a node of another type with the same id', async () => {
    const records = { held: '', hashes: [], since: null, from: null, at: 5 }
    const store = createRecordingStore()
    const { nodeState, cursor } = await begin(store)
    nodeState.devices.get(FIRST).advance(records)
    await nodeState.close(store)
    nodeState.open(store, { cursorKind: 'alerts' })
    assert.equal(cursor(FIRST), null)
    const issuedAt = nodeState.devices.get(FIRST).issue(at(6), at(5), null, 0)
    await nodeState.close(store)
    const next = new NodeState(createVirtualClock(0))
    next.open(store, { cursorKind: 'records' })
    await next.ready()
    next.acknowledge(FIRST, issuedAt)
    assert.equal(next.devices.get(FIRST).cursor, null)
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
    for (const device of [FIRST, 'a/b']) nodeState.devices.get(device).rememberReading('mark')
    nodeState.forget(['5212A1B2'])
    assert.deepEqual([cursor(FIRST), cursor(SECOND), cursor('a/b')], [null, null, at(5)])
    assert.deepEqual(
      [
        nodeState.devices.get(FIRST).isLastReading('mark'),
        nodeState.devices.get('a/b').isLastReading('mark'),
      ],
      [false, true],
    )
    await clock.pass(WRITE_MS)
    assert.equal((await begin(store)).cursor(FIRST), null)
    nodeState.forget('all')
    await clock.pass(WRITE_MS)
    assert.equal((await begin(store)).cursor('a/b'), null)
    assert.ok(!nodeState.devices.get('a/b').isLastReading('mark'))
  })

  it('ends the wait for a receipt, as a receipt and a skip do', async () => {
    const { nodeState } = await begin()
    let ends = 0
    const stop = nodeState.onReceipt(() => ends++)
    nodeState.forget('all')
    nodeState.skip('all')
    nodeState.acknowledge(FIRST, 1)
    stop()
    nodeState.forget('all')
    assert.equal(ends, 3)
  })
})
