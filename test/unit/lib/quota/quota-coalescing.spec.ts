import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { EnvlogError } from '../../../../src/lib/errors'
import { EDITOR } from '../../../../src/lib/quota/fair-queue'
import { contextWith, observe } from '../../../support/quota/manual-service'
import { keys, setupAnswered } from '../../../support/quota/quota'

describe('identical requests', () => {
  it('are sent once while one is in flight, and each caller gets its own copy', async () => {
    const { submit, clock, service } = await setupAnswered()
    const submitted = [submit('same'), submit('same', {}, { queueKey: 'other' }), submit('same')]
    await clock.settle()
    submitted.push(submit('same'))
    assert.equal(service.sent.length, 1)
    service.sent[0]?.answer()
    await clock.settle()
    for (const { value } of submitted) assert.deepEqual(value, { of: 'same' })
    assert.equal(new Set(submitted.map(({ value }) => value)).size, 4)
  })

  it('are sent once while they wait, when the first of their queue keys is served', async () => {
    const { submit, clock, service } = await setupAnswered({ concurrency: 1 })
    submit('running')
    for (const key of keys('long', 5)) submit(key, {}, { queueKey: 'long' })
    submit('same', {}, { queueKey: 'long' })
    submit('same', {}, { queueKey: 'short' })
    await clock.settle()
    for (let count = 0; count < 7; count++) {
      service.sent[count]?.answer()
      await clock.settle()
    }
    assert.deepEqual(service.keys(), ['running', 'long0', 'same', 'long1', 'long2', 'long3', 'long4'])
  })

  it('are sent again after the response', async () => {
    const { submit, clock, service } = await setupAnswered()
    for (let count = 1; count <= 2; count++) {
      submit('same')
      await clock.settle()
      assert.equal(service.sent.length, count)
      service.sent.at(-1)?.answer()
      await clock.settle()
    }
  })

  it('fail together', async () => {
    const { submit, clock, service } = await setupAnswered()
    const submitted = [submit('same'), submit('same')]
    await clock.settle()
    const error = new EnvlogError('service-failed', {}, { status: 500 })
    service.sent[0]?.answer({ error })
    await clock.settle()
    assert.deepEqual(
      submitted.map((one) => one.error),
      [error, error],
    )
  })
})

describe('an unexpected error', () => {
  const slip = new TypeError('a slip of ours')

  it('rejects the caller if sending itself fails; others continue', async () => {
    const { clock, service, quota, submit } = await setupAnswered({ concurrency: 1 })
    const failing = { ...service.request('failing'), send: () => Promise.reject(slip) }
    const failed = observe(quota.submit(failing, contextWith()))
    const next = submit('next')
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
    const { clock, service, quota, submit } = await setupAnswered({
      limits: { current: { limit: 1, window: 60 } },
    })
    submit('spends')
    await clock.settle()
    service.sent[0]?.answer()
    const onWait = () => {
      throw slip
    }
    const failed = observe(quota.submit(service.request('same'), contextWith({ onWait })))
    const other = submit('same')
    await clock.pass(65_000)
    assert.equal(failed.error, slip)
    service.sent[1]?.answer()
    await clock.settle()
    assert.equal(other.state, 'done')
  })

  it('is ENVLOG_REPLY for a caller whose copy of the result cannot be made', async () => {
    const { clock, service, quota } = await setupAnswered()
    const copy = () => {
      throw new RangeError('too deep')
    }
    const submitted = ['first', 'second'].map(() =>
      observe(quota.submit({ ...service.request('same'), copy }, contextWith())),
    )
    await clock.settle()
    service.sent[0]?.answer()
    await clock.settle()
    assert.deepEqual(
      submitted.map(({ state, error }) => [state, error?.code]),
      [
        ['done', undefined],
        ['failed', 'ENVLOG_REPLY'],
      ],
    )
  })

  it('rejects the caller, with or without a response', async () => {
    const { submit, clock, service, quota } = await setupAnswered()
    const submitted = [submit('unanswered'), submit('answered')]
    await clock.settle()
    const error = new TypeError('a slip of ours') as never
    service.sent[0]?.answer({ error, headers: null })
    service.sent[1]?.answer({ error })
    await clock.settle()
    assert.deepEqual(
      submitted.map((one) => one.error),
      [error, error],
    )
    assert.equal(quota.counts().running, 0)
  })
})

describe('a caller that leaves', () => {
  it('gets ENVLOG_CLOSED immediately, and the others their result', async () => {
    const { submit, clock, service } = await setupAnswered()
    const abort = new AbortController()
    const leaving = submit('same', {}, { signal: abort.signal })
    const staying = submit('same')
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
    const { submit, clock, service, quota } = await setupAnswered()
    const aborts = [new AbortController(), new AbortController()]
    for (const { signal } of aborts) submit('same', {}, { signal })
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
    const { submit, clock, service, quota } = await setupAnswered({ concurrency: 1 })
    submit('running')
    const abort = new AbortController()
    submit('given up', {}, { signal: abort.signal })
    submit('next')
    await clock.settle()
    assert.equal(quota.counts().waiting, 2)
    abort.abort()
    assert.equal(quota.counts().waiting, 1)
    service.sent[0]?.answer()
    await clock.settle()
    assert.deepEqual(service.keys(), ['running', 'next'])
  })

  it('sends nothing if it has left before', async () => {
    const { submit, clock, service } = await setupAnswered()
    const submitted = submit('late', {}, { signal: AbortSignal.abort() })
    await clock.settle()
    assert.deepEqual([submitted.error?.reason, service.sent.length], ['closed', 0])
  })

  it('may ask again while the aborted request is still ending', async () => {
    const { submit, clock, service } = await setupAnswered()
    const abort = new AbortController()
    submit('same', {}, { signal: abort.signal })
    await clock.settle()
    abort.abort()
    const again = submit('same')
    await clock.settle()
    service.sent[1]?.answer()
    await clock.settle()
    assert.deepEqual([service.sent.length, again.state], [2, 'done'])
  })

  it('leaves no listener at its signal, whatever came of its request', async () => {
    const { submit, clock, service } = await setupAnswered()
    const abort = new AbortController()
    const { signal } = abort
    for (const key of ['well', 'badly', 'too long']) {
      submit(key, {}, { signal, maxWaitMs: 0 })
      await clock.settle()
      service.sent.at(-1)?.answer(key === 'badly' ? { error: new EnvlogError('service-failed') } : {})
      await clock.settle()
    }
    assert.equal(getEventListeners(signal, 'abort').length, 0)
    await clock.pass(1_000_000)
    assert.equal(clock.pending(), 0)
  })

  it('of the editor takes its priority along', async () => {
    const { submit, clock, service } = await setupAnswered({ concurrency: 1 })
    const abort = new AbortController()
    submit('running')
    submit('first', {}, { queueKey: 'a' })
    submit('same', {}, { queueKey: 'b' })
    submit('same', {}, { queueKey: EDITOR, signal: abort.signal })
    abort.abort()
    service.sent[0]?.answer()
    await clock.settle()
    assert.deepEqual(service.keys(), ['running', 'first'])
  })
})
