import assert from 'node:assert/strict'
import { EnvlogError } from '../../../src/lib/errors'
import type { QuotaWait } from '../../../src/lib/quota/types'
import { headersWith, refusal } from '../../support/quota/manual-service'
import { keys, known, setup } from '../../support/quota/quota'

const HELD = 121_000
const HOUR = 3_601_000
const USED_UP = { headers: headersWith({ limit: 12, windowSeconds: 3600, remaining: 0 }) }

/** What an asker was told: for how long, or that it goes. */
function listen(clock: { now(): number }) {
  const told: (number | null)[] = []
  const onWait = ({ until }: QuotaWait) => void told.push(until && Math.round((until - clock.now()) / 1000))
  return { told, onWait }
}

describe('an estimate that moves while one waits', () => {
  it('is told as soon as an answer’s headers take the places', async () => {
    const { ask, clock, desk } = setup()
    const { told, onWait } = listen(clock)
    ask('first', { endpoint: 'alert' }, { queueKey: 'a' })
    ask('second', { endpoint: 'alert' }, { queueKey: 'b', onWait })
    await clock.settle()
    desk.sent[0]?.answer(USED_UP)
    await clock.settle()
    assert.deepEqual(told, [3601])
  })

  it('ends at once a wait that it is too long for, and leaves the others waiting', async () => {
    const { ask, clock, desk } = setup()
    ask('first', { endpoint: 'alert' })
    const [short, long] = [60_000, 2 * HOUR].map((maxWaitMs) =>
      ask(`${maxWaitMs}`, { endpoint: 'alert' }, { maxWaitMs }),
    )
    await clock.settle()
    desk.sent[0]?.answer(USED_UP)
    await clock.settle()
    assert.deepEqual([short?.state, short?.error?.reason, long?.state], ['failed', 'quota-wait', 'waiting'])
    assert.equal(short?.error?.cause.retryAt, new Date(Math.round(clock.now() + HOUR)).toISOString())
  })

  it('lets those stay who go in time because others gave up before them', async () => {
    const { ask, clock, desk } = await known({ limits: { current: { limit: 2 } } })
    ask('first')
    ask('second')
    await clock.settle()
    const told = headersWith({ limit: 2, windowSeconds: 600, remaining: 0 })
    const hurried = keys('hurried', 4).map((key) => ask(key, {}, { maxWaitMs: 3 * HELD }))
    const patient = keys('patient', 2).map((key) => ask(key, {}, { maxWaitMs: 700_000 }))
    desk.sent[0]?.answer({ headers: told })
    await clock.settle()
    assert.deepEqual(new Set(hurried.map(({ state }) => state)), new Set(['failed']))
    assert.deepEqual(new Set(patient.map(({ state }) => state)), new Set(['waiting']))
  })

  it('is told anew within a second where those of other nodes go before', async () => {
    const { ask, clock, desk } = await known({ limits: { current: { limit: 1 } } })
    ask('spends', {}, { queueKey: 'a' })
    await clock.settle()
    desk.sent[0]?.answer()
    await clock.settle()
    const { told, onWait } = listen(clock)
    ask('next', {}, { queueKey: 'a' })
    ask('after it', {}, { queueKey: 'a', onWait })
    ask('other', {}, { queueKey: 'b' })
    await clock.pass(1000)
    assert.deepEqual(told, [242, 362])
  })

  it('is told anew when it passes', async () => {
    const { ask, clock } = await known({ limits: { current: { limit: 1 } } })
    ask('slow')
    await clock.settle()
    const { told, onWait } = listen(clock)
    ask('waits', {}, { onWait })
    await clock.pass(HELD)
    const before = told.length
    assert.ok(before <= 2, `${told}`)
    await clock.pass(3000)
    assert.deepEqual(told.slice(before), [121])
  })

  it('is told to be over where a connection alone is missing by then', async () => {
    const { ask, clock, desk } = await known({ concurrency: 1, limits: { current: { limit: 1 } } })
    ask('spends')
    await clock.settle()
    desk.sent[0]?.answer()
    await clock.settle()
    ask('slow', { endpoint: 'latest-data' })
    const { told, onWait } = listen(clock)
    ask('waits', {}, { onWait })
    await clock.pass(HELD + 2000)
    assert.deepEqual(
      [told, desk.keys()],
      [
        [121, null],
        ['spends', 'slow'],
      ],
    )
  })

  it('is told, and ends a wait, where another try has to wait for a place', async () => {
    const { ask, clock, desk } = await known({ limits: { current: { limit: 1 } } })
    const { told, onWait } = listen(clock)
    const asked = [ask('same', {}, { onWait }), ask('same', {}, { maxWaitMs: 60_000 })]
    await clock.settle()
    const error = new EnvlogError('service-failed', { status: 503 }, { status: 503 })
    desk.sent[0]?.answer({ error, retryAfterMs: 5000 })
    await clock.pass(5000)
    assert.deepEqual(told, [null, 116])
    assert.deepEqual(
      asked.map(({ state }) => state),
      ['waiting', 'failed'],
    )
  })

  it('is told to thousands in parts, so that nothing else has to wait', async () => {
    const { ask, clock, desk } = setup()
    let [inTurn, most, turning] = [0, 0, true]
    const told = new Set<string>()
    ask('first', { endpoint: 'alert' })
    for (const key of keys('r', 2000)) {
      const onWait = () => {
        told.add(key)
        most = Math.max(most, ++inTurn)
      }
      ask(key, { endpoint: 'alert' }, { onWait, queueKey: key.at(-1) as string })
    }
    await clock.settle()
    told.clear()
    most = 0
    const turn = () => {
      inTurn = 0
      if (turning) setImmediate(turn)
    }
    turn()
    desk.sent[0]?.answer(refusal(429, { limit: 12, windowSeconds: 7200 }))
    await clock.settle()
    turning = false
    assert.equal(told.size, 2000)
    assert.ok(most <= 500, `${most} in one turn`)
  })

  it('is looked at no longer once nobody waits', async () => {
    const { ask, clock } = await known({ limits: { current: { limit: 1 } } })
    const abort = new AbortController()
    ask('slow', {}, { signal: abort.signal })
    await clock.settle()
    ask('waits', {}, { signal: abort.signal, onWait: () => {} })
    await clock.settle()
    abort.abort()
    await clock.settle()
    assert.equal(clock.pending(), 0)
  })
})
