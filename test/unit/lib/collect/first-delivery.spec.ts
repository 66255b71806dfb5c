import assert from 'node:assert/strict'
import type { Account } from '../../../../src/lib/account'
import type { PolledData } from '../../../../src/lib/collect/fetch'
import { NodeState } from '../../../../src/lib/collect/node-state'
import { pollRecords } from '../../../../src/lib/collect/poll'
import { readEnvelope } from '../../../../src/lib/decode/envelopes'
import type { EndpointName } from '../../../../src/lib/endpoints'
import type { StateStore } from '../../../../src/lib/state-writer'
import { createVirtualClock, type VirtualClock } from '../../../support/clock'
import { nextTurn } from '../../../support/collect/recording-store'
import { createMemoryStore, type MemoryStore } from '../../../support/memory-store'
import { graph, patient } from '../responses'

const WRITE_MS = 500
const device = (serial: string) => ({ serial, base: serial })
const [FREEZER, FRIDGE] = [device('5212A1B2'), device('5212A1B3')]
const KEY = `${FREEZER.base}/${FREEZER.serial}`
const RECORDS = [1, 2].map((id) => ({ unixtime: 1_795_161_600 + id * 60, 'data-id': id, ch1: id }))

/** A node that waits for receipts, in a new process. */
async function begin(
  clock: VirtualClock,
  store: StateStore,
  { start = 'all', timeoutMs = 60_000 }: { start?: 'all' | 'now'; timeoutMs?: number } = {},
) {
  const nodeState = new NodeState(clock)
  nodeState.open(store, { receiptTimeoutMs: timeoutMs })
  await nodeState.ready()
  const delivered: PolledData[] = []
  const deliver = async (data: PolledData) => void delivered.push(data)
  let records = RECORDS
  const read = async (endpoint: EndpointName, params: Record<string, unknown>) => ({
    endpoint,
    receivedAt: clock.now(),
    quota: {},
    body: readEnvelope(endpoint, JSON.stringify(graph({ serial: params['remote-serial'], data: records }))),
  })
  const account = { monotonic: () => clock.monotonic(), client: { read } } as unknown as Account
  const run = { account, nodeState, nodeId: 'node', time: 'utc', deliver } as const
  const poll = (target: typeof FREEZER, signal = new AbortController().signal) =>
    pollRecords(run, target, { backfill: true, start }, { ...patient, signal })
  const measure = () => {
    const { unixtime, 'data-id': id } = records.at(-1) as (typeof RECORDS)[0]
    records = [...records, { unixtime: unixtime + 60, 'data-id': id + 1, ch1: id + 1 }]
  }
  return { nodeState, delivered, poll, measure }
}

/** A record is measured, and sent by the next poll after the store has been written for the first time. */
async function sendsOnceWritten(
  { delivered, poll, measure }: Awaited<ReturnType<typeof begin>>,
  clock: VirtualClock,
  store: MemoryStore,
): Promise<void> {
  measure()
  const polled = poll(FREEZER)
  await nextTurn()
  assert.deepEqual([delivered.length, store.contents()], [0, undefined])
  await clock.pass(WRITE_MS)
  await polled
  assert.equal(delivered.length, 1)
}

describe('the first records of a device whose receipt is awaited', () => {
  it('are sent once the store knows the device: after a crash, the node continues with them', async () => {
    const clock = createVirtualClock(0, 1_795_162_000_000)
    const store = { ...createMemoryStore(clock, { delays: () => WRITE_MS }), load: async () => undefined }
    const { delivered, poll } = await begin(clock, store)
    const polls: Promise<void>[] = []
    for (const [index, device] of [FREEZER, FRIDGE].entries()) {
      const { serial } = device
      polls.push(poll(device))
      await nextTurn()
      assert.equal(delivered.length, index)
      await clock.pass(WRITE_MS)
      await nextTurn()
      assert.equal(delivered.length, index + 1)
      const afterCrash = await begin(clock, { load: async () => store.contents(), save: async () => {} })
      assert.notEqual(afterCrash.nodeState.device(`${serial}/${serial}`).cursor, null)
    }
    await Promise.all(polls)
  })

  it('are sent without the store if it fails or does not respond, after a wait for the first device only', async () => {
    for (const save of [() => Promise.reject(new Error('full')), () => new Promise<void>(() => {})]) {
      const clock = createVirtualClock(0, 1_795_162_000_000)
      const { delivered, poll } = await begin(clock, { load: async () => undefined, save })
      const first = poll(FREEZER)
      await nextTurn()
      await clock.pass(10_000)
      await first
      await poll(FRIDGE)
      assert.equal(delivered.length, 2)
    }
  })

  it('are sent once the store knows the device, even if a first response had no new records', async () => {
    const clock = createVirtualClock(0, 1_795_162_000_000)
    const store = { ...createMemoryStore(clock, { delays: () => WRITE_MS }), load: async () => undefined }
    const node = await begin(clock, store, { start: 'now' })
    await node.poll(FREEZER)
    await sendsOnceWritten(node, clock, store)
  })

  it('are sent once the store knows the device, even after a deploy in between', async () => {
    const clock = createVirtualClock(0, 1_795_162_000_000)
    let delay = 6000
    const store = { ...createMemoryStore(clock, { delays: () => delay }), load: async () => undefined }
    const { nodeState, delivered, poll } = await begin(clock, store)
    nodeState.save()
    const closing = new AbortController()
    const first = poll(FREEZER, closing.signal).catch(() => 'closed')
    await nextTurn()
    closing.abort()
    assert.equal(await first, 'closed')
    const closed = nodeState.close(store)
    await clock.pass(5000)
    await closed
    delay = WRITE_MS
    nodeState.open(store, { receiptTimeoutMs: 60_000 })
    const second = poll(FREEZER)
    await nextTurn()
    assert.equal(delivered.length, 0)
    await clock.pass(WRITE_MS)
    await second
    assert.equal(delivered.length, 1)
  })

  it('are awaited from the time they are sent, regardless of how long the store takes', async () => {
    const clock = createVirtualClock(0, 1_795_162_000_000)
    const store = { ...createMemoryStore(clock, { delays: () => 8000 }), load: async () => undefined }
    const { nodeState, poll } = await begin(clock, store, { timeoutMs: 5000 })
    const polled = poll(FREEZER)
    await nextTurn()
    await clock.pass(8000)
    await polled
    assert.equal(nodeState.device(KEY).isAwaitingReceipt(clock.monotonic()), true)
  })

  it('are not sent by a node that has closed in the meantime, or whose devices were forgotten', async () => {
    const clock = createVirtualClock(0, 1_795_162_000_000)
    const store = { ...createMemoryStore(clock, { delays: () => WRITE_MS }), load: async () => undefined }
    const { delivered, poll, nodeState } = await begin(clock, store)
    const closing = new AbortController()
    const polls = [poll(FREEZER, closing.signal).catch(() => 'closed'), poll(FRIDGE)]
    await nextTurn()
    closing.abort()
    nodeState.forget([FRIDGE.serial])
    assert.equal(await polls[0], 'closed', 'does not wait for the store')
    await clock.pass(10 * WRITE_MS)
    assert.deepEqual([await Promise.all(polls), delivered], [['closed', undefined], []])
    assert.ok(nodeState.device(KEY).overdue)
    // The next trigger sends both.
    const again = [poll(FREEZER), poll(FRIDGE)]
    await nextTurn()
    await clock.pass(10 * WRITE_MS)
    await Promise.all(again)
    assert.equal(delivered.length, 2)
  })
})
