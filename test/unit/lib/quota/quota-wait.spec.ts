import assert from 'node:assert/strict'
import type { QuotaWait } from '../../../../src/lib/quota/types'
import { headersWith, refusedResult } from '../../../support/quota/manual-service'
import { createMemoryStore } from '../../../support/quota/memory-store'
import { keys, setupAnswered, setupQuota } from '../../../support/quota/quota'

const OCCUPIED_MS = 121_000
const LIMITS = { limits: { current: { limit: 1 } } }

/** A quota whose only permit was used `ago` ms before. */
async function usedUp(ago: number, over: Parameters<typeof setupAnswered>[0] = LIMITS) {
  const all = await setupAnswered(over)
  all.submit('spends')
  await all.clock.settle()
  all.service.sent[0]?.answer()
  await all.clock.pass(ago)
  return all
}

describe('the maximum wait of a caller', () => {
  it('of 0 means never: with a permit it is sent, without one it fails immediately', async () => {
    const { submit, clock, service } = await setupAnswered(LIMITS)
    const submitted = [submit('one', {}, { maxWaitMs: 0 }), submit('two', {}, { maxWaitMs: 0 })]
    await clock.settle()
    assert.deepEqual(service.keys(), ['one'])
    const { state, error } = submitted[1] as (typeof submitted)[0]
    assert.deepEqual([state, error?.reason, error?.code], ['failed', 'quota-wait', 'ENVLOG_QUOTA'])
  })

  it('fails immediately if the estimate is longer, with retryAt', async () => {
    const { submit, clock } = await usedUp(1000)
    const short = submit('short', {}, { maxWaitMs: OCCUPIED_MS - 1002 })
    await clock.settle()
    const at = new Date(clock.now() + OCCUPIED_MS - 1000).toISOString()
    assert.deepEqual(short.error?.cause, { endpoint: 'current', retryAt: at })
    assert.deepEqual(short.error?.params, { retryAt: at })
    assert.equal(short.error?.reason, 'quota-wait')
  })

  it('is waited if the estimate is within it', async () => {
    const { submit, clock, service } = await usedUp(1000)
    submit('long', {}, { maxWaitMs: OCCUPIED_MS - 1000 })
    await clock.pass(OCCUPIED_MS - 1000)
    assert.deepEqual(service.keys(), ['spends', 'long'])
  })

  it('counts those that are sent before', async () => {
    const { submit, clock } = await usedUp(0)
    const submitted = keys('r', 4).map((key) => submit(key, {}, { maxWaitMs: 2.5 * OCCUPIED_MS }))
    await clock.settle()
    assert.deepEqual(
      submitted.map(({ state }) => state),
      ['waiting', 'waiting', 'failed', 'failed'],
    )
  })

  it('ends if more was used meanwhile than could be foreseen', async () => {
    const { submit, clock, service } = await setupAnswered({ limits: { current: { limit: 2 } } })
    submit('slow')
    submit('quick')
    await clock.settle()
    service.sent[1]?.answer()
    const waiting = submit('waits', {}, { maxWaitMs: OCCUPIED_MS + 10_000 })
    await clock.pass(1000)
    service.sent[0]?.answer({ headers: headersWith({ limit: 2, windowSeconds: 3600, remaining: 0 }) })
    await clock.pass(OCCUPIED_MS + 10_000)
    assert.deepEqual([waiting.state, waiting.error?.reason], ['failed', 'quota-wait'])
  })

  it('does not apply to connections: with 0 it still waits for one', async () => {
    const { submit, clock, service } = await setupAnswered({ concurrency: 1 })
    submit('running')
    const submitted = submit('next', {}, { maxWaitMs: 0 })
    await clock.pass(3_600_000)
    assert.equal(submitted.state, 'waiting')
    service.sent[0]?.answer()
    await clock.settle()
    assert.equal(service.sent.length, 2)
  })

  it('ends within a second once permits are missing, and not a connection', async () => {
    const { submit, clock, service } = await setupAnswered({ concurrency: 1 })
    submit('running')
    const submitted = submit('next', {}, { maxWaitMs: 1000 })
    await clock.pass(5500)
    service.sent[0]?.answer({ headers: headersWith({ limit: 10, windowSeconds: 120, remaining: 0 }) })
    await clock.pass(1000)
    assert.deepEqual([submitted.state, submitted.error?.reason], ['failed', 'quota-wait'])
  })

  it('is not for an answer either', async () => {
    const { submit, clock } = await setupAnswered()
    const submitted = submit('slow', {}, { maxWaitMs: 1000 })
    await clock.pass(3_600_000)
    assert.equal(submitted.state, 'waiting')
  })

  it('is each caller’s own, and leaves the others waiting', async () => {
    const { submit, clock, service } = await usedUp(0)
    const submitted = [
      submit('same', {}, { maxWaitMs: 0 }),
      submit('same'),
      submit('same', {}, { maxWaitMs: 5000 }),
    ]
    await clock.pass(OCCUPIED_MS)
    assert.deepEqual(
      submitted.map(({ state }) => state),
      ['failed', 'waiting', 'failed'],
    )
    assert.deepEqual(service.keys(), ['spends', 'same'])
  })

  it('fails with records-wait if the device’s records are missing, even without a connection', async () => {
    const { submit, clock, service } = await setupAnswered({ concurrency: 1 }, ['data'])
    submit('all', { endpoint: 'data', device: 'one', wanted: 160_000 })
    await clock.settle()
    service.sent[0]?.answer({ records: 160_000 })
    await clock.settle()
    submit('running', { endpoint: 'data', device: 'other' })
    const submitted = submit('more', { endpoint: 'data', device: 'one' }, { maxWaitMs: 60_000 })
    await clock.settle()
    assert.equal(submitted.error?.reason, 'records-wait')
  })
})

describe('what a caller is notified of while it waits', () => {
  const listen = () => {
    const waits: QuotaWait[] = []
    return { waits, onWait: (wait: QuotaWait) => void waits.push(wait) }
  }

  it('is until when, and that it goes', async () => {
    const { submit, clock } = await usedUp(1000)
    const { waits, onWait } = listen()
    submit('waits', {}, { onWait })
    const until = clock.now() + OCCUPIED_MS - 1000
    await clock.pass(OCCUPIED_MS - 1000)
    assert.deepEqual(
      waits.map((one) => ({ ...one, until: one.until && Math.round(one.until) })),
      [
        { endpoint: 'current', until, records: false },
        { endpoint: 'current', until: null, records: false },
      ],
    )
  })

  it('is not reported any more once no caller waits', async () => {
    const { submit, clock } = await usedUp(1000)
    const { waits, onWait } = listen()
    const abort = new AbortController()
    submit('waits', {}, { onWait, signal: abort.signal })
    abort.abort()
    await clock.settle()
    assert.deepEqual(
      waits.map(({ until }) => until === null),
      [false, true],
    )
  })

  it('is nothing of a wait below a second, nor of one for a connection', async () => {
    const { submit, clock, service } = await usedUp(OCCUPIED_MS - 999)
    const { waits, onWait } = listen()
    submit('soon', {}, { onWait })
    await clock.settle()
    assert.deepEqual(waits, [])
    assert.equal(service.sent.length, 1)
  })

  it('is a new estimate when a refusal makes it longer', async () => {
    const { submit, clock, service } = await setupAnswered({ limits: { current: { limit: 2 } } })
    const { waits, onWait } = listen()
    submit('one')
    submit('two')
    await clock.settle()
    submit('waits', {}, { onWait })
    service.sent[0]?.answer()
    await clock.pass(50_000)
    service.sent[1]?.answer(refusedResult(429))
    await clock.settle()
    const until = waits.map((one) => Math.round((one.until ?? 0) - clock.now()))
    assert.equal(until.length, 2)
    assert.ok((until[1] ?? 0) >= OCCUPIED_MS, `${until}`)
  })

  it('is that the records are missing', async () => {
    const { submit, clock, service } = await setupAnswered({}, ['data'])
    const { waits, onWait } = listen()
    submit('all', { endpoint: 'data', device: 'one', wanted: 160_000 })
    await clock.settle()
    service.sent[0]?.answer({ records: 160_000 })
    await clock.settle()
    submit('more', { endpoint: 'data', device: 'one' }, { onWait })
    await clock.settle()
    const { records, until } = waits.at(-1) as QuotaWait
    assert.deepEqual([records, Math.round((until ?? 0) - clock.now())], [true, 3_601_000])
  })
})

describe('a store that is read', () => {
  it('delays requests, for 5 s at most', async () => {
    for (const [delay, from] of [
      [3000, 3000],
      [60_000, 5000],
    ]) {
      const all = setupQuota()
      const { clock } = all
      all.leave()
      const store = createMemoryStore(clock, { delays: () => delay as number })
      const { submit, service } = setupQuota({ store }, clock)
      submit('one')
      await clock.pass((from as number) - 1)
      assert.equal(service.sent.length, 0)
      await clock.pass(1)
      assert.equal(service.sent.length, 1)
    }
  })
})
