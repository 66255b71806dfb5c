import assert from 'node:assert/strict'
import { ALONE, HELD, oneOfSeveral } from '../../support/quota/one-member'

/** Till it is found, and all who share it have told what they spent. */
const BACK = 10_000

describe('a shared store that comes back', () => {
  it('is found within seconds, by itself', async () => {
    for (const state of ['disconnected', 'silent'] as const) {
      const { go, clock, sharedStore, told, quota } = await oneOfSeveral()
      sharedStore.setState(state)
      await go('r', 1)
      sharedStore.setState('connected')
      await clock.pass(BACK)
      assert.deepEqual([told.at(-1), quota.counts().ledgerHere], [true, true])
    }
  })

  it('is found however much goes on meanwhile', async () => {
    const { ask, clock, desk, sharedStore, quota } = await oneOfSeveral({
      limits: { current: { limit: 1000 } },
    })
    sharedStore.setState('disconnected')
    const busy = async (seconds: number) => {
      for (let count = 0; count < seconds * 2; count++) {
        ask(`${clock.monotonic()}`)
        await clock.pass(500)
        desk.sent.at(-1)?.answer()
        await clock.settle()
      }
    }
    await busy(3)
    sharedStore.setState('connected')
    await busy(10)
    assert.equal(quota.counts().ledgerHere, true)
  })

  it('is used whole then', async () => {
    const { go, clock, desk, sharedStore } = await oneOfSeveral()
    sharedStore.setState('disconnected')
    await go('disconnected', 1)
    await clock.pass(ALONE - 5000)
    assert.equal(desk.sent.length, 1)
    sharedStore.setState('connected')
    desk.sent[0]?.answer()
    await clock.pass(BACK)
    await go('first', 1)
    desk.sent[1]?.answer()
    await clock.pass(100)
    assert.equal(await go('whole', 12), 8)
  })

  it('learns what was spent without it, with its age', async () => {
    const { go, clock, desk, sharedStore } = await oneOfSeveral({}, 'disconnected')
    await go('r', 3)
    for (const sent of desk.sent) sent.answer()
    await clock.pass(20_000)
    assert.equal(sharedStore.used('current'), 0)
    sharedStore.setState('connected')
    await clock.pass(3000)
    assert.equal(sharedStore.used('current'), 3)
    await clock.pass(HELD - 23_000)
    assert.equal(sharedStore.used('current'), 0)
  })

  it('learns of an answer that came while it was away to what went while it was here', async () => {
    const { go, clock, desk, sharedStore } = await oneOfSeveral()
    await go('r', 2)
    sharedStore.setState('disconnected')
    for (const sent of desk.sent) sent.answer()
    await clock.pass(2000)
    sharedStore.setState('connected')
    await clock.pass(3000)
    assert.equal(sharedStore.used('current'), 2)
    await clock.pass(HELD)
    assert.equal(sharedStore.used('current'), 0)
  })

  it('with nothing in it is told what was spent before, and what is in flight', async () => {
    const { go, clock, desk, sharedStore } = await oneOfSeveral()
    await go('r', 4)
    for (const sent of desk.sent) sent.answer()
    await clock.pass(1000)
    sharedStore.lose()
    sharedStore.setState('disconnected')
    await go('notices', 1)
    await clock.pass(ALONE - 5000)
    sharedStore.setState('connected')
    await clock.pass(3000)
    assert.deepEqual([sharedStore.used('current'), sharedStore.inFlight('current')], [4 + 1, 1])
  })

  it('with nothing in it is told so again where the first time failed', async () => {
    const { go, clock, desk, sharedStore } = await oneOfSeveral()
    await go('r', 4)
    for (const sent of desk.sent) sent.answer()
    await clock.pass(1000)
    sharedStore.lose()
    sharedStore.failOnce('replay')
    await clock.pass(BACK)
    assert.equal(sharedStore.used('current'), 4)
  })

  it('with nothing in it is told what was spent just before it went, too', async () => {
    const { go, clock, desk, sharedStore } = await oneOfSeveral()
    await go('r', 4)
    const [last, ...rest] = desk.sent
    for (const sent of rest) sent.answer()
    await clock.pass(50)
    sharedStore.lose()
    sharedStore.setState('disconnected')
    last?.answer()
    await clock.pass(1500)
    sharedStore.setState('connected')
    await clock.pass(3000)
    assert.equal(sharedStore.used('current'), 4)
  })

  it('gets back what it gave without an answer in time, where it was not sent', async () => {
    const { ask, go, clock, desk, sharedStore } = await oneOfSeveral()
    await go('r', 6)
    for (const sent of desk.sent) sent.answer()
    await clock.settle()
    sharedStore.slow(() => 1500)
    const abort = new AbortController()
    ask('late', {}, { signal: abort.signal })
    await clock.pass(1100)
    abort.abort()
    sharedStore.slow(() => 0)
    await clock.pass(BACK)
    assert.deepEqual(
      [desk.sent.length, sharedStore.inFlight('current'), sharedStore.used('current')],
      [6, 0, 6],
    )
  })

  it('learns what ended while it was away however long that was, and whatever ended meanwhile', async () => {
    for (const away of [70_000, 3_700_000]) {
      const { ask, clock, desk, sharedStore } = await oneOfSeveral()
      const [data, current] = [{ endpoint: 'data', device: 'one' } as const, { endpoint: 'current' } as const]
      ask('first of data', { endpoint: 'data' })
      await clock.settle()
      desk.sent[0]?.answer()
      await clock.settle()
      ask('records', data)
      await clock.settle()
      assert.equal(sharedStore.used('data one'), 16_000)
      sharedStore.setState('disconnected')
      desk.sent[1]?.answer({ records: 10 })
      await clock.pass(away)
      ask('short', current)
      await clock.settle()
      desk.sent[2]?.answer()
      await clock.pass(100)
      sharedStore.setState('connected')
      await clock.pass(3000)
      const spent = away < 3_600_000 ? 10 : 0
      assert.deepEqual([sharedStore.used('data one'), sharedStore.inFlight('data one')], [spent, 0])
    }
  })

  it('learns of an answer that came while it was told what is in flight', async () => {
    const { go, clock, desk, sharedStore } = await oneOfSeveral()
    sharedStore.setState('disconnected')
    await go('r', 1)
    await clock.pass(ALONE - 5000)
    sharedStore.setState('connected')
    sharedStore.slow(() => 900)
    await clock.pass(2500)
    desk.sent[0]?.answer()
    await clock.pass(2 * BACK)
    assert.deepEqual([sharedStore.used('current'), sharedStore.inFlight('current')], [1, 0])
  })

  it('takes in 300 devices at once, and once, though each command takes it a while', async () => {
    const { ask, clock, desk, sharedStore, leave, quota, member } = await oneOfSeveral({
      ...{ concurrency: 400, limits: { data: { limit: 1000 } } },
    })
    void leave()
    quota.join(member({ concurrency: 400, limits: { data: { limit: 1000 } } }))
    ask('first', { endpoint: 'data' })
    await clock.settle()
    desk.sent[0]?.answer()
    await clock.settle()
    for (let at = 0; at < 300; at++)
      ask(`${at}`, { endpoint: 'data', device: `device ${at}`, wanted: 100, minimum: 100 })
    await clock.settle()
    for (const sent of desk.sent) sent.answer({ records: 100 })
    await clock.pass(3000)
    sharedStore.slow(() => 900)
    sharedStore.calls.length = 0
    quota.join(
      member({
        concurrency: 400,
        limits: { data: { limit: 1000 } },
        openSharedStore: () => sharedStore.open(),
      }),
    )
    await clock.pass(8000)
    assert.equal(quota.counts().ledgerHere, true)
    assert.equal(sharedStore.calls.filter((call) => call === 'replay').length, 1)
    assert.deepEqual([sharedStore.used('data device 7'), sharedStore.used('data')], [100, 301])
  })
})
