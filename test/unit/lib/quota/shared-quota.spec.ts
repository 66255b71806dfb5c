import assert from 'node:assert/strict'
import { EnvlogError } from '../../../../src/lib/errors'
import type { QuotaWait } from '../../../../src/lib/quota/types'
import { createVirtualClock } from '../../../support/clock'
import { headersWith, refusedResult } from '../../../support/quota/manual-service'
import { createMemorySharedStore } from '../../../support/quota/memory-shared-store'
import { createProcess, keys, participant } from '../../../support/quota/quota'

const OCCUPIED_MS = 121_000
const DATA = 61_000

/** Two processes on one account; each sent a request a window ago. */
async function two() {
  const clock = createVirtualClock()
  const sharedStore = createMemorySharedStore(clock)
  const open = () => createProcess(clock, { openSharedStore: () => sharedStore.open() })
  const [a, b] = [open(), open()]
  await clock.settle()
  for (const { submit, service } of [a, b]) {
    for (const endpoint of ['current', 'data'] as const) {
      submit(`first ${endpoint}`, { endpoint })
      await clock.settle()
      service.sent.at(-1)?.answer()
    }
  }
  await clock.pass(2 * OCCUPIED_MS)
  a.service.sent.length = 0
  b.service.sent.length = 0
  return { a, b, clock, sharedStore }
}

describe('two processes that share an account', () => {
  it('never have more in flight together than the limit', async () => {
    const { a, b, clock } = await two()
    for (const key of keys('r', 8)) for (const { submit } of [a, b]) submit(key)
    await clock.settle()
    assert.equal(a.service.sent.length + b.service.sent.length, 10)
  })

  it('use the whole limit, whoever needs it', async () => {
    const { a, clock } = await two()
    for (const key of keys('r', 12)) a.submit(key)
    await clock.settle()
    assert.equal(a.service.sent.length, 10)
  })

  it('wait for what the other has used, and continue as soon as it is released', async () => {
    const { a, b, clock } = await two()
    for (const key of keys('r', 10)) a.submit(key)
    await clock.settle()
    for (const one of a.service.sent) one.answer()
    await clock.pass(1000)
    b.submit('waits')
    await clock.pass(OCCUPIED_MS - 1001)
    assert.equal(b.service.sent.length, 0)
    await clock.pass(50)
    assert.deepEqual(b.service.keys(), ['waits'])
  })

  it('immediately reject callers that cannot wait for what the other has used', async () => {
    const { a, b, clock } = await two()
    for (const key of keys('r', 10)) a.submit(key)
    await clock.settle()
    for (const one of a.service.sent) one.answer()
    await clock.settle()
    const submitted = b.submit('hurried', {}, { maxWaitMs: 5000 })
    await clock.settle()
    assert.deepEqual([submitted.error?.reason, b.quota.counts().waiting], ['quota-wait', 0])
  })

  it('stop both if one is refused', async () => {
    const { a, b, clock } = await two()
    a.submit('refused')
    await clock.settle()
    a.service.sent[0]?.answer(refusedResult(429))
    await clock.settle()
    b.submit('waits')
    await clock.pass(OCCUPIED_MS - 1000)
    assert.equal(b.service.sent.length, 0)
    await clock.pass(2000)
    assert.equal(b.service.sent.length, 1)
  })

  it('leave others’ usage to the shared store, which knows what both used', async () => {
    const { a, b, clock, sharedStore } = await two()
    for (const { submit } of [a, b]) submit('one')
    await clock.settle()
    a.service.sent[0]?.answer({ headers: headersWith({ limit: 10, windowSeconds: 120, remaining: 5 }) })
    await clock.settle()
    assert.equal(a.quota.counts().endpoints.current.foreign, 0)
    assert.equal(sharedStore.used('current'), 5)
  })

  it('share a device’s records, and ask for as many as the other left', async () => {
    const { a, b, clock } = await two()
    const records = { endpoint: 'data' as const, device: 'one', wanted: 100_000 }
    a.submit('a', records)
    b.submit('b', records)
    await clock.settle()
    assert.deepEqual([a.service.sent[0]?.number, b.service.sent[0]?.number], [100_000, 60_000])
  })

  it('have all of a device’s records again, however few the other had left', async () => {
    const { a, b, clock } = await two()
    const records = { endpoint: 'data' as const, device: 'one', wanted: 100_000 }
    a.submit('a', records)
    b.submit('b', records)
    await clock.settle()
    for (const { service } of [a, b]) service.sent[0]?.answer({ records: 0 })
    await clock.settle()
    b.submit('all', { ...records, wanted: 160_000 })
    await clock.settle()
    assert.equal(b.service.sent[1]?.number, 160_000)
  })

  it('delay only the device whose records the other used up', async () => {
    const { a, b, clock } = await two()
    const records = (device: string, wanted: number) => ({ endpoint: 'data' as const, device, wanted })
    a.submit('all', records('one', 160_000))
    await clock.settle()
    a.service.sent[0]?.answer({ records: 160_000 })
    await clock.settle()
    b.submit('used up', records('one', 5000))
    b.submit('other', records('other', 5000))
    await clock.pass(10 * DATA)
    assert.deepEqual(b.service.keys(), ['other'])
    await clock.pass(3_601_000)
    assert.deepEqual(b.service.keys(), ['other', 'used up'])
  })

  it('immediately request as many of a device’s records as a refusal reports as left', async () => {
    const { a, b, clock } = await two()
    const records = { endpoint: 'data' as const, device: 'one' }
    a.submit('refused', records)
    await clock.settle()
    a.service.sent[0]?.answer(
      refusedResult(429, { limit: 20, windowSeconds: 60, remaining: 15, recordsRemaining: 5000 }),
    )
    await clock.pass(1000)
    assert.deepEqual(
      a.service.sent.map(({ number }) => number),
      [16_000, 5000],
    )
    a.service.sent[1]?.answer({ records: 2000 })
    await clock.settle()
    b.submit('other', records)
    await clock.settle()
    assert.equal(b.service.sent[0]?.number, 3000)
  })

  it('commit what the header reports if a response breaks off', async () => {
    const { a, clock, sharedStore } = await two()
    const broken = new EnvlogError('reply-not-json')
    for (const [recordsRemaining, spent] of [
      [159_990, 10],
      [null, 16_010],
    ] as const) {
      a.submit(`${spent}`, { endpoint: 'data', device: 'one' })
      await clock.settle()
      a.service.sent
        .at(-1)
        ?.answer({ records: null, headers: headersWith({ recordsRemaining }), error: broken })
      await clock.settle()
      assert.equal(sharedStore.used('data one'), spent)
    }
  })

  it('are sent soon after the other has released records that it only reserved', async () => {
    const { a, b, clock } = await two()
    const records = { endpoint: 'data' as const, device: 'one', wanted: 80_000, minimum: 80_000 }
    for (const key of keys('r', 2)) a.submit(key, records)
    await clock.settle()
    const submitted = [b.submit('waits', records), b.submit('hurried', records, { maxWaitMs: 5000 })]
    await clock.pass(6000)
    assert.deepEqual(
      submitted.map(({ state }) => state),
      ['waiting', 'failed'],
    )
    for (const sent of a.service.sent) sent.answer({ records: 500 })
    await clock.pass(15_000)
    assert.deepEqual(b.service.keys(), ['waits'])
  })

  it('are sent soon after the other has released permits that it only reserved', async () => {
    const { a, b, clock } = await two()
    for (const key of keys('r', 10)) a.submit(key)
    await clock.settle()
    b.submit('waits')
    await clock.pass(5000)
    assert.equal(b.service.sent.length, 0)
    for (const sent of a.service.sent) sent.answer({ headers: null, isUnsent: true })
    await clock.pass(15_000)
    assert.deepEqual(b.service.keys(), ['waits'])
  })

  it('retry reserving what the other has reserved less and less often', async () => {
    const { a, b, clock, sharedStore } = await two()
    const records = { endpoint: 'data' as const, device: 'one', wanted: 160_000, minimum: 160_000 }
    a.submit('slow', records)
    await clock.settle()
    sharedStore.calls.length = 0
    b.submit('waits', records)
    await clock.pass(300_000)
    const { length } = sharedStore.calls.filter((call) => call === 'reserve')
    assert.ok(length > 20 && length < 30, `${length} claims in five minutes`)
  })

  it('report when a device’s records that the other has used become available', async () => {
    const { a, b, clock } = await two()
    const records = { endpoint: 'data' as const, device: 'one', wanted: 160_000 }
    a.submit('all', records)
    await clock.settle()
    a.service.sent[0]?.answer({ records: 160_000 })
    await clock.settle()
    const waits: QuotaWait[] = []
    b.submit('waits', records, { onWait: (wait: QuotaWait) => void waits.push(wait) })
    const hurried = b.submit('hurried', records, { maxWaitMs: 60_000 })
    await clock.settle()
    const { until, records: ofDevice } = waits.at(-1) as QuotaWait
    assert.deepEqual([Math.round((until ?? 0) - clock.now()), ofDevice], [3_601_000, true])
    assert.equal(hurried.error?.reason, 'records-wait')
  })

  it('show what the other has used, and when a permit becomes available', async () => {
    const { a, b, clock } = await two()
    for (const key of keys('r', 9)) a.submit(key)
    await clock.settle()
    for (const one of a.service.sent) one.answer()
    await clock.pass(1000)
    const counts = () => {
      const { own, foreign, left, freeAt } = b.quota.counts().endpoints.current
      return [own, foreign, left, freeAt && Math.round(freeAt - clock.now())]
    }
    b.submit('last')
    await clock.settle()
    assert.deepEqual(counts(), [1, 9, 0, OCCUPIED_MS])
    b.submit('waits')
    await clock.settle()
    assert.deepEqual(counts(), [1, 9, 0, OCCUPIED_MS - 1000])
    b.service.sent[0]?.answer()
    await clock.pass(2 * OCCUPIED_MS)
    b.service.sent[1]?.answer()
    await clock.pass(2 * OCCUPIED_MS)
    assert.deepEqual(counts(), [0, 0, 10, null])
  })

  it('release what was not sent, in the shared store as well', async () => {
    const { a, clock, sharedStore } = await two()
    a.submit('one')
    await clock.settle()
    assert.equal(sharedStore.used('current'), 1)
    a.service.sent[0]?.answer({ headers: null, isUnsent: true })
    await clock.settle()
    assert.equal(sharedStore.used('current'), 0)
  })

  it('send nothing that was aborted during the reservation', async () => {
    const { a, clock, sharedStore } = await two()
    sharedStore.slow(() => 500)
    const abort = new AbortController()
    a.submit('given up', {}, { signal: abort.signal })
    await clock.pass(100)
    abort.abort()
    await clock.pass(2000)
    assert.deepEqual(
      [a.service.sent.length, sharedStore.used('current'), a.quota.counts().running],
      [0, 0, 0],
    )
  })

  it('report whether the shared store is connected', async () => {
    const { a, clock, sharedStore } = await two()
    assert.equal(a.quota.counts().ledgerHere, true)
    sharedStore.setState('disconnected')
    a.submit('one')
    await clock.settle()
    assert.equal(a.quota.counts().ledgerHere, false)
    assert.equal(createProcess(clock).quota.counts().ledgerHere, null)
  })

  it('close it when the last sharing node is removed', async () => {
    const { a, clock, sharedStore } = await two()
    const other = a.quota.join(participant())
    a.leave()
    await clock.settle()
    assert.deepEqual([sharedStore.closed(), a.quota.counts().ledgerHere], [1, null])
    other()
  })

  it('commit what is in flight before they close it, even if another is opened meanwhile', async () => {
    const { a, clock, sharedStore } = await two()
    const submitted = a.submit('on its way')
    await clock.settle()
    a.leave()
    const leave = a.quota.join(participant())
    await clock.settle()
    assert.deepEqual([sharedStore.closed(), sharedStore.inFlight('current')], [0, 1])
    a.service.sent.at(-1)?.answer()
    await clock.settle()
    assert.equal(submitted.state, 'done')
    assert.deepEqual([sharedStore.closed(), sharedStore.inFlight('current')], [1, 0])
    assert.equal(sharedStore.used('current'), 1)
    leave()
  })
})
