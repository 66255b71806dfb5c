import assert from 'node:assert/strict'
import { createVirtualClock } from '../../../support/clock'
import { createMemorySharedStore } from '../../../support/quota/memory-shared-store'
import { createMemoryStore } from '../../../support/quota/memory-store'
import { CURRENT_OCCUPIED_MS, createMember } from '../../../support/quota/one-member'
import { createProcess, keys, participant } from '../../../support/quota/quota'

describe('a shared store over a deploy', () => {
  it('is used completely immediately, and nothing is reported twice', async () => {
    const { quota, leave, go, clock, service, sharedStore } = await createMember()
    await go('before', 4)
    for (const sent of service.sent) sent.answer()
    await clock.settle()
    leave()
    quota.join(participant({ openSharedStore: () => sharedStore.open() }))
    await clock.settle()
    assert.equal(sharedStore.used('current'), 4)
    assert.equal(await go('after', 8), 6)
  })

  it('still learns the usage without it if the deploy is just at the reconnection, and is awaited', async () => {
    const { quota, leave, submit, go, clock, service, sharedStore } = await createMember({}, 'disconnected')
    assert.equal(await go('disconnected', 8), 5)
    for (const sent of service.sent) sent.answer()
    await clock.pass(100)
    sharedStore.setState('connected')
    leave()
    quota.join(participant({ openSharedStore: () => sharedStore.open() }))
    await clock.settle()
    assert.equal(sharedStore.used('current'), 5)
    for (const key of keys('more', 8)) submit(key)
    await clock.pass(4900)
    assert.equal(service.sent.length, 5)
  })

  it('learns what ended while it was disconnected, even after the deploy opened another connection', async () => {
    const { quota, leave, submit, clock, service, sharedStore } = await createMember()
    submit('on its way')
    await clock.settle()
    sharedStore.setState('disconnected')
    submit('notices')
    await clock.settle()
    leave()
    sharedStore.setState('connected')
    quota.join(participant({ openSharedStore: () => sharedStore.open() }))
    await clock.settle()
    service.sent[0]?.answer()
    await clock.pass(10_000)
    submit('goes')
    for (let count = 0; count < 2; count++) {
      for (const sent of service.sent) sent.answer()
      await clock.pass(100)
    }
    assert.deepEqual([sharedStore.inFlight('current'), sharedStore.used('current')], [0, service.sent.length])
  })

  it('gets all usage if it is configured only now, or is another one, also of requests in flight', async () => {
    const { quota, leave, go, clock, service, sharedStore } = await createMember()
    const leaveAlone = quota.join(participant())
    leave()
    assert.equal(await go('alone', 3), 3)
    for (const sent of service.sent.slice(1)) sent.answer()
    await clock.settle()
    const leaveSame = quota.join(participant({ openSharedStore: () => sharedStore.open() }))
    leaveAlone()
    await clock.settle()
    assert.deepEqual([sharedStore.used('current'), sharedStore.inFlight('current')], [3, 1])
    leaveSame()
    const other = createMemorySharedStore(clock)
    quota.join(participant({ openSharedStore: () => other.open() }))
    await clock.settle()
    assert.deepEqual([other.used('current'), other.inFlight('current')], [3, 1])
    service.sent[0]?.answer()
    await clock.settle()
    assert.deepEqual([other.used('current'), other.inFlight('current')], [3, 0])
  })
})

describe('what was used while the shared store was disconnected', () => {
  /** A process that uses two permits while the store is disconnected, one of them in flight, and is killed. */
  async function killed() {
    const clock = createVirtualClock()
    const sharedStore = createMemorySharedStore(clock)
    const store = createMemoryStore(clock)
    const own = clock.process()
    const before = createProcess(own.clock, { openSharedStore: () => sharedStore.open(), store })
    await clock.pass(1000)
    before.submit('first')
    await clock.settle()
    before.service.sent[0]?.answer()
    await clock.settle()
    sharedStore.setState('disconnected')
    await clock.pass(2 * CURRENT_OCCUPIED_MS)
    for (const key of keys('disconnected', 2)) before.submit(key)
    await clock.settle()
    before.service.sent[1]?.answer()
    await clock.settle()
    own.kill()
    sharedStore.setState('connected')
    return { clock, sharedStore, store }
  }

  it('is known to it after a restart, once, however often it is replayed', async () => {
    const { clock, sharedStore, store } = await killed()
    for (let starts = 0; starts < 3; starts++) {
      const own = clock.process()
      createProcess(own.clock, { openSharedStore: () => sharedStore.open(), store })
      await clock.pass(10_000)
      assert.deepEqual([sharedStore.used('current'), sharedStore.inFlight('current')], [2, 0])
      own.kill()
    }
  })

  it('and reserved before a crash is not reserved twice', async () => {
    const clock = createVirtualClock()
    const sharedStore = createMemorySharedStore(clock)
    const store = createMemoryStore(clock)
    const own = clock.process()
    const before = createProcess(own.clock, { openSharedStore: () => sharedStore.open(), store })
    await clock.pass(1000)
    before.submit('in flight')
    await clock.settle()
    own.kill()
    const after = createProcess(clock, { openSharedStore: () => sharedStore.open(), store })
    await clock.pass(7000)
    assert.deepEqual(
      [sharedStore.used('current'), sharedStore.inFlight('current'), sharedStore.members()],
      [1, 0, 1],
    )
    assert.equal(after.quota.counts().endpoints.current.own, 1)
  })
})
