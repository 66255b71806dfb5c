import assert from 'node:assert/strict'
import { headersWith } from '../../../support/quota/manual-service'
import { CURRENT_OCCUPIED_MS, createMember, SHARE_LEFT_MS } from '../../../support/quota/one-member'

describe('a shared store that is disconnected', () => {
  it('leaves each process half of every limit, once a window is over', async () => {
    for (const state of ['disconnected', 'silent'] as const) {
      const { go, connections } = await createMember({}, state)
      assert.equal(await go('r', 8), 5)
      assert.equal(connections.includes(true), false)
    }
  })

  it('is also one that cannot even be opened, and the reason is reported', async () => {
    const openSharedStore = () => {
      throw Object.assign(new Error('no library'), { code: 'ENVLOG_CONFIG' })
    }
    const { go, connections, reasons } = await createMember({ openSharedStore })
    assert.equal(await go('r', 8), 5)
    assert.equal(connections.includes(true), false)
    assert.deepEqual(reasons, ['ENVLOG_CONFIG'])
  })

  it('leaves one permit if the limit is one', async () => {
    const { go } = await createMember({ limits: { current: { limit: 1 } } }, 'disconnected')
    assert.equal(await go('r', 3), 1)
  })

  it('leaves one request for a window, once others reserve its share, if no header reports their usage', async () => {
    const { go, clock, service, sharedStore, connections } = await createMember()
    sharedStore.setState('disconnected')
    assert.equal(await go('after', 8), 0)
    assert.equal(connections.at(-1), false)
    await clock.pass(SHARE_LEFT_MS - 5000)
    assert.equal(service.sent.length, 1)
    service.sent[0]?.answer()
    await clock.pass(CURRENT_OCCUPIED_MS - SHARE_LEFT_MS - 1)
    assert.equal(service.sent.length, 1)
    await clock.pass(1000)
    assert.equal(service.sent.length, 1 + 4)
  })

  it('leaves another one if the first could not be sent at all', async () => {
    const { go, clock, service, sharedStore } = await createMember()
    sharedStore.setState('disconnected')
    await go('after', 2)
    await clock.pass(SHARE_LEFT_MS - 5000)
    service.sent[0]?.answer({ headers: null, isUnsent: true })
    await clock.settle()
    assert.equal(service.sent.length, 2)
  })

  it('leaves half as soon as a header reports, and of that what others have not used', async () => {
    for (const [remaining, more] of [
      [9, 4],
      [2, 2],
      [0, 0],
    ] as const) {
      const { go, clock, service, sharedStore } = await createMember()
      sharedStore.setState('disconnected')
      await go('after', 8)
      await clock.pass(SHARE_LEFT_MS - 5000)
      service.sent[0]?.answer({ headers: headersWith({ limit: 10, windowSeconds: 120, remaining }) })
      await clock.settle()
      assert.equal(service.sent.length - 1, more)
    }
  })

  it('leaves nothing to a member that has used more than half, until that is released', async () => {
    const { go, clock, service, sharedStore } = await createMember()
    assert.equal(await go('before', 7), 7)
    for (const sent of service.sent) sent.answer()
    await clock.settle()
    sharedStore.setState('disconnected')
    assert.equal(await go('after', 8), 0)
    await clock.pass(CURRENT_OCCUPIED_MS)
    assert.equal(service.sent.length, 7 + 5)
  })

  it('leaves a third if three shared it', async () => {
    const { go, clock, sharedStore, another } = await createMember({ limits: { current: { limit: 12 } } })
    for (const one of [another(), another()]) await one.quota.counts()
    await clock.pass(5000)
    sharedStore.setState('disconnected')
    await clock.pass(5000 + CURRENT_OCCUPIED_MS)
    assert.equal(await go('r', 12), 4)
  })

  it('counts as disconnected after a second of silence', async () => {
    const { submit, clock, sharedStore, quota } = await createMember()
    sharedStore.setState('silent')
    submit('one')
    await clock.pass(999)
    assert.equal(quota.counts().ledgerHere, true)
    await clock.pass(1)
    assert.equal(quota.counts().ledgerHere, false)
  })

  it('is not disconnected if the event loop was blocked until its response had come', async () => {
    const { submit, clock, service, sharedStore, connections } = await createMember()
    sharedStore.slow(() => 2)
    submit('one')
    await clock.settle()
    // The timer is late as well, but fires before the answer is read.
    sharedStore.slow(() => 0)
    clock.block(1500)
    await clock.pass(100)
    assert.deepEqual([service.sent.length, connections.includes(false)], [1, false])
  })

  it('lets nothing wait forever because of what headers report others have used', async () => {
    const { submit, clock, service } = await createMember({}, 'disconnected')
    submit('one')
    await clock.settle()
    service.sent[0]?.answer({ headers: headersWith({ limit: 10, windowSeconds: 120, remaining: 0 }) })
    await clock.settle()
    submit('waits')
    const hurried = submit('hurried', {}, { maxWaitMs: 1000 })
    await clock.pass(CURRENT_OCCUPIED_MS)
    assert.deepEqual(service.keys(), ['one', 'waits'])
    assert.equal(hurried.state, 'failed')
  })

  it('says why, by a code, once for each', async () => {
    const { clock, sharedStore, reasons } = await createMember()
    sharedStore.setState('disconnected')
    await clock.pass(5000)
    sharedStore.setState('silent')
    await clock.pass(9000)
    sharedStore.setState('connected')
    await clock.pass(9000)
    assert.deepEqual(reasons, [undefined, 'AWAY', 'TIMEOUT', undefined])
  })

  it('is tried over another connection after two failures, and again and again', async () => {
    const { clock, sharedStore } = await createMember()
    for (const state of ['disconnected', 'silent'] as const) {
      const before = sharedStore.reconnects()
      sharedStore.setState(state)
      await clock.pass(8000)
      assert.ok(sharedStore.reconnects() - before >= 1, state)
      await clock.pass(12_000)
      assert.ok(sharedStore.reconnects() - before >= 3, state)
    }
  })

  it('is not accessed any more after the last node was removed', async () => {
    for (const state of ['connected', 'disconnected', 'silent'] as const) {
      const { clock, sharedStore, leave } = await createMember({}, state)
      void leave()
      await clock.pass(3000)
      sharedStore.calls.length = 0
      await clock.pass(60_000)
      assert.deepEqual([sharedStore.calls, sharedStore.closed()], [[], 1])
    }
  })

  it('is not connected to again if the last node is removed while one waits for others’ reports', async () => {
    for (const before of [0, 1]) {
      const { clock, sharedStore, leave } = await createMember({}, 'disconnected')
      // The second failed check reconnects.
      if (before === 1) await clock.pass(2000)
      sharedStore.setState('connected')
      await clock.pass(3000)
      void leave()
      sharedStore.setState('disconnected')
      const resets = sharedStore.reconnects()
      await clock.pass(60_000)
      assert.deepEqual([sharedStore.reconnects(), sharedStore.closed()], [resets, 1])
    }
  })
})
