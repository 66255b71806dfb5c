import assert from 'node:assert/strict'
import { EnvlogError } from '../../../src/lib/errors'
import { headersWith, refusal } from '../../support/quota/manual-service'
import { keys, known } from '../../support/quota/quota'

const HELD = 121_000

describe('a refusal', () => {
  it('closes its endpoint for a window, others go on', async () => {
    const { ask, clock, desk } = await known({}, ['current', 'alert'])
    ask('refused')
    await clock.settle()
    desk.sent[0]?.answer(refusal(429))
    await clock.settle()
    ask('waits')
    ask('alert', { endpoint: 'alert' })
    await clock.pass(HELD - 1)
    assert.deepEqual(desk.keys(), ['refused', 'alert'])
    await clock.pass(1)
    assert.deepEqual(desk.keys(), ['refused', 'alert', 'refused', 'waits'])
  })

  it('brings the request back to the head of its line, and its line before the others', async () => {
    const { ask, clock, desk } = await known({ concurrency: 1 })
    for (const key of ['a0', 'a1']) ask(key, {}, { queueKey: 'a' })
    for (const key of ['b0', 'b1']) ask(key, {}, { queueKey: 'b' })
    await clock.settle()
    desk.sent[0]?.answer(refusal(429))
    await clock.pass(HELD)
    for (let count = 1; count < 5; count++) {
      desk.sent[count]?.answer()
      await clock.settle()
    }
    assert.deepEqual(desk.keys().slice(0, 2), ['a0', 'a0'])
    assert.deepEqual(desk.keys().slice(2).sort(), ['a1', 'b0', 'b1'])
  })

  it('that comes three times is the asker’s, with when another try is worth it', async () => {
    const { ask, clock, desk } = await known()
    const asked = ask('refused')
    await clock.settle()
    for (let count = 0; count < 3; count++) {
      assert.deepEqual([desk.sent.length, asked.state], [count + 1, 'waiting'])
      desk.sent[count]?.answer(refusal(429))
      await clock.pass(count < 2 ? HELD : 0)
    }
    assert.deepEqual([asked.error?.reason, asked.error?.code], ['quota-refused', 'ENVLOG_QUOTA'])
    const retryAt = new Date(clock.now() + HELD).toISOString()
    assert.deepEqual(asked.error?.cause, { status: 429, retryAt })
    await clock.pass(10 * HELD)
    assert.equal(desk.sent.length, 3)
  })

  it('though as many records are left as were asked for waits for a window, and is not asked again at once', async () => {
    const { ask, clock, desk } = await known({}, ['data'])
    const asked = ask('refused', { endpoint: 'data', device: 'one' })
    await clock.settle()
    desk.sent[0]?.answer(refusal(429, { remaining: 15, recordsRemaining: 160_000 }))
    await clock.pass(60_000)
    assert.deepEqual([desk.sent.length, asked.state], [1, 'waiting'])
    await clock.pass(3_600_000)
    assert.equal(desk.sent.length, 2)
  })

  it('closes for the described window after a 429, and for the told one where nothing remained otherwise', async () => {
    for (const [status, goesAgain] of [
      [429, false],
      [400, true],
    ] as const) {
      const { ask, clock, desk } = await known()
      ask('refused')
      await clock.settle()
      desk.sent[0]?.answer(refusal(status, { limit: 5, windowSeconds: 2, remaining: 0 }))
      await clock.pass(60_000)
      assert.equal(desk.sent.length > 1, goesAgain)
    }
  })

  it('is forgotten once the request succeeds', async () => {
    const { ask, clock, desk } = await known()
    for (const status of [429, 429, 200, 429, 429, 200]) {
      const asked = ask('same')
      await clock.settle()
      desk.sent.at(-1)?.answer(status === 429 ? refusal(429) : {})
      await clock.pass(HELD)
      assert.equal(asked.state, status === 200 ? 'done' : 'waiting')
    }
  })

  it('counts as spent, and so does each of those that were on their way', async () => {
    const { ask, clock, desk, quota } = await known()
    for (const key of keys('r', 3)) ask(key)
    await clock.settle()
    for (const one of desk.sent.slice(0, 3)) one.answer(refusal(429))
    await clock.settle()
    assert.deepEqual([quota.counts().endpoints.current.own, quota.counts().endpoints.current.left], [3, 0])
  })

  it('fails those at once who do not wait so long', async () => {
    const { ask, clock, desk } = await known({ limits: { current: { limit: 2 } } })
    ask('one')
    ask('refused')
    await clock.settle()
    desk.sent[0]?.answer()
    const asked = [ask('short', {}, { maxWaitMs: HELD + 1000 }), ask('long', {}, { maxWaitMs: 2 * HELD })]
    await clock.pass(60_000)
    desk.sent[1]?.answer(refusal(429))
    await clock.settle()
    assert.deepEqual(
      asked.map(({ state }) => state),
      ['failed', 'waiting'],
    )
  })

  it('tells who does not wait so long what the service said, where it was refused itself', async () => {
    const { ask, clock, desk } = await known()
    const asked = ask('refused', {}, { maxWaitMs: 1000 })
    await clock.settle()
    desk.sent[0]?.answer(refusal(429))
    await clock.settle()
    assert.equal(asked.error?.reason, 'quota-refused')
    assert.ok(asked.error?.cause.retryAt)
  })
})

describe('another status', () => {
  for (const status of [400, 404, 409, 422]) {
    it(`is a limit with ${status} where nothing remains, and told as one the third time`, async () => {
      const { ask, clock, desk } = await known()
      const asked = ask('refused')
      await clock.settle()
      for (let count = 0; count < 3; count++) {
        desk.sent[count]?.answer(refusal(status, { remaining: 0 }))
        await clock.pass(HELD)
      }
      assert.equal(desk.sent.length, 3)
      assert.deepEqual([asked.error?.reason, asked.error?.cause.status], ['quota-refused', status])
    })
  }

  it('is told as a limit at once where one does not wait for it', async () => {
    const { ask, clock, desk } = await known()
    const asked = ask('refused', {}, { maxWaitMs: 0 })
    await clock.settle()
    desk.sent[0]?.answer(refusal(400, { remaining: 0 }))
    await clock.settle()
    assert.deepEqual([asked.error?.code, asked.error?.cause.status], ['ENVLOG_QUOTA', 400])
    assert.ok(asked.error?.cause.retryAt)
  })

  it('keeps the failure of the service where quota for another try would come too late', async () => {
    const { ask, clock, desk } = await known({ limits: { current: { limit: 1, window: 600 } } })
    const asked = ask('fails', {}, { maxWaitMs: 0 })
    await clock.settle()
    const error = new EnvlogError('service-failed', { status: 500 }, { status: 500 })
    desk.sent[0]?.answer({ error, retryAfterMs: 1000, headers: headersWith({ remaining: 0 }) })
    await clock.pass(2000)
    assert.deepEqual([asked.error?.code, asked.error?.cause.status], ['ENVLOG_SERVICE', 500])
    assert.equal(desk.sent.length, 1)
  })

  for (const [status, remaining] of [
    [400, 5],
    [400, null],
    [401, 0],
    [403, 0],
    [500, 0],
  ] as const) {
    it(`is the asker’s at once with ${status} and ${remaining} remaining`, async () => {
      const { ask, clock, desk } = await known()
      const asked = ask('fails')
      await clock.settle()
      desk.sent[0]?.answer(refusal(status, { remaining }))
      await clock.settle()
      assert.equal(asked.state, 'failed')
      assert.equal(desk.sent.length, 1)
    })
  }
})

describe('another try', () => {
  const failed = { error: new EnvlogError('service-failed', {}, { status: 503 }), retryAfterMs: 4000 }

  it('comes after as long as it was told, before those that wait, and is spent like any other', async () => {
    const { ask, clock, desk, quota } = await known({ concurrency: 1, limits: { current: { limit: 4 } } })
    const asked = ask('fails', {}, { queueKey: 'a' })
    await clock.settle()
    desk.sent[0]?.answer(failed)
    await clock.pass(1000)
    for (const key of keys('other', 5)) ask(key, {}, { queueKey: 'b' })
    await clock.pass(3000)
    desk.sent[1]?.answer()
    await clock.settle()
    assert.deepEqual(desk.keys(), ['fails', 'other0', 'fails'])
    desk.sent[2]?.answer()
    await clock.settle()
    assert.equal(asked.state, 'done')
    assert.equal(quota.counts().endpoints.current.own, 4)
  })

  it('is not made where the asker left meanwhile', async () => {
    const { ask, clock, desk, quota } = await known()
    const abort = new AbortController()
    ask('fails', {}, { signal: abort.signal })
    await clock.settle()
    desk.sent[0]?.answer(failed)
    await clock.pass(1000)
    abort.abort()
    await clock.pass(60_000)
    assert.deepEqual([desk.sent.length, quota.counts().waiting, clock.pending()], [1, 0, 0])
  })

  it('is shared by who asks for the same meanwhile', async () => {
    const { ask, clock, desk } = await known()
    ask('fails')
    await clock.settle()
    desk.sent[0]?.answer(failed)
    await clock.pass(1000)
    const joined = ask('fails', {}, { queueKey: 'other', maxWaitMs: 0 })
    await clock.pass(3000)
    assert.equal(desk.sent.length, 2)
    desk.sent[1]?.answer()
    await clock.settle()
    assert.equal(joined.state, 'done')
  })

  it('is none after a refusal: that waits for a window', async () => {
    const { ask, clock, desk } = await known()
    ask('refused')
    await clock.settle()
    desk.sent[0]?.answer({ ...refusal(429), retryAfterMs: 10 } as never)
    await clock.pass(HELD - 1)
    assert.equal(desk.sent.length, 1)
  })

  it('is none where it was not told one', async () => {
    const { ask, clock, desk } = await known()
    const asked = ask('fails')
    await clock.settle()
    desk.sent[0]?.answer({ error: failed.error, headers: headersWith() })
    await clock.settle()
    assert.deepEqual([asked.error?.reason, desk.sent.length], ['service-failed', 1])
  })
})
