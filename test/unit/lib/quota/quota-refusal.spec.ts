import assert from 'node:assert/strict'
import { EnvlogError } from '../../../../src/lib/errors'
import { headersWith, refusedResult } from '../../../support/quota/manual-service'
import { keys, setupAnswered } from '../../../support/quota/quota'

const OCCUPIED_MS = 121_000

describe('a refusal', () => {
  it('closes its endpoint for a window, others continue', async () => {
    const { submit, clock, service } = await setupAnswered({}, ['current', 'alert'])
    submit('refused')
    await clock.settle()
    service.sent[0]?.answer(refusedResult(429))
    await clock.settle()
    submit('waits')
    submit('alert', { endpoint: 'alert' })
    await clock.pass(OCCUPIED_MS - 1)
    assert.deepEqual(service.keys(), ['refused', 'alert'])
    await clock.pass(1)
    assert.deepEqual(service.keys(), ['refused', 'alert', 'refused', 'waits'])
  })

  it('puts the request before all others of its queue key, and its key before the other keys', async () => {
    const { submit, clock, service } = await setupAnswered({ concurrency: 1 })
    for (const key of ['a0', 'a1']) submit(key, {}, { queueKey: 'a' })
    for (const key of ['b0', 'b1']) submit(key, {}, { queueKey: 'b' })
    await clock.settle()
    service.sent[0]?.answer(refusedResult(429))
    await clock.pass(OCCUPIED_MS)
    for (let count = 1; count < 5; count++) {
      service.sent[count]?.answer()
      await clock.settle()
    }
    assert.deepEqual(service.keys().slice(0, 2), ['a0', 'a0'])
    assert.deepEqual(service.keys().slice(2).sort(), ['a1', 'b0', 'b1'])
  })

  it('that comes three times rejects the caller, with retryAt', async () => {
    const { submit, clock, service } = await setupAnswered()
    const submitted = submit('refused')
    await clock.settle()
    for (let count = 0; count < 3; count++) {
      assert.deepEqual([service.sent.length, submitted.state], [count + 1, 'waiting'])
      service.sent[count]?.answer(refusedResult(429))
      await clock.pass(count < 2 ? OCCUPIED_MS : 0)
    }
    assert.deepEqual([submitted.error?.reason, submitted.error?.code], ['quota-refused', 'ENVLOG_QUOTA'])
    const retryAt = new Date(clock.now() + OCCUPIED_MS).toISOString()
    assert.deepEqual(submitted.error?.cause, { status: 429, retryAt })
    await clock.pass(10 * OCCUPIED_MS)
    assert.equal(service.sent.length, 3)
  })

  it('with enough records left waits for a window, and is not retried immediately', async () => {
    const { submit, clock, service } = await setupAnswered({}, ['data'])
    const submitted = submit('refused', { endpoint: 'data', device: 'one' })
    await clock.settle()
    service.sent[0]?.answer(refusedResult(429, { remaining: 15, recordsRemaining: 160_000 }))
    await clock.pass(60_000)
    assert.deepEqual([service.sent.length, submitted.state], [1, 'waiting'])
    await clock.pass(3_600_000)
    assert.equal(service.sent.length, 2)
  })

  it('closes for the configured window after a 429, otherwise for the reported one if nothing remained', async () => {
    for (const [status, goesAgain] of [
      [429, false],
      [400, true],
    ] as const) {
      const { submit, clock, service } = await setupAnswered()
      submit('refused')
      await clock.settle()
      service.sent[0]?.answer(refusedResult(status, { limit: 5, windowSeconds: 2, remaining: 0 }))
      await clock.pass(60_000)
      assert.equal(service.sent.length > 1, goesAgain)
    }
  })

  it('is forgotten once the request succeeds', async () => {
    const { submit, clock, service } = await setupAnswered()
    for (const status of [429, 429, 200, 429, 429, 200]) {
      const submitted = submit('same')
      await clock.settle()
      service.sent.at(-1)?.answer(status === 429 ? refusedResult(429) : {})
      await clock.pass(OCCUPIED_MS)
      assert.equal(submitted.state, status === 200 ? 'done' : 'waiting')
    }
  })

  it('counts as used, and so does each request that was in flight', async () => {
    const { submit, clock, service, quota } = await setupAnswered()
    for (const key of keys('r', 3)) submit(key)
    await clock.settle()
    for (const one of service.sent.slice(0, 3)) one.answer(refusedResult(429))
    await clock.settle()
    assert.deepEqual([quota.counts().endpoints.current.own, quota.counts().endpoints.current.left], [3, 0])
  })

  it('immediately rejects callers that do not wait so long', async () => {
    const { submit, clock, service } = await setupAnswered({ limits: { current: { limit: 2 } } })
    submit('one')
    submit('refused')
    await clock.settle()
    service.sent[0]?.answer()
    const submitted = [
      submit('short', {}, { maxWaitMs: OCCUPIED_MS + 1000 }),
      submit('long', {}, { maxWaitMs: 2 * OCCUPIED_MS }),
    ]
    await clock.pass(60_000)
    service.sent[1]?.answer(refusedResult(429))
    await clock.settle()
    assert.deepEqual(
      submitted.map(({ state }) => state),
      ['failed', 'waiting'],
    )
  })

  it('rejects a caller with a shorter maximum wait with the service’s answer, if its own request was refused', async () => {
    const { submit, clock, service } = await setupAnswered()
    const submitted = submit('refused', {}, { maxWaitMs: 1000 })
    await clock.settle()
    service.sent[0]?.answer(refusedResult(429))
    await clock.settle()
    assert.equal(submitted.error?.reason, 'quota-refused')
    assert.ok(submitted.error?.cause.retryAt)
  })
})

describe('another status', () => {
  for (const status of [400, 404, 409, 422]) {
    it(`is a limit with ${status} if nothing remains, and reported as one the third time`, async () => {
      const { submit, clock, service } = await setupAnswered()
      const submitted = submit('refused')
      await clock.settle()
      for (let count = 0; count < 3; count++) {
        service.sent[count]?.answer(refusedResult(status, { remaining: 0 }))
        await clock.pass(OCCUPIED_MS)
      }
      assert.equal(service.sent.length, 3)
      assert.deepEqual([submitted.error?.reason, submitted.error?.cause.status], ['quota-refused', status])
    })
  }

  it('is reported as a limit immediately to a caller that does not wait', async () => {
    const { submit, clock, service } = await setupAnswered()
    const submitted = submit('refused', {}, { maxWaitMs: 0 })
    await clock.settle()
    service.sent[0]?.answer(refusedResult(400, { remaining: 0 }))
    await clock.settle()
    assert.deepEqual([submitted.error?.code, submitted.error?.cause.status], ['ENVLOG_QUOTA', 400])
    assert.ok(submitted.error?.cause.retryAt)
  })

  it('keeps the failure of the service if quota for a retry would come too late', async () => {
    const { submit, clock, service } = await setupAnswered({ limits: { current: { limit: 1, window: 600 } } })
    const submitted = submit('fails', {}, { maxWaitMs: 0 })
    await clock.settle()
    const error = new EnvlogError('service-failed', { status: 500 }, { status: 500 })
    service.sent[0]?.answer({ error, retryAfterMs: 1000, headers: headersWith({ remaining: 0 }) })
    await clock.pass(2000)
    assert.deepEqual([submitted.error?.code, submitted.error?.cause.status], ['ENVLOG_SERVICE', 500])
    assert.equal(service.sent.length, 1)
  })

  for (const [status, remaining] of [
    [400, 5],
    [400, null],
    [401, 0],
    [403, 0],
    [500, 0],
  ] as const) {
    it(`rejects the caller immediately with ${status} and ${remaining} remaining`, async () => {
      const { submit, clock, service } = await setupAnswered()
      const submitted = submit('fails')
      await clock.settle()
      service.sent[0]?.answer(refusedResult(status, { remaining }))
      await clock.settle()
      assert.equal(submitted.state, 'failed')
      assert.equal(service.sent.length, 1)
    })
  }
})

describe('a retry', () => {
  const failed = { error: new EnvlogError('service-failed', {}, { status: 503 }), retryAfterMs: 4000 }

  it('is sent after the given delay, before those that wait, and counts like any other', async () => {
    const { submit, clock, service, quota } = await setupAnswered({
      concurrency: 1,
      limits: { current: { limit: 4 } },
    })
    const submitted = submit('fails', {}, { queueKey: 'a' })
    await clock.settle()
    service.sent[0]?.answer(failed)
    await clock.pass(1000)
    for (const key of keys('other', 5)) submit(key, {}, { queueKey: 'b' })
    await clock.pass(3000)
    service.sent[1]?.answer()
    await clock.settle()
    assert.deepEqual(service.keys(), ['fails', 'other0', 'fails'])
    service.sent[2]?.answer()
    await clock.settle()
    assert.equal(submitted.state, 'done')
    assert.equal(quota.counts().endpoints.current.own, 4)
  })

  it('is not sent if the caller left meanwhile', async () => {
    const { submit, clock, service, quota } = await setupAnswered()
    const abort = new AbortController()
    submit('fails', {}, { signal: abort.signal })
    await clock.settle()
    service.sent[0]?.answer(failed)
    await clock.pass(1000)
    abort.abort()
    await clock.pass(60_000)
    assert.deepEqual([service.sent.length, quota.counts().waiting, clock.pending()], [1, 0, 0])
  })

  it('is shared by callers that ask for the same meanwhile', async () => {
    const { submit, clock, service } = await setupAnswered()
    submit('fails')
    await clock.settle()
    service.sent[0]?.answer(failed)
    await clock.pass(1000)
    const joined = submit('fails', {}, { queueKey: 'other', maxWaitMs: 0 })
    await clock.pass(3000)
    assert.equal(service.sent.length, 2)
    service.sent[1]?.answer()
    await clock.settle()
    assert.equal(joined.state, 'done')
  })

  it('does not follow a refusal: that waits for a window', async () => {
    const { submit, clock, service } = await setupAnswered()
    submit('refused')
    await clock.settle()
    service.sent[0]?.answer({ ...refusedResult(429), retryAfterMs: 10 } as never)
    await clock.pass(OCCUPIED_MS - 1)
    assert.equal(service.sent.length, 1)
  })

  it('is not sent without a delay', async () => {
    const { submit, clock, service } = await setupAnswered()
    const submitted = submit('fails')
    await clock.settle()
    service.sent[0]?.answer({ error: failed.error, headers: headersWith() })
    await clock.settle()
    assert.deepEqual([submitted.error?.reason, service.sent.length], ['service-failed', 1])
  })
})
