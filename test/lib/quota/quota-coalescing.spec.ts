import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { EnvlogError } from '../../../src/lib/errors'
import { EDITOR } from '../../../src/lib/quota/fair-queue'
import { contextWith, outcome } from '../../support/quota/manual-service'
import { keys, known } from '../../support/quota/quota'

describe('identical requests', () => {
  it('become one on their way, and each asker has a copy of its own', async () => {
    const { ask, clock, desk } = await known()
    const asked = [ask('same'), ask('same', {}, { queueKey: 'other' }), ask('same')]
    await clock.settle()
    asked.push(ask('same'))
    assert.equal(desk.sent.length, 1)
    desk.sent[0]?.answer()
    await clock.settle()
    for (const { value } of asked) assert.deepEqual(value, { of: 'same' })
    assert.equal(new Set(asked.map(({ value }) => value)).size, 4)
  })

  it('become one while they wait, and go at the turn of the line that comes first', async () => {
    const { ask, clock, desk } = await known({ concurrency: 1 })
    ask('running')
    for (const key of keys('long', 5)) ask(key, {}, { queueKey: 'long' })
    ask('same', {}, { queueKey: 'long' })
    ask('same', {}, { queueKey: 'short' })
    await clock.settle()
    for (let count = 0; count < 7; count++) {
      desk.sent[count]?.answer()
      await clock.settle()
    }
    assert.deepEqual(desk.keys(), ['running', 'long0', 'same', 'long1', 'long2', 'long3', 'long4'])
  })

  it('are asked anew after the answer', async () => {
    const { ask, clock, desk } = await known()
    for (let count = 1; count <= 2; count++) {
      ask('same')
      await clock.settle()
      assert.equal(desk.sent.length, count)
      desk.sent.at(-1)?.answer()
      await clock.settle()
    }
  })

  it('fail together', async () => {
    const { ask, clock, desk } = await known()
    const asked = [ask('same'), ask('same')]
    await clock.settle()
    const error = new EnvlogError('service-failed', {}, { status: 500 })
    desk.sent[0]?.answer({ error })
    await clock.settle()
    assert.deepEqual(
      asked.map((one) => one.error),
      [error, error],
    )
  })
})

describe('an error that nobody foresaw', () => {
  const slip = new TypeError('a slip of ours')

  it('is the asker’s where sending itself fails; others go on', async () => {
    const { clock, desk, quota, ask } = await known({ concurrency: 1 })
    const failing = { ...desk.request('failing'), send: () => Promise.reject(slip) }
    const failed = outcome(quota.ask(failing, contextWith()))
    const next = ask('next')
    await clock.settle()
    assert.equal(failed.error, slip)
    desk.sent[0]?.answer()
    await clock.settle()
    assert.equal(next.state, 'done')
    const { running, waiting, endpoints } = quota.counts()
    assert.deepEqual([running, waiting], [0, 0])
    assert.equal(endpoints.current.own, 2, 'it may have reached the service')
  })

  it('is that of the asker whose own listener fails; others have their answer', async () => {
    const { clock, desk, quota, ask } = await known({ limits: { current: { limit: 1, window: 60 } } })
    ask('spends')
    await clock.settle()
    desk.sent[0]?.answer()
    const onWait = () => {
      throw slip
    }
    const failed = outcome(quota.ask(desk.request('same'), contextWith({ onWait })))
    const other = ask('same')
    await clock.pass(65_000)
    assert.equal(failed.error, slip)
    desk.sent[1]?.answer()
    await clock.settle()
    assert.equal(other.state, 'done')
  })

  it('is ENVLOG_REPLY for an asker who can have no copy of an answer', async () => {
    const { clock, desk, quota } = await known()
    const copy = () => {
      throw new RangeError('too deep')
    }
    const asked = ['first', 'second'].map(() =>
      outcome(quota.ask({ ...desk.request('same'), copy }, contextWith())),
    )
    await clock.settle()
    desk.sent[0]?.answer()
    await clock.settle()
    assert.deepEqual(
      asked.map(({ state, error }) => [state, error?.code]),
      [
        ['done', undefined],
        ['failed', 'ENVLOG_REPLY'],
      ],
    )
  })

  it('is the asker’s, with or without an answer', async () => {
    const { ask, clock, desk, quota } = await known()
    const asked = [ask('unanswered'), ask('answered')]
    await clock.settle()
    const error = new TypeError('a slip of ours') as never
    desk.sent[0]?.answer({ error, headers: null })
    desk.sent[1]?.answer({ error })
    await clock.settle()
    assert.deepEqual(
      asked.map((one) => one.error),
      [error, error],
    )
    assert.equal(quota.counts().running, 0)
  })
})

describe('an asker who leaves', () => {
  it('has ENVLOG_CLOSED at once, and the others their answer', async () => {
    const { ask, clock, desk } = await known()
    const abort = new AbortController()
    const leaving = ask('same', {}, { signal: abort.signal })
    const staying = ask('same')
    await clock.settle()
    abort.abort()
    await clock.settle()
    assert.deepEqual([leaving.error?.code, staying.state], ['ENVLOG_CLOSED', 'waiting'])
    assert.equal(desk.sent[0]?.signal.aborted, false)
    desk.sent[0]?.answer()
    await clock.settle()
    assert.deepEqual([staying.state, desk.copies.length], ['done', 0])
  })

  it('as the last of all ends the request, whose place stays spent', async () => {
    const { ask, clock, desk, quota } = await known()
    const aborts = [new AbortController(), new AbortController()]
    for (const { signal } of aborts) ask('same', {}, { signal })
    await clock.settle()
    aborts[0]?.abort()
    assert.equal(desk.sent[0]?.signal.aborted, false)
    aborts[1]?.abort()
    assert.equal(desk.sent[0]?.signal.aborted, true)
    await clock.settle()
    const { running, waiting, endpoints } = quota.counts()
    assert.deepEqual([running, waiting, endpoints.current.own], [0, 0, 1])
  })

  it('frees the queue', async () => {
    const { ask, clock, desk, quota } = await known({ concurrency: 1 })
    ask('running')
    const abort = new AbortController()
    ask('given up', {}, { signal: abort.signal })
    ask('next')
    await clock.settle()
    assert.equal(quota.counts().waiting, 2)
    abort.abort()
    assert.equal(quota.counts().waiting, 1)
    desk.sent[0]?.answer()
    await clock.settle()
    assert.deepEqual(desk.keys(), ['running', 'next'])
  })

  it('never asks where it has left before', async () => {
    const { ask, clock, desk } = await known()
    const asked = ask('late', {}, { signal: AbortSignal.abort() })
    await clock.settle()
    assert.deepEqual([asked.error?.reason, desk.sent.length], ['closed', 0])
  })

  it('may ask anew while what it gave up still runs out', async () => {
    const { ask, clock, desk } = await known()
    const abort = new AbortController()
    ask('same', {}, { signal: abort.signal })
    await clock.settle()
    abort.abort()
    const again = ask('same')
    await clock.settle()
    desk.sent[1]?.answer()
    await clock.settle()
    assert.deepEqual([desk.sent.length, again.state], [2, 'done'])
  })

  it('leaves no listener at its signal, whatever came of its request', async () => {
    const { ask, clock, desk } = await known()
    const abort = new AbortController()
    const { signal } = abort
    for (const key of ['well', 'badly', 'too long']) {
      ask(key, {}, { signal, maxWaitMs: 0 })
      await clock.settle()
      desk.sent.at(-1)?.answer(key === 'badly' ? { error: new EnvlogError('service-failed') } : {})
      await clock.settle()
    }
    assert.equal(getEventListeners(signal, 'abort').length, 0)
    await clock.pass(1_000_000)
    assert.equal(clock.pending(), 0)
  })

  it('of the editor takes its right of way along', async () => {
    const { ask, clock, desk } = await known({ concurrency: 1 })
    const abort = new AbortController()
    ask('running')
    ask('first', {}, { queueKey: 'a' })
    ask('same', {}, { queueKey: 'b' })
    ask('same', {}, { queueKey: EDITOR, signal: abort.signal })
    abort.abort()
    desk.sent[0]?.answer()
    await clock.settle()
    assert.deepEqual(desk.keys(), ['running', 'first'])
  })
})
