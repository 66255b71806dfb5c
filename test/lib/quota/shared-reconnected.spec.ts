import assert from 'node:assert/strict'
import { ALONE, HELD, oneOfSeveral } from '../../support/quota/one-member'

/** Till it is found, and all who share it have told what they spent. */
const BACK = 10_000

describe('a ledger that comes back', () => {
  it('is found within seconds, by itself', async () => {
    for (const state of ['away', 'silent'] as const) {
      const { go, clock, ledger, told, quota } = await oneOfSeveral()
      ledger.become(state)
      await go('r', 1)
      ledger.become('here')
      await clock.pass(BACK)
      assert.deepEqual([told.at(-1), quota.counts().ledgerHere], [true, true])
    }
  })

  it('is found however much goes on meanwhile', async () => {
    const { ask, clock, desk, ledger, quota } = await oneOfSeveral({ limits: { current: { limit: 1000 } } })
    ledger.become('away')
    const busy = async (seconds: number) => {
      for (let count = 0; count < seconds * 2; count++) {
        ask(`${clock.monotonic()}`)
        await clock.pass(500)
        desk.sent.at(-1)?.answer()
        await clock.settle()
      }
    }
    await busy(3)
    ledger.become('here')
    await busy(10)
    assert.equal(quota.counts().ledgerHere, true)
  })

  it('is used whole then', async () => {
    const { go, clock, desk, ledger } = await oneOfSeveral()
    ledger.become('away')
    await go('away', 1)
    await clock.pass(ALONE - 5000)
    assert.equal(desk.sent.length, 1)
    ledger.become('here')
    desk.sent[0]?.answer()
    await clock.pass(BACK)
    await go('first', 1)
    desk.sent[1]?.answer()
    await clock.pass(100)
    assert.equal(await go('whole', 12), 8)
  })

  it('learns what was spent without it, with its age', async () => {
    const { go, clock, desk, ledger } = await oneOfSeveral({}, 'away')
    await go('r', 3)
    for (const sent of desk.sent) sent.answer()
    await clock.pass(20_000)
    assert.equal(ledger.spent('current'), 0)
    ledger.become('here')
    await clock.pass(3000)
    assert.equal(ledger.spent('current'), 3)
    await clock.pass(HELD - 23_000)
    assert.equal(ledger.spent('current'), 0)
  })

  it('learns of an answer that came while it was away to what went while it was here', async () => {
    const { go, clock, desk, ledger } = await oneOfSeveral()
    await go('r', 2)
    ledger.become('away')
    for (const sent of desk.sent) sent.answer()
    await clock.pass(2000)
    ledger.become('here')
    await clock.pass(3000)
    assert.equal(ledger.spent('current'), 2)
    await clock.pass(HELD)
    assert.equal(ledger.spent('current'), 0)
  })

  it('with nothing in it is told what was spent before, and what is in flight', async () => {
    const { go, clock, desk, ledger } = await oneOfSeveral()
    await go('r', 4)
    for (const sent of desk.sent) sent.answer()
    await clock.pass(1000)
    ledger.lose()
    ledger.become('away')
    await go('notices', 1)
    await clock.pass(ALONE - 5000)
    ledger.become('here')
    await clock.pass(3000)
    assert.deepEqual([ledger.spent('current'), ledger.underWay('current')], [4 + 1, 1])
  })

  it('with nothing in it is told so again where the first time failed', async () => {
    const { go, clock, desk, ledger } = await oneOfSeveral()
    await go('r', 4)
    for (const sent of desk.sent) sent.answer()
    await clock.pass(1000)
    ledger.lose()
    ledger.failOnce('replay')
    await clock.pass(BACK)
    assert.equal(ledger.spent('current'), 4)
  })

  it('with nothing in it is told what was spent just before it went, too', async () => {
    const { go, clock, desk, ledger } = await oneOfSeveral()
    await go('r', 4)
    const [last, ...rest] = desk.sent
    for (const sent of rest) sent.answer()
    await clock.pass(50)
    ledger.lose()
    ledger.become('away')
    last?.answer()
    await clock.pass(1500)
    ledger.become('here')
    await clock.pass(3000)
    assert.equal(ledger.spent('current'), 4)
  })

  it('gets back what it gave without an answer in time, where it was not sent', async () => {
    const { ask, go, clock, desk, ledger } = await oneOfSeveral()
    await go('r', 6)
    for (const sent of desk.sent) sent.answer()
    await clock.settle()
    ledger.slow(() => 1500)
    const abort = new AbortController()
    ask('late', {}, { signal: abort.signal })
    await clock.pass(1100)
    abort.abort()
    ledger.slow(() => 0)
    await clock.pass(BACK)
    assert.deepEqual([desk.sent.length, ledger.underWay('current'), ledger.spent('current')], [6, 0, 6])
  })

  it('learns what ended while it was away however long that was, and whatever ended meanwhile', async () => {
    for (const away of [70_000, 3_700_000]) {
      const { ask, clock, desk, ledger } = await oneOfSeveral()
      const [data, current] = [{ endpoint: 'data', device: 'one' } as const, { endpoint: 'current' } as const]
      ask('first of data', { endpoint: 'data' })
      await clock.settle()
      desk.sent[0]?.answer()
      await clock.settle()
      ask('records', data)
      await clock.settle()
      assert.equal(ledger.spent('data one'), 16_000)
      ledger.become('away')
      desk.sent[1]?.answer({ records: 10 })
      await clock.pass(away)
      ask('short', current)
      await clock.settle()
      desk.sent[2]?.answer()
      await clock.pass(100)
      ledger.become('here')
      await clock.pass(3000)
      const spent = away < 3_600_000 ? 10 : 0
      assert.deepEqual([ledger.spent('data one'), ledger.underWay('data one')], [spent, 0])
    }
  })

  it('learns of an answer that came while it was told what is in flight', async () => {
    const { go, clock, desk, ledger } = await oneOfSeveral()
    ledger.become('away')
    await go('r', 1)
    await clock.pass(ALONE - 5000)
    ledger.become('here')
    ledger.slow(() => 900)
    await clock.pass(2500)
    desk.sent[0]?.answer()
    await clock.pass(2 * BACK)
    assert.deepEqual([ledger.spent('current'), ledger.underWay('current')], [1, 0])
  })

  it('takes in 300 devices at once, and once, though each command takes it a while', async () => {
    const { ask, clock, desk, ledger, leave, quota, member } = await oneOfSeveral({
      ...{ concurrency: 400, limits: { data: { limit: 1000 } } },
    })
    void leave()
    quota.join(member({ concurrency: 400, limits: { data: { limit: 1000 } } }))
    ask('first', { endpoint: 'data' })
    await clock.settle()
    desk.sent[0]?.answer()
    await clock.settle()
    for (let at = 0; at < 300; at++)
      ask(`${at}`, { endpoint: 'data', device: `device ${at}`, wanted: 100, least: 100 })
    await clock.settle()
    for (const sent of desk.sent) sent.answer({ records: 100 })
    await clock.pass(3000)
    ledger.slow(() => 900)
    ledger.calls.length = 0
    quota.join(member({ concurrency: 400, limits: { data: { limit: 1000 } }, ledger: () => ledger.open() }))
    await clock.pass(8000)
    assert.equal(quota.counts().ledgerHere, true)
    assert.equal(ledger.calls.filter((call) => call === 'replay').length, 1)
    assert.deepEqual([ledger.spent('data device 7'), ledger.spent('data')], [100, 301])
  })
})
