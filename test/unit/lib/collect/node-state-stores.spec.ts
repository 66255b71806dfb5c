import assert from 'node:assert/strict'
import { NodeState } from '../../../../src/lib/collect/node-state'
import { createVirtualClock } from '../../../support/clock'
import { createRecordingStore, nextTurn } from '../../../support/collect/recording-store'
import { failure } from '../responses'

const DEVICE = '5839F001/5212A1B2'
const at = (sequence: number) => ({ seen: [`${sequence}`], sequence })
const inCursor = (cursor: unknown) => ({ cursor })
const savedWith = (devices: Record<string, unknown>) => ({ version: 1, receiptKey: 'key', devices })
const saved = (sequence: number) => savedWith({ [DEVICE]: { cursor: at(sequence) } })
/** The outcome of a promise, once it is settled. */
function outcome(waiting: Promise<void>): () => string | undefined {
  let end: string | undefined
  const set = (reason: string) => {
    end = reason
  }
  waiting.then(
    () => set('ready'),
    (error) => set(error.reason),
  )
  return () => end
}
const silence = <T>() => new Promise<T>(() => {})

function begin(store = createRecordingStore()) {
  const clock = createVirtualClock(0)
  const nodeState = new NodeState(clock)
  nodeState.open(store)
  nodeState.ready().catch(() => {})
  const deliver = (sequence: number) => nodeState.device(DEVICE).advance(at(sequence))
  return {
    clock,
    nodeState,
    deliver,
    cursor: () => nodeState.device(DEVICE).cursor,
  }
}

describe('a store', () => {
  it('that does not respond is awaited for five seconds, and read again; a late response is still used', async () => {
    let answer = (_: unknown) => {}
    const load = () => new Promise((resolve) => (answer = resolve))
    const { clock, nodeState, cursor } = begin({ ...createRecordingStore(), load })
    for (let times = 0; times < 2; times++) {
      const waiting = outcome(nodeState.ready())
      clock.advance(4999)
      await nextTurn()
      assert.equal(waiting(), undefined)
      clock.advance(1)
      await nextTurn()
      assert.equal(waiting(), 'store-unreadable')
    }
    const late = answer
    const waiting = outcome(nodeState.ready())
    late(saved(5))
    await nextTurn()
    assert.deepEqual([waiting(), cursor()], ['ready', at(5)])
  })

  it('that cannot be read is not treated as empty: nothing is ready or written until it can be read', async () => {
    let fails = true
    const good = createRecordingStore(saved(5))
    const load = () => (fails ? Promise.reject(new Error('not connected yet')) : good.load())
    const { nodeState, cursor, clock } = begin({ ...good, load })
    for (let times = 0; times < 3; times++) {
      await assert.rejects(nodeState.ready(), failure('store-unreadable'))
      nodeState.device(DEVICE).lastSent = 'mark'
      await nextTurn()
    }
    assert.deepEqual(good.writes, [])
    fails = false
    await nodeState.ready()
    assert.deepEqual(cursor(), at(5))
    nodeState.save()
    await clock.pass(1000)
    assert.deepEqual(good.latest(), savedWith({ [DEVICE]: { cursor: at(5), lastSent: 'mark' } }))
  })

  const records = { held: '', hashes: ['x'], since: null, from: null, sequence: 5 }
  const newer = { ...saved(5), version: 2 }
  const unreadable = [
    newer,
    { ...saved(5), version: 'x' },
    { receiptKey: 'key', devices: {} },
    { version: 1, devices: {} },
    'half of it: {"version":1,"dev',
    [],
    7,
    { ...saved(5), devices: [] },
    ...[
      [],
      { lastSent: 1 },
      { voidUpTo: null },
      { pageFailures: { ms: 5 } },
      ...[7, {}, { sequence: 'x', seen: [] }, { sequence: 5, seen: [7] }, { sequence: 5 }].map(inCursor),
      ...[{ hashes: null }, { held: 'x' }, { since: 'x' }].map((part) => inCursor({ ...records, ...part })),
    ].map((device) => savedWith({ [DEVICE]: { cursor: at(5) }, other: device })),
  ]
  for (const held of unreadable) {
    it(`that contains ${JSON.stringify(held)} is not treated as empty: nothing is ready, and it is not overwritten`, async () => {
      const store = createRecordingStore(held)
      const { nodeState } = begin(store)
      const reason = held === newer ? 'store-newer' : 'store-unreadable'
      await assert.rejects(nodeState.ready(), failure(reason))
      nodeState.save()
      nodeState.forget('all')
      await nextTurn()
      await nodeState.close(store)
      assert.deepEqual(store.writes, [])
    })
  }

  it("that is being read by a node that closes late does not close the node's successor", async () => {
    const old = { ...createRecordingStore(), load: () => silence<unknown>() }
    const { nodeState, cursor } = begin(old)
    const present = createRecordingStore(saved(5))
    nodeState.open(present)
    await nodeState.close(old)
    await nodeState.ready()
    nodeState.device(DEVICE).advance(at(6))
    await nextTurn()
    assert.deepEqual([cursor(), present.latest()], [at(6), saved(6)])
  })

  it('remembers after a restart what was forgotten: an old receipt does not restore it', async () => {
    const store = createRecordingStore()
    const before = begin(store)
    await nextTurn()
    before.deliver(5)
    before.nodeState.forget('all')
    await nextTurn()
    const { nodeState, cursor, clock } = begin(store)
    await nextTurn()
    nodeState.device(DEVICE).acknowledge(at(5))
    assert.equal(cursor(), null)
    const later = at(clock.now() + 1)
    nodeState.device(DEVICE).acknowledge(later)
    assert.deepEqual(cursor(), later)
  })

  it('need not know a device for its receipts to be void', async () => {
    for (const serials of ['all', ['5212A1B2']] as const) {
      const { nodeState, cursor, clock } = begin()
      await nextTurn()
      nodeState.forget(serials)
      nodeState.device(DEVICE).acknowledge(at(clock.now()))
      assert.equal(cursor(), null)
      nodeState.device(DEVICE).acknowledge(at(clock.now() + 1))
      assert.deepEqual(cursor(), at(clock.now() + 1))
    }
  })

  it('that is being read when the node closes is not ready', async () => {
    let answer = (_: unknown) => {}
    const store = { ...createRecordingStore(), load: () => new Promise((resolve) => (answer = resolve)) }
    const { nodeState } = begin(store)
    const waiting = outcome(nodeState.ready())
    await nodeState.close(store)
    answer(saved(5))
    await nextTurn()
    assert.equal(waiting(), 'closed')
    await assert.rejects(nodeState.ready(), failure('closed'))
  })
})
