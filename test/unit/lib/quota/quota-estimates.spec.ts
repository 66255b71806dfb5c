import assert from 'node:assert/strict'
import { EnvlogError } from '../../../../src/lib/errors'
import type { QuotaWait } from '../../../../src/lib/quota/types'
import { headersWith, refusedResult } from '../../../support/quota/manual-service'
import { keys, setupAnswered, setupQuota } from '../../../support/quota/quota'

const OCCUPIED_MS = 121_000
const HOUR = 3_601_000
const USED_UP = { headers: headersWith({ limit: 12, windowSeconds: 3600, remaining: 0 }) }

/** Notifications of a caller: its expected wait, or its start. */
function listen(clock: { now(): number }) {
  const waits: (number | null)[] = []
  const onWait = ({ until }: QuotaWait) => void waits.push(until && Math.round((until - clock.now()) / 1000))
  return { waits, onWait }
}

describe('an estimate that changes during a wait', () => {
  it('is notified as soon as the headers of a response show that the permits are used', async () => {
    const { submit, clock, service } = setupQuota()
    const { waits, onWait } = listen(clock)
    submit('first', { endpoint: 'alert' }, { queueKey: 'a' })
    submit('second', { endpoint: 'alert' }, { queueKey: 'b', onWait })
    await clock.settle()
    service.sent[0]?.answer(USED_UP)
    await clock.settle()
    assert.deepEqual(waits, [3601])
  })

  it('immediately ends a wait for which it is too long, and leaves the others waiting', async () => {
    const { submit, clock, service } = setupQuota()
    submit('first', { endpoint: 'alert' })
    const [short, long] = [60_000, 2 * HOUR].map((maxWaitMs) =>
      submit(`${maxWaitMs}`, { endpoint: 'alert' }, { maxWaitMs }),
    )
    await clock.settle()
    service.sent[0]?.answer(USED_UP)
    await clock.settle()
    assert.deepEqual([short?.state, short?.error?.reason, long?.state], ['failed', 'quota-wait', 'waiting'])
    assert.equal(short?.error?.cause.retryAt, new Date(Math.round(clock.now() + HOUR)).toISOString())
  })

  it('keeps those that start in time because others before them gave up', async () => {
    const { submit, clock, service } = await setupAnswered({ limits: { current: { limit: 2 } } })
    submit('first')
    submit('second')
    await clock.settle()
    const waits = headersWith({ limit: 2, windowSeconds: 600, remaining: 0 })
    const hurried = keys('hurried', 4).map((key) => submit(key, {}, { maxWaitMs: 3 * OCCUPIED_MS }))
    const patient = keys('patient', 2).map((key) => submit(key, {}, { maxWaitMs: 700_000 }))
    service.sent[0]?.answer({ headers: waits })
    await clock.settle()
    assert.deepEqual(new Set(hurried.map(({ state }) => state)), new Set(['failed']))
    assert.deepEqual(new Set(patient.map(({ state }) => state)), new Set(['waiting']))
  })

  it('is notified again within a second if those of other nodes are sent before', async () => {
    const { submit, clock, service } = await setupAnswered({ limits: { current: { limit: 1 } } })
    submit('spends', {}, { queueKey: 'a' })
    await clock.settle()
    service.sent[0]?.answer()
    await clock.settle()
    const { waits, onWait } = listen(clock)
    submit('next', {}, { queueKey: 'a' })
    submit('after it', {}, { queueKey: 'a', onWait })
    submit('other', {}, { queueKey: 'b' })
    await clock.pass(1000)
    assert.deepEqual(waits, [242, 362])
  })

  it('is notified again when it passes', async () => {
    const { submit, clock } = await setupAnswered({ limits: { current: { limit: 1 } } })
    submit('slow')
    await clock.settle()
    const { waits, onWait } = listen(clock)
    submit('waits', {}, { onWait })
    await clock.pass(OCCUPIED_MS)
    const before = waits.length
    assert.ok(before <= 2, `${waits}`)
    await clock.pass(3000)
    assert.deepEqual(waits.slice(before), [121])
  })

  it('is notified to be over if only a connection is missing by then', async () => {
    const { submit, clock, service } = await setupAnswered({
      concurrency: 1,
      limits: { current: { limit: 1 } },
    })
    submit('spends')
    await clock.settle()
    service.sent[0]?.answer()
    await clock.settle()
    submit('slow', { endpoint: 'latest-data' })
    const { waits, onWait } = listen(clock)
    submit('waits', {}, { onWait })
    await clock.pass(OCCUPIED_MS + 2000)
    assert.deepEqual(
      [waits, service.keys()],
      [
        [121, null],
        ['spends', 'slow'],
      ],
    )
  })

  it('is notified, and ends a wait, if a retry has to wait for a permit', async () => {
    const { submit, clock, service } = await setupAnswered({ limits: { current: { limit: 1 } } })
    const { waits, onWait } = listen(clock)
    const submitted = [submit('same', {}, { onWait }), submit('same', {}, { maxWaitMs: 60_000 })]
    await clock.settle()
    const error = new EnvlogError('service-failed', { status: 503 }, { status: 503 })
    service.sent[0]?.answer({ error, retryAfterMs: 5000 })
    await clock.pass(5000)
    assert.deepEqual(waits, [null, 116])
    assert.deepEqual(
      submitted.map(({ state }) => state),
      ['waiting', 'failed'],
    )
  })

  it('is notified to thousands in batches, so that nothing else has to wait', async () => {
    const { submit, clock, service } = setupQuota()
    let [inTurn, most, turning] = [0, 0, true]
    const waits = new Set<string>()
    submit('first', { endpoint: 'alert' })
    for (const key of keys('r', 2000)) {
      const onWait = () => {
        waits.add(key)
        most = Math.max(most, ++inTurn)
      }
      submit(key, { endpoint: 'alert' }, { onWait, queueKey: key.at(-1) as string })
    }
    await clock.settle()
    waits.clear()
    most = 0
    const turn = () => {
      inTurn = 0
      if (turning) setImmediate(turn)
    }
    turn()
    service.sent[0]?.answer(refusedResult(429, { limit: 12, windowSeconds: 7200 }))
    await clock.settle()
    turning = false
    assert.equal(waits.size, 2000)
    assert.ok(most <= 500, `${most} in one turn`)
  })

  it('is not computed any more once no caller waits', async () => {
    const { submit, clock } = await setupAnswered({ limits: { current: { limit: 1 } } })
    const abort = new AbortController()
    submit('slow', {}, { signal: abort.signal })
    await clock.settle()
    submit('waits', {}, { signal: abort.signal, onWait: () => {} })
    await clock.settle()
    abort.abort()
    await clock.settle()
    assert.equal(clock.pending(), 0)
  })
})
