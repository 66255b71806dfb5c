import assert from 'node:assert/strict'
import { EnvlogError } from '../../../src/lib/errors'
import type { QuotaWait } from '../../../src/lib/quota/types'
import { createVirtualClock } from '../../support/clock'
import { headersWith, refusal } from '../../support/quota/manual-service'
import { createMemorySharedStore } from '../../support/quota/memory-shared-store'
import { keys, member, processOf } from '../../support/quota/quota'

const HELD = 121_000
const DATA = 61_000

/** Two processes on one account; each has asked once, a window ago. */
async function two() {
  const clock = createVirtualClock()
  const sharedStore = createMemorySharedStore(clock)
  const open = () => processOf(clock, { openSharedStore: () => sharedStore.open() })
  const [a, b] = [open(), open()]
  await clock.settle()
  for (const { ask, desk } of [a, b]) {
    for (const endpoint of ['current', 'data'] as const) {
      ask(`first ${endpoint}`, { endpoint })
      await clock.settle()
      desk.sent.at(-1)?.answer()
    }
  }
  await clock.pass(2 * HELD)
  a.desk.sent.length = 0
  b.desk.sent.length = 0
  return { a, b, clock, sharedStore }
}

describe('two processes that share an account', () => {
  it('never have more under way together than the limit', async () => {
    const { a, b, clock } = await two()
    for (const key of keys('r', 8)) for (const { ask } of [a, b]) ask(key)
    await clock.settle()
    assert.equal(a.desk.sent.length + b.desk.sent.length, 10)
  })

  it('use the whole limit, whoever needs it', async () => {
    const { a, clock } = await two()
    for (const key of keys('r', 12)) a.ask(key)
    await clock.settle()
    assert.equal(a.desk.sent.length, 10)
  })

  it('wait for what the other has spent, and go on as soon as it is released', async () => {
    const { a, b, clock } = await two()
    for (const key of keys('r', 10)) a.ask(key)
    await clock.settle()
    for (const one of a.desk.sent) one.answer()
    await clock.pass(1000)
    b.ask('waits')
    await clock.pass(HELD - 1001)
    assert.equal(b.desk.sent.length, 0)
    await clock.pass(50)
    assert.deepEqual(b.desk.keys(), ['waits'])
  })

  it('tell at once who cannot wait for what the other has spent', async () => {
    const { a, b, clock } = await two()
    for (const key of keys('r', 10)) a.ask(key)
    await clock.settle()
    for (const one of a.desk.sent) one.answer()
    await clock.settle()
    const asked = b.ask('hurried', {}, { maxWaitMs: 5000 })
    await clock.settle()
    assert.deepEqual([asked.error?.reason, b.quota.counts().waiting], ['quota-wait', 0])
  })

  it('stop both where one is refused', async () => {
    const { a, b, clock } = await two()
    a.ask('refused')
    await clock.settle()
    a.desk.sent[0]?.answer(refusal(429))
    await clock.settle()
    b.ask('waits')
    await clock.pass(HELD - 1000)
    assert.equal(b.desk.sent.length, 0)
    await clock.pass(2000)
    assert.equal(b.desk.sent.length, 1)
  })

  it('leave what others spent to the ledger, which knows what both did', async () => {
    const { a, b, clock, sharedStore } = await two()
    for (const { ask } of [a, b]) ask('one')
    await clock.settle()
    a.desk.sent[0]?.answer({ headers: headersWith({ limit: 10, windowSeconds: 120, remaining: 5 }) })
    await clock.settle()
    assert.equal(a.quota.counts().endpoints.current.foreign, 0)
    assert.equal(sharedStore.used('current'), 5)
  })

  it('share a device’s records, and ask for as many as the other left', async () => {
    const { a, b, clock } = await two()
    const records = { endpoint: 'data' as const, device: 'one', wanted: 100_000 }
    a.ask('a', records)
    b.ask('b', records)
    await clock.settle()
    assert.deepEqual([a.desk.sent[0]?.number, b.desk.sent[0]?.number], [100_000, 60_000])
  })

  it('have all of a device’s records again, however few the other had left', async () => {
    const { a, b, clock } = await two()
    const records = { endpoint: 'data' as const, device: 'one', wanted: 100_000 }
    a.ask('a', records)
    b.ask('b', records)
    await clock.settle()
    for (const { desk } of [a, b]) desk.sent[0]?.answer({ records: 0 })
    await clock.settle()
    b.ask('all', { ...records, wanted: 160_000 })
    await clock.settle()
    assert.equal(b.desk.sent[1]?.number, 160_000)
  })

  it('hold up one device alone whose records the other used up', async () => {
    const { a, b, clock } = await two()
    const records = (device: string, wanted: number) => ({ endpoint: 'data' as const, device, wanted })
    a.ask('all', records('one', 160_000))
    await clock.settle()
    a.desk.sent[0]?.answer({ records: 160_000 })
    await clock.settle()
    b.ask('used up', records('one', 5000))
    b.ask('other', records('other', 5000))
    await clock.pass(10 * DATA)
    assert.deepEqual(b.desk.keys(), ['other'])
    await clock.pass(3_601_000)
    assert.deepEqual(b.desk.keys(), ['other', 'used up'])
  })

  it('ask at once for as many of a device’s records as a refusal says are left', async () => {
    const { a, b, clock } = await two()
    const records = { endpoint: 'data' as const, device: 'one' }
    a.ask('refused', records)
    await clock.settle()
    a.desk.sent[0]?.answer(
      refusal(429, { limit: 20, windowSeconds: 60, remaining: 15, recordsRemaining: 5000 }),
    )
    await clock.pass(1000)
    assert.deepEqual(
      a.desk.sent.map(({ number }) => number),
      [16_000, 5000],
    )
    a.desk.sent[1]?.answer({ records: 2000 })
    await clock.settle()
    b.ask('other', records)
    await clock.settle()
    assert.equal(b.desk.sent[0]?.number, 3000)
  })

  it('write down what the header says where an answer breaks off', async () => {
    const { a, clock, sharedStore } = await two()
    const broken = new EnvlogError('reply-not-json')
    for (const [recordsRemaining, spent] of [
      [159_990, 10],
      [null, 16_010],
    ] as const) {
      a.ask(`${spent}`, { endpoint: 'data', device: 'one' })
      await clock.settle()
      a.desk.sent.at(-1)?.answer({ records: null, headers: headersWith({ recordsRemaining }), error: broken })
      await clock.settle()
      assert.equal(sharedStore.used('data one'), spent)
    }
  })

  it('go soon after the other has given back what it only reserved', async () => {
    const { a, b, clock } = await two()
    const records = { endpoint: 'data' as const, device: 'one', wanted: 80_000, minimum: 80_000 }
    for (const key of keys('r', 2)) a.ask(key, records)
    await clock.settle()
    const asked = [b.ask('waits', records), b.ask('hurried', records, { maxWaitMs: 5000 })]
    await clock.pass(6000)
    assert.deepEqual(
      asked.map(({ state }) => state),
      ['waiting', 'failed'],
    )
    for (const sent of a.desk.sent) sent.answer({ records: 500 })
    await clock.pass(15_000)
    assert.deepEqual(b.desk.keys(), ['waits'])
  })

  it('go soon after the other has given back places that it only took', async () => {
    const { a, b, clock } = await two()
    for (const key of keys('r', 10)) a.ask(key)
    await clock.settle()
    b.ask('waits')
    await clock.pass(5000)
    assert.equal(b.desk.sent.length, 0)
    for (const sent of a.desk.sent) sent.answer({ headers: null, isUnsent: true })
    await clock.pass(15_000)
    assert.deepEqual(b.desk.keys(), ['waits'])
  })

  it('ask for what the other has reserved less and less often', async () => {
    const { a, b, clock, sharedStore } = await two()
    const records = { endpoint: 'data' as const, device: 'one', wanted: 160_000, minimum: 160_000 }
    a.ask('slow', records)
    await clock.settle()
    sharedStore.calls.length = 0
    b.ask('waits', records)
    await clock.pass(300_000)
    const { length } = sharedStore.calls.filter((call) => call === 'reserve')
    assert.ok(length > 20 && length < 30, `${length} claims in five minutes`)
  })

  it('tell until when the other has spent a device’s records', async () => {
    const { a, b, clock } = await two()
    const records = { endpoint: 'data' as const, device: 'one', wanted: 160_000 }
    a.ask('all', records)
    await clock.settle()
    a.desk.sent[0]?.answer({ records: 160_000 })
    await clock.settle()
    const told: QuotaWait[] = []
    b.ask('waits', records, { onWait: (wait: QuotaWait) => void told.push(wait) })
    const hurried = b.ask('hurried', records, { maxWaitMs: 60_000 })
    await clock.settle()
    const { until, records: ofDevice } = told.at(-1) as QuotaWait
    assert.deepEqual([Math.round((until ?? 0) - clock.now()), ofDevice], [3_601_000, true])
    assert.equal(hurried.error?.reason, 'records-wait')
  })

  it('show what the other has spent, and when a place comes free', async () => {
    const { a, b, clock } = await two()
    for (const key of keys('r', 9)) a.ask(key)
    await clock.settle()
    for (const one of a.desk.sent) one.answer()
    await clock.pass(1000)
    const counts = () => {
      const { own, foreign, left, freeAt } = b.quota.counts().endpoints.current
      return [own, foreign, left, freeAt && Math.round(freeAt - clock.now())]
    }
    b.ask('last')
    await clock.settle()
    assert.deepEqual(counts(), [1, 9, 0, HELD])
    b.ask('waits')
    await clock.settle()
    assert.deepEqual(counts(), [1, 9, 0, HELD - 1000])
    b.desk.sent[0]?.answer()
    await clock.pass(2 * HELD)
    b.desk.sent[1]?.answer()
    await clock.pass(2 * HELD)
    assert.deepEqual(counts(), [0, 0, 10, null])
  })

  it('give back what was not sent, in the shared store as well', async () => {
    const { a, clock, sharedStore } = await two()
    a.ask('one')
    await clock.settle()
    assert.equal(sharedStore.used('current'), 1)
    a.desk.sent[0]?.answer({ headers: null, isUnsent: true })
    await clock.settle()
    assert.equal(sharedStore.used('current'), 0)
  })

  it('send nothing that was given up while the shared store was asked', async () => {
    const { a, clock, sharedStore } = await two()
    sharedStore.slow(() => 500)
    const abort = new AbortController()
    a.ask('given up', {}, { signal: abort.signal })
    await clock.pass(100)
    abort.abort()
    await clock.pass(2000)
    assert.deepEqual([a.desk.sent.length, sharedStore.used('current'), a.quota.counts().running], [0, 0, 0])
  })

  it('say whether the shared store is there', async () => {
    const { a, clock, sharedStore } = await two()
    assert.equal(a.quota.counts().ledgerHere, true)
    sharedStore.setState('disconnected')
    a.ask('one')
    await clock.settle()
    assert.equal(a.quota.counts().ledgerHere, false)
    assert.equal(processOf(clock).quota.counts().ledgerHere, null)
  })

  it('close it when the last node that shares is gone', async () => {
    const { a, clock, sharedStore } = await two()
    const other = a.quota.join(member())
    a.leave()
    await clock.settle()
    assert.deepEqual([sharedStore.closed(), a.quota.counts().ledgerHere], [1, null])
    other()
  })

  it('settle what is on its way before they close it, though another is opened meanwhile', async () => {
    const { a, clock, sharedStore } = await two()
    const asked = a.ask('on its way')
    await clock.settle()
    a.leave()
    const leave = a.quota.join(member())
    await clock.settle()
    assert.deepEqual([sharedStore.closed(), sharedStore.inFlight('current')], [0, 1])
    a.desk.sent.at(-1)?.answer()
    await clock.settle()
    assert.equal(asked.state, 'done')
    assert.deepEqual([sharedStore.closed(), sharedStore.inFlight('current')], [1, 0])
    assert.equal(sharedStore.used('current'), 1)
    leave()
  })
})
