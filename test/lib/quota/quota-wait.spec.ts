import assert from 'node:assert/strict'
import type { QuotaWait } from '../../../src/lib/quota/types'
import { headersWith, refusal } from '../../support/quota/manual-service'
import { createStore } from '../../support/quota/memory-store'
import { keys, known, setup } from '../../support/quota/quota'

const HELD = 121_000
const LIMITS = { limits: { current: { limit: 1 } } }

/** A quota whose only place was spent so long ago. */
async function spent(ago: number, over: Parameters<typeof known>[0] = LIMITS) {
  const all = await known(over)
  all.ask('spends')
  await all.clock.settle()
  all.desk.sent[0]?.answer()
  await all.clock.pass(ago)
  return all
}

describe('the longest wait of an asker', () => {
  it('of 0 means never: with a place it goes, without it fails at once', async () => {
    const { ask, clock, desk } = await known(LIMITS)
    const asked = [ask('one', {}, { maxWaitMs: 0 }), ask('two', {}, { maxWaitMs: 0 })]
    await clock.settle()
    assert.deepEqual(desk.keys(), ['one'])
    const { state, error } = asked[1] as (typeof asked)[0]
    assert.deepEqual([state, error?.reason, error?.code], ['failed', 'quota-wait', 'ENVLOG_QUOTA'])
  })

  it('fails at once where the estimate is longer, with when another try is worth it', async () => {
    const { ask, clock } = await spent(1000)
    const short = ask('short', {}, { maxWaitMs: HELD - 1002 })
    await clock.settle()
    const at = new Date(clock.now() + HELD - 1000).toISOString()
    assert.deepEqual(short.error?.cause, { endpoint: 'current', retryAt: at })
    assert.deepEqual(short.error?.params, { retryAt: at })
    assert.equal(short.error?.reason, 'quota-wait')
  })

  it('is waited for where the estimate is within it', async () => {
    const { ask, clock, desk } = await spent(1000)
    ask('long', {}, { maxWaitMs: HELD - 1000 })
    await clock.pass(HELD - 1000)
    assert.deepEqual(desk.keys(), ['spends', 'long'])
  })

  it('counts those who go before', async () => {
    const { ask, clock } = await spent(0)
    const asked = keys('r', 4).map((key) => ask(key, {}, { maxWaitMs: 2.5 * HELD }))
    await clock.settle()
    assert.deepEqual(
      asked.map(({ state }) => state),
      ['waiting', 'waiting', 'failed', 'failed'],
    )
  })

  it('ends where more was spent meanwhile than could be foreseen', async () => {
    const { ask, clock, desk } = await known({ limits: { current: { limit: 2 } } })
    ask('slow')
    ask('quick')
    await clock.settle()
    desk.sent[1]?.answer()
    const waiting = ask('waits', {}, { maxWaitMs: HELD + 10_000 })
    await clock.pass(1000)
    desk.sent[0]?.answer({ headers: headersWith({ limit: 2, windowSeconds: 3600, remaining: 0 }) })
    await clock.pass(HELD + 10_000)
    assert.deepEqual([waiting.state, waiting.error?.reason], ['failed', 'quota-wait'])
  })

  it('is not for a connection: without one it waits, even where it never waits', async () => {
    const { ask, clock, desk } = await known({ concurrency: 1 })
    ask('running')
    const asked = ask('next', {}, { maxWaitMs: 0 })
    await clock.pass(3_600_000)
    assert.equal(asked.state, 'waiting')
    desk.sent[0]?.answer()
    await clock.settle()
    assert.equal(desk.sent.length, 2)
  })

  it('ends within a second once places are what is missing, not a connection', async () => {
    const { ask, clock, desk } = await known({ concurrency: 1 })
    ask('running')
    const asked = ask('next', {}, { maxWaitMs: 1000 })
    await clock.pass(5500)
    desk.sent[0]?.answer({ headers: headersWith({ limit: 10, windowSeconds: 120, remaining: 0 }) })
    await clock.pass(1000)
    assert.deepEqual([asked.state, asked.error?.reason], ['failed', 'quota-wait'])
  })

  it('is not for an answer either', async () => {
    const { ask, clock } = await known()
    const asked = ask('slow', {}, { maxWaitMs: 1000 })
    await clock.pass(3_600_000)
    assert.equal(asked.state, 'waiting')
  })

  it('is each asker’s own, and leaves the others waiting', async () => {
    const { ask, clock, desk } = await spent(0)
    const asked = [ask('same', {}, { maxWaitMs: 0 }), ask('same'), ask('same', {}, { maxWaitMs: 5000 })]
    await clock.pass(HELD)
    assert.deepEqual(
      asked.map(({ state }) => state),
      ['failed', 'waiting', 'failed'],
    )
    assert.deepEqual(desk.keys(), ['spends', 'same'])
  })

  it('says records-wait where the device’s records are what is missing, even without a connection', async () => {
    const { ask, clock, desk } = await known({ concurrency: 1 }, ['data'])
    ask('all', { endpoint: 'data', device: 'one', wanted: 160_000 })
    await clock.settle()
    desk.sent[0]?.answer({ records: 160_000 })
    await clock.settle()
    ask('running', { endpoint: 'data', device: 'other' })
    const asked = ask('more', { endpoint: 'data', device: 'one' }, { maxWaitMs: 60_000 })
    await clock.settle()
    assert.equal(asked.error?.reason, 'records-wait')
  })
})

describe('what an asker is told while it waits', () => {
  const listen = () => {
    const told: QuotaWait[] = []
    return { told, onWait: (wait: QuotaWait) => void told.push(wait) }
  }

  it('is until when, and that it goes', async () => {
    const { ask, clock } = await spent(1000)
    const { told, onWait } = listen()
    ask('waits', {}, { onWait })
    const until = clock.now() + HELD - 1000
    await clock.pass(HELD - 1000)
    assert.deepEqual(
      told.map((one) => ({ ...one, until: one.until && Math.round(one.until) })),
      [
        { endpoint: 'current', until, records: false },
        { endpoint: 'current', until: null, records: false },
      ],
    )
  })

  it('is no longer until when, once nobody waits', async () => {
    const { ask, clock } = await spent(1000)
    const { told, onWait } = listen()
    const abort = new AbortController()
    ask('waits', {}, { onWait, signal: abort.signal })
    abort.abort()
    await clock.settle()
    assert.deepEqual(
      told.map(({ until }) => until === null),
      [false, true],
    )
  })

  it('is nothing of a wait below a second, nor of one for a connection', async () => {
    const { ask, clock, desk } = await spent(HELD - 999)
    const { told, onWait } = listen()
    ask('soon', {}, { onWait })
    await clock.settle()
    assert.deepEqual(told, [])
    assert.equal(desk.sent.length, 1)
  })

  it('is anew when a refusal makes it longer', async () => {
    const { ask, clock, desk } = await known({ limits: { current: { limit: 2 } } })
    const { told, onWait } = listen()
    ask('one')
    ask('two')
    await clock.settle()
    ask('waits', {}, { onWait })
    desk.sent[0]?.answer()
    await clock.pass(50_000)
    desk.sent[1]?.answer(refusal(429))
    await clock.settle()
    const until = told.map((one) => Math.round((one.until ?? 0) - clock.now()))
    assert.equal(until.length, 2)
    assert.ok((until[1] ?? 0) >= HELD, `${until}`)
  })

  it('is that the records are missing', async () => {
    const { ask, clock, desk } = await known({}, ['data'])
    const { told, onWait } = listen()
    ask('all', { endpoint: 'data', device: 'one', wanted: 160_000 })
    await clock.settle()
    desk.sent[0]?.answer({ records: 160_000 })
    await clock.settle()
    ask('more', { endpoint: 'data', device: 'one' }, { onWait })
    await clock.settle()
    const { records, until } = told.at(-1) as QuotaWait
    assert.deepEqual([records, Math.round((until ?? 0) - clock.now())], [true, 3_601_000])
  })
})

describe('a store that is read', () => {
  it('holds requests back, for 5 s at most', async () => {
    for (const [delay, from] of [
      [3000, 3000],
      [60_000, 5000],
    ]) {
      const all = setup()
      const { clock } = all
      all.leave()
      const store = createStore(clock, { delays: () => delay as number })
      const { ask, desk } = setup({ store }, clock)
      ask('one')
      await clock.pass((from as number) - 1)
      assert.equal(desk.sent.length, 0)
      await clock.pass(1)
      assert.equal(desk.sent.length, 1)
    }
  })
})
