import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { EnvlogError } from '../../../src/lib/errors'
import { EDITOR } from '../../../src/lib/quota/fair-queue'
import { contextWith, outcome } from '../../support/quota/manual-service'
import { keys, known } from '../../support/quota/quota'

describe('identical requests', () => {
  it('are sent once while one is in flight, and each caller gets its own copy', async () => {
    const { ask, clock, service } = await known()
    const asked = [ask('same'), ask('same', {}, { queueKey: 'other' }), ask('same')]
    await clock.settle()
    asked.push(ask('same'))
    assert.equal(service.sent.length, 1)
    service.sent[0]?.answer()
    await clock.settle()
    for (const { value } of asked) assert.deepEqual(value, { of: 'same' })
    assert.equal(new Set(asked.map(({ value }) => value)).size, 4)
  })

  it('are sent once while they wait, when the first of their queue keys is served', async () => {
    const { ask, clock, service } = await known({ concurrency: 1 })
    ask('running')
    for (const key of keys('long', 5)) ask(key, {}, { queueKey: 'long' })
    ask('same', {}, { queueKey: 'long' })
    ask('same', {}, { queueKey: 'short' })
    await clock.settle()
    for (let count = 0; count < 7; count++) {
      service.sent[count]?.answer()
      await clock.settle()
    }
    assert.deepEqual(service.keys(), ['running', 'long0', 'same', 'long1', 'long2', 'long3', 'long4'])
  })

  it('are sent again after the response', async () => {
    const { ask, clock, service } = await known()
    for (let count = 1; count <= 2; count++) {
      ask('same')
      await clock.settle()
      assert.equal(service.sent.length, count)
      service.sent.at(-1)?.answer()
      await clock.settle()
    }
  })

  it('fail together', async () => {
    const { ask, clock, service } = await known()
    const asked = [ask('same'), ask('same')]
    await clock.settle()
    const error = new EnvlogError('service-failed', {}, { status: 500 })
    service.sent[0]?.answer({ error })
    await clock.settle()
    assert.deepEqual(
      asked.map((one) => one.error),
      [error, error],
    )
  })
})

describe('an error that nobody foresaw', () => {
  const slip = new TypeError('a slip of ours')

  it('rejects the caller if sending itself fails; others continue', async () => {
    const { clock, service, quota, ask } = await known({ concurrency: 1 })
    const failing = { ...service.request('failing'), send: () => Promise.reject(slip) }
    const failed = outcome(quota.submit(failing, contextWith()))
    const next = ask('next')
    await clock.settle()
    assert.equal(failed.error, slip)
    service.sent[0]?.answer()
    await clock.settle()
    assert.equal(next.state, 'done')
    const { running, waiting, endpoints } = quota.counts()
    assert.deepEqual([running, waiting], [0, 0])
    assert.equal(endpoints.current.own, 2, 'it may have reached the service')
  })

  it('rejects only the caller whose own listener throws; others get their result', async () => {
    const { clock, service, quota, ask } = await known({ limits: { current: { limit: 1, window: 60 } } })
    ask('spends')
    await clock.settle()
    service.sent[0]?.answer()
    const onWait = () => {
      throw slip
    }
    const failed = outcome(quota.submit(service.request('same'), contextWith({ onWait })))
    const other = ask('same')
    await clock.pass(65_000)
    assert.equal(failed.error, slip)
    service.sent[1]?.answer()
    await clock.settle()
    assert.equal(other.state, 'done')
  })

  it('is ENVLOG_REPLY for a caller whose copy of the result cannot be made', async () => {
    const { clock, service, quota } = await known()
    const copy = () => {
      throw new RangeError('too deep')
    }
    const asked = ['first', 'second'].map(() =>
      outcome(quota.submit({ ...service.request('same'), copy }, contextWith())),
    )
    await clock.settle()
    service.sent[0]?.answer()
    await clock.settle()
    assert.deepEqual(
      asked.map(({ state, error }) => [state, error?.code]),
      [
        ['done', undefined],
        ['failed', 'ENVLOG_REPLY'],
      ],
    )
  })

  it('rejects the caller, with or without a response', async () => {
    const { ask, clock, service, quota } = await known()
    const asked = [ask('unanswered'), ask('answered')]
    await clock.settle()
    const error = new TypeError('a slip of ours') as never
    service.sent[0]?.answer({ error, headers: null })
    service.sent[1]?.answer({ error })
    await clock.settle()
    assert.deepEqual(
      asked.map((one) => one.error),
      [error, error],
    )
    assert.equal(quota.counts().running, 0)
  })
})

describe('a caller that leaves', () => {
  it('gets ENVLOG_CLOSED immediately, and the others their result', async () => {
    const { ask, clock, service } = await known()
    const abort = new AbortController()
    const leaving = ask('same', {}, { signal: abort.signal })
    const staying = ask('same')
    await clock.settle()
    abort.abort()
    await clock.settle()
    assert.deepEqual([leaving.error?.code, staying.state], ['ENVLOG_CLOSED', 'waiting'])
    assert.equal(service.sent[0]?.signal.aborted, false)
    service.sent[0]?.answer()
    await clock.settle()
    assert.deepEqual([staying.state, service.copies.length], ['done', 0])
  })

  it('as the last of all aborts the request, whose permit stays used', async () => {
    const { ask, clock, service, quota } = await known()
    const aborts = [new AbortController(), new AbortController()]
    for (const { signal } of aborts) ask('same', {}, { signal })
    await clock.settle()
    aborts[0]?.abort()
    assert.equal(service.sent[0]?.signal.aborted, false)
    aborts[1]?.abort()
    assert.equal(service.sent[0]?.signal.aborted, true)
    await clock.settle()
    const { running, waiting, endpoints } = quota.counts()
    assert.deepEqual([running, waiting, endpoints.current.own], [0, 0, 1])
  })

  it('frees the queue', async () => {
    const { ask, clock, service, quota } = await known({ concurrency: 1 })
    ask('running')
    const abort = new AbortController()
    ask('given up', {}, { signal: abort.signal })
    ask('next')
    await clock.settle()
    assert.equal(quota.counts().waiting, 2)
    abort.abort()
    assert.equal(quota.counts().waiting, 1)
    service.sent[0]?.answer()
    await clock.settle()
    assert.deepEqual(service.keys(), ['running', 'next'])
  })

  it('sends nothing if it has left before', async () => {
    const { ask, clock, service } = await known()
    const asked = ask('late', {}, { signal: AbortSignal.abort() })
    await clock.settle()
    assert.deepEqual([asked.error?.reason, service.sent.length], ['closed', 0])
  })

  it('may ask again while the aborted request is still ending', async () => {
    const { ask, clock, service } = await known()
    const abort = new AbortController()
    ask('same', {}, { signal: abort.signal })
    await clock.settle()
    abort.abort()
    const again = ask('same')
    await clock.settle()
    service.sent[1]?.answer()
    await clock.settle()
    assert.deepEqual([service.sent.length, again.state], [2, 'done'])
  })

  it('leaves no listener at its signal, whatever came of its request', async () => {
    const { ask, clock, service } = await known()
    const abort = new AbortController()
    const { signal } = abort
    for (const key of ['well', 'badly', 'too long']) {
      ask(key, {}, { signal, maxWaitMs: 0 })
      await clock.settle()
      service.sent.at(-1)?.answer(key === 'badly' ? { error: new EnvlogError('service-failed') } : {})
      await clock.settle()
    }
    assert.equal(getEventListeners(signal, 'abort').length, 0)
    await clock.pass(1_000_000)
    assert.equal(clock.pending(), 0)
  })

  it('of the editor takes its priority along', async () => {
    const { ask, clock, service } = await known({ concurrency: 1 })
    const abort = new AbortController()
    ask('running')
    ask('first', {}, { queueKey: 'a' })
    ask('same', {}, { queueKey: 'b' })
    ask('same', {}, { queueKey: EDITOR, signal: abort.signal })
    abort.abort()
    service.sent[0]?.answer()
    await clock.settle()
    assert.deepEqual(service.keys(), ['running', 'first'])
  })
})
