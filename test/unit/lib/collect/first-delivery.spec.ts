import assert from 'node:assert/strict'
import { NodeState } from '../../../../src/lib/collect/node-state'
import type { StateStore } from '../../../../src/lib/stored-state'
import { createVirtualClock } from '../../../support/clock'
import { createPolledDevice } from '../../../support/collect/polled-device'
import { nextTurn } from '../../../support/collect/recording-store'
import { createMemoryStore } from '../../../support/memory-store'
import { graph } from '../responses'

const WRITE_MS = 500
const device = (serial: string) => ({ serial, base: serial })
const [FREEZER, FRIDGE] = [device('5212A1B2'), device('5212A1B3')]
const KEY = `${FREEZER.base}/${FREEZER.serial}`

interface Given {
  /** How long the store takes, ms. */
  delays?: () => number
  save?: StateStore['save']
  start?: 'all' | 'now'
  receiptTimeoutMs?: number
}

/** A node that waits for receipts, in a new process, with devices that have two records each. */
async function begin({
  delays = () => WRITE_MS,
  save,
  start = 'all',
  receiptTimeoutMs = 60_000,
}: Given = {}) {
  const clock = createVirtualClock(0, 1_795_162_000_000)
  const memory = createMemoryStore(clock, { delays })
  const store = { ...memory, load: async () => undefined, ...(save && { save }) }
  const records = [1, 2]
  const node = await createPolledDevice(
    (_, { 'remote-serial': serial }) =>
      graph({
        serial,
        data: records.map((id) => ({ unixtime: 1_795_161_600 + id * 60, 'data-id': id, ch1: id })),
      }),
    { start },
    { clock, store, receiptTimeoutMs },
  )
  const poll = (target: typeof FREEZER, signal?: AbortSignal) => node.poll('records', target, signal)
  return { ...node, poll, store, records }
}

describe('the first records of a device whose receipt is awaited', () => {
  it('are sent once the store knows the device: after a crash, the node continues with them', async () => {
    const { delivered, poll, clock, store } = await begin()
    const polls: Promise<unknown>[] = []
    for (const [index, target] of [FREEZER, FRIDGE].entries()) {
      polls.push(poll(target))
      await nextTurn()
      assert.equal(delivered.length, index)
      await clock.pass(WRITE_MS)
      await nextTurn()
      assert.equal(delivered.length, index + 1)
      const afterCrash = new NodeState(clock)
      afterCrash.open({ ...store, load: async () => store.contents(), save: async () => {} })
      await afterCrash.ready()
      assert.notEqual(afterCrash.devices.get(`${target.base}/${target.serial}`).cursor, null)
    }
    await Promise.all(polls)
  })

  it('are sent without the store if it fails or does not respond, after a wait for the first device only', async () => {
    for (const save of [() => Promise.reject(new Error('full')), () => new Promise<void>(() => {})]) {
      const { delivered, poll, clock } = await begin({ save })
      const first = poll(FREEZER)
      await nextTurn()
      await clock.pass(10_000)
      await first
      await poll(FRIDGE)
      assert.equal(delivered.length, 2)
    }
  })

  it('are not lost in a crash if a first response had nothing to send: the store knows the device at once', async () => {
    const { delivered, poll, clock, store, records } = await begin({ start: 'now' })
    const first = poll(FREEZER)
    await nextTurn()
    await clock.pass(WRITE_MS)
    await first
    assert.ok(store.contents())
    records.push(3)
    await poll(FREEZER)
    assert.equal(delivered.length, 1)
  })

  it('are sent once the store knows the device, even after a deploy in between', async () => {
    let delay = 6000
    const { nodeState, delivered, poll, clock, store } = await begin({ delays: () => delay })
    nodeState.save()
    const closing = new AbortController()
    const first = poll(FREEZER, closing.signal)
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
    const { nodeState, poll, clock } = await begin({ delays: () => 8000, receiptTimeoutMs: 5000 })
    const polled = poll(FREEZER)
    await nextTurn()
    await clock.pass(8000)
    await polled
    assert.equal(nodeState.devices.get(KEY).receiptWait(clock.monotonic()), 5000)
  })

  it('are not sent by a node that has closed in the meantime, or whose devices were forgotten', async () => {
    const { delivered, poll, nodeState, clock } = await begin()
    const closing = new AbortController()
    const polls = [poll(FREEZER, closing.signal), poll(FRIDGE)]
    await nextTurn()
    closing.abort()
    nodeState.forget([FRIDGE.serial])
    assert.equal(await polls[0], 'closed', 'does not wait for the store')
    await clock.pass(10 * WRITE_MS)
    assert.deepEqual([await Promise.all(polls), delivered], [['closed', undefined], []])
    assert.ok(nodeState.devices.get(KEY).overdue)
    // The next trigger sends both.
    const again = [poll(FREEZER), poll(FRIDGE)]
    await nextTurn()
    await clock.pass(10 * WRITE_MS)
    await Promise.all(again)
    assert.equal(delivered.length, 2)
  })
})
