import assert from 'node:assert/strict'
import { headersWith } from '../../support/quota/manual-service'
import { ALONE, HELD, oneOfSeveral } from '../../support/quota/one-member'

describe('a shared store that is away', () => {
  it('leaves each process half of every limit, once a window is over', async () => {
    for (const state of ['disconnected', 'silent'] as const) {
      const { go, told } = await oneOfSeveral({}, state)
      assert.equal(await go('r', 8), 5)
      assert.equal(told.includes(true), false)
    }
  })

  it('leaves one place where the limit is one', async () => {
    const { go } = await oneOfSeveral({ limits: { current: { limit: 1 } } }, 'disconnected')
    assert.equal(await go('r', 3), 1)
  })

  it('leaves one request for a window, once others leave its share to it, where no header tells what others have spent', async () => {
    const { go, clock, desk, sharedStore, told } = await oneOfSeveral()
    sharedStore.setState('disconnected')
    assert.equal(await go('after', 8), 0)
    assert.equal(told.at(-1), false)
    await clock.pass(ALONE - 5000)
    assert.equal(desk.sent.length, 1)
    desk.sent[0]?.answer()
    await clock.pass(HELD - ALONE - 1)
    assert.equal(desk.sent.length, 1)
    await clock.pass(1000)
    assert.equal(desk.sent.length, 1 + 4)
  })

  it('leaves another one where the first could not be sent at all', async () => {
    const { go, clock, desk, sharedStore } = await oneOfSeveral()
    sharedStore.setState('disconnected')
    await go('after', 2)
    await clock.pass(ALONE - 5000)
    desk.sent[0]?.answer({ headers: null, isUnsent: true })
    await clock.settle()
    assert.equal(desk.sent.length, 2)
  })

  it('leaves half as soon as a header tells, and of that what others have not spent', async () => {
    for (const [remaining, more] of [
      [9, 4],
      [2, 2],
      [0, 0],
    ] as const) {
      const { go, clock, desk, sharedStore } = await oneOfSeveral()
      sharedStore.setState('disconnected')
      await go('after', 8)
      await clock.pass(ALONE - 5000)
      desk.sent[0]?.answer({ headers: headersWith({ limit: 10, windowSeconds: 120, remaining }) })
      await clock.settle()
      assert.equal(desk.sent.length - 1, more)
    }
  })

  it('leaves nothing to who has spent more than half, until that is released', async () => {
    const { go, clock, desk, sharedStore } = await oneOfSeveral()
    assert.equal(await go('before', 7), 7)
    for (const sent of desk.sent) sent.answer()
    await clock.settle()
    sharedStore.setState('disconnected')
    assert.equal(await go('after', 8), 0)
    await clock.pass(HELD)
    assert.equal(desk.sent.length, 7 + 5)
  })

  it('leaves a third where three shared it', async () => {
    const { go, clock, sharedStore, another } = await oneOfSeveral({ limits: { current: { limit: 12 } } })
    for (const one of [another(), another()]) await one.quota.counts()
    await clock.pass(5000)
    sharedStore.setState('disconnected')
    await clock.pass(5000 + HELD)
    assert.equal(await go('r', 12), 4)
  })

  it('is away after a second of silence', async () => {
    const { ask, clock, sharedStore, quota } = await oneOfSeveral()
    sharedStore.setState('silent')
    ask('one')
    await clock.pass(999)
    assert.equal(quota.counts().ledgerHere, true)
    await clock.pass(1)
    assert.equal(quota.counts().ledgerHere, false)
  })

  it('is not away where the event loop stood still till its answer had come', async () => {
    const { ask, clock, desk, sharedStore, told } = await oneOfSeveral()
    sharedStore.slow(() => 2)
    ask('one')
    await clock.settle()
    // The timer is late as well, and is called before the answer is read.
    sharedStore.slow(() => 0)
    clock.block(1500)
    await clock.pass(100)
    assert.deepEqual([desk.sent.length, told.includes(false)], [1, false])
  })

  it('lets nothing wait for good that headers say others have spent', async () => {
    const { ask, clock, desk } = await oneOfSeveral({}, 'disconnected')
    ask('one')
    await clock.settle()
    desk.sent[0]?.answer({ headers: headersWith({ limit: 10, windowSeconds: 120, remaining: 0 }) })
    await clock.settle()
    ask('waits')
    const hurried = ask('hurried', {}, { maxWaitMs: 1000 })
    await clock.pass(HELD)
    assert.deepEqual(desk.keys(), ['one', 'waits'])
    assert.equal(hurried.state, 'failed')
  })

  it('says why, by a code, once for each', async () => {
    const { clock, sharedStore, reasons } = await oneOfSeveral()
    sharedStore.setState('disconnected')
    await clock.pass(5000)
    sharedStore.setState('silent')
    await clock.pass(9000)
    sharedStore.setState('connected')
    await clock.pass(9000)
    assert.deepEqual(reasons, [undefined, 'AWAY', 'TIMEOUT', undefined])
  })

  it('is tried over another connection after two looks in vain, and again and again', async () => {
    const { clock, sharedStore } = await oneOfSeveral()
    for (const state of ['disconnected', 'silent'] as const) {
      const before = sharedStore.reconnects()
      sharedStore.setState(state)
      await clock.pass(8000)
      assert.ok(sharedStore.reconnects() - before >= 1, state)
      await clock.pass(12_000)
      assert.ok(sharedStore.reconnects() - before >= 3, state)
    }
  })

  it('is asked by nobody any more after the last node is gone', async () => {
    for (const state of ['connected', 'disconnected', 'silent'] as const) {
      const { clock, sharedStore, leave } = await oneOfSeveral({}, state)
      void leave()
      await clock.pass(3000)
      sharedStore.calls.length = 0
      await clock.pass(60_000)
      assert.deepEqual([sharedStore.calls, sharedStore.closed()], [[], 1])
    }
  })

  it('is not connected to again where the last node goes while one waits for what others tell', async () => {
    for (const before of [0, 1]) {
      const { clock, sharedStore, leave } = await oneOfSeveral({}, 'disconnected')
      // Of two looks in vain the second brings another connection.
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
