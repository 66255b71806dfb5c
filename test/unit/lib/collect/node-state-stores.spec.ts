import assert from 'node:assert/strict'
import { NodeState } from '../../../../src/lib/collect/node-state'
import type { EnvlogError } from '../../../../src/lib/errors'
import { createVirtualClock } from '../../../support/clock'
import { createRecordingStore, nextTurn } from '../../../support/collect/recording-store'
import { failure } from '../responses'

const DEVICE = '5839F001/5212A1B2'
const at = (content: number) => ({ seen: [`${content}`] })
/** Changes are written after this time. */
const WRITE_MS = 30_000
/** Longest first read. */
const READ_MS = 60_000
const inCursor = (cursor: unknown) => ({ cursor })
const savedWith = (devices: Record<string, unknown>) => ({ version: 1, devices })
const saved = (content: number) => savedWith({ [DEVICE]: { cursor: at(content) } })
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
  return { clock, nodeState, cursor: () => nodeState.devices.get(DEVICE).cursor }
}

describe('a store', () => {
  it('that takes long to read delays the first trigger, for up to a minute; a late response is still used', async () => {
    let answer = (_: unknown) => {}
    const load = () => new Promise((resolve) => (answer = resolve))
    const { clock, nodeState, cursor } = begin({ ...createRecordingStore(), load })
    for (let times = 0; times < 2; times++) {
      const waiting = outcome(nodeState.ready())
      await clock.pass(READ_MS - 1)
      assert.equal(waiting(), undefined)
      await clock.pass(1)
      assert.equal(waiting(), 'store-unreadable')
    }
    const late = answer
    const waiting = outcome(nodeState.ready())
    await clock.pass(READ_MS - 1)
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
      nodeState.devices.get(DEVICE).rememberReading('mark')
      await nextTurn()
    }
    assert.deepEqual(good.writes, [])
    fails = false
    await nodeState.ready()
    assert.deepEqual(cursor(), at(5))
    nodeState.save()
    await clock.pass(WRITE_MS)
    assert.deepEqual(good.latest(), savedWith({ [DEVICE]: { cursor: at(5), lastSent: 'mark' } }))
  })

  it("that cannot be read fails with its place and the system's reason", async () => {
    const refusal = Object.assign(new Error('EACCES: permission denied, open …'), { code: 'EACCES' })
    for (const [error, detail] of [
      [refusal, 'EACCES'],
      [new Error('not connected yet'), 'not connected yet'],
    ] as const) {
      const { nodeState } = begin({
        ...createRecordingStore(),
        place: '/a/file',
        load: () => Promise.reject(error),
      })
      await assert.rejects(nodeState.ready(), ({ reason, params }: EnvlogError) => {
        assert.deepEqual([reason, params], ['store-unreadable', { place: '/a/file', detail }])
        return true
      })
    }
  })

  it('that has been read is not read again by further triggers', async () => {
    let reads = 0
    const load = async () => void reads++
    const { nodeState } = begin({ ...createRecordingStore(), load })
    await nodeState.ready()
    const first = reads
    for (let trigger = 0; trigger < 3; trigger++) await nodeState.ready()
    assert.equal(reads, first)
  })

  it('that is empty is reported as missing, once for each process', async () => {
    let reports = 0
    const store = { ...createRecordingStore(), onMissing: () => void reports++ }
    const nodeState = new NodeState(createVirtualClock(0))
    nodeState.open(store, { cursorKind: 'alerts', sendsOnlyNew: true })
    await nodeState.ready()
    await nodeState.close(store)
    nodeState.open(store, { cursorKind: 'alerts', sendsOnlyNew: true })
    await nodeState.ready()
    assert.equal(reports, 1)
  })

  const records = { held: '', hashes: [], since: null, from: null, at: 5 }
  const hole = { held: '', hashes: [], from: 1, to: 2, begin: null }
  const newer = { ...saved(5), version: 2 }
  const unreadable = [
    newer,
    { ...saved(5), version: 'x' },
    { devices: {} },
    { version: 1 },
    'half of it: {"version":1,"dev',
    [],
    7,
    { ...saved(5), devices: [] },
    ...[
      [],
      { lastSent: 1 },
      { refusedUntil: null },
      { unacknowledged: { cursor: at(5) } },
      { unacknowledged: { sequence: 5, cursor: {} } },
      ...[7, {}, { seen: [7] }].map(inCursor),
      ...[{ hashes: null }, { held: 'x' }, { since: 'x' }, { at: 'x' }, { unreported: [7] }].map((part) =>
        inCursor({ ...records, ...part }),
      ),
      ...[{ to: 'x' }, { held: 'x' }, { begin: {} }].map((part) =>
        inCursor({ ...records, holes: [{ ...hole, ...part }] }),
      ),
    ].map((device) => savedWith({ [DEVICE]: { cursor: at(5) }, other: device })),
  ]
  for (const held of unreadable) {
    it(`that contains ${JSON.stringify(held)} is not treated as empty: nothing is ready, and it is not overwritten`, async () => {
      const store = createRecordingStore(held)
      const { nodeState } = begin(store)
      await assert.rejects(nodeState.ready(), ({ reason, params }: EnvlogError) => {
        const expected = held === newer ? 'store-newer' : 'store-damaged'
        assert.deepEqual([reason, params], [expected, { place: store.place }])
        return true
      })
      nodeState.save()
      nodeState.forget('all')
      await nextTurn()
      await nodeState.close(store)
      assert.deepEqual(store.writes, [])
    })
  }

  it("that is being read by a node that closes late does not close the node's successor", async () => {
    const old = { ...createRecordingStore(), load: () => silence<unknown>() }
    const { clock, nodeState, cursor } = begin(old)
    const present = createRecordingStore(saved(5))
    nodeState.open(present)
    await nodeState.close(old)
    await nodeState.ready()
    nodeState.devices.get(DEVICE).advance(at(6))
    await clock.pass(WRITE_MS)
    assert.deepEqual([cursor(), present.latest()], [at(6), saved(6)])
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
