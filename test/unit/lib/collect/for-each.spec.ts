import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { sleep, systemClock } from '../../../../src/lib/clock'
import { forEachConcurrent } from '../../../../src/lib/collect/for-each'
import { EnvlogError, type Reason } from '../../../../src/lib/errors'
import { useFakeTimers, watch } from '../api/setup'
import { failure, never } from '../responses'

const items = [0, 1, 2, 3, 4, 5, 6]

describe('concurrent work on devices', () => {
  const timers = useFakeTimers()

  /** Each item takes a second; the given ones then fail. */
  function run(
    concurrency: number,
    failing: Record<number, unknown> = {},
    signal = never,
    failedBefore: number[] = [],
  ) {
    const reported: [number, string][] = []
    const seen = { started: [] as number[], done: [] as number[], most: 0, reported }
    let open = 0
    const result = forEachConcurrent(items, concurrency, signal, {
      async work(item, inner) {
        seen.started.push(item)
        seen.most = Math.max(seen.most, ++open)
        try {
          await sleep(systemClock, 1000, inner)
        } finally {
          open--
        }
        const failure = failing[item]
        if (failure) throw typeof failure === 'string' ? new EnvlogError(failure as Reason) : failure
        seen.done.push(item)
      },
      reportFailure: (item, error) => reported.push([item, error.reason]),
      hasFailedAmbiguously: (item) => failedBefore.includes(item),
    })
    return { seen, result, watched: watch(result), open: () => open }
  }

  it('runs at most as many at a time as allowed, in order, each once', async () => {
    for (const concurrency of [1, 3, 20]) {
      const { seen, watched } = run(concurrency)
      await timers().tickAsync(10_000)
      assert.equal(watched.state, 'done')
      assert.deepEqual(seen.started, items)
      assert.equal(seen.most, Math.min(concurrency, items.length))
    }
  })

  const failing = (which: number[], reason = 'service-failed') =>
    Object.fromEntries(which.map((item) => [item, reason]))

  it('starts the next item in place of one that passes its place on, which counts as a success, and waits for it', async () => {
    const started: number[] = []
    const reported: number[] = []
    const result = forEachConcurrent(items, 1, never, {
      async work(item, signal, passOn) {
        if (started.push(item) % 3 !== 1) throw new EnvlogError('service-failed')
        passOn()
        await sleep(systemClock, 1000, signal)
      },
      reportFailure: (item) => reported.push(item),
      hasFailedAmbiguously: () => false,
    })
    const watched = watch(result)
    await timers().tickAsync(999)
    assert.deepEqual([watched.state, started.length, reported.length], ['waits', 7, 4])
    await timers().tickAsync(1)
    assert.equal(watched.state, 'done')
  })

  it('reports a failure of one device and continues', async () => {
    const { seen, watched } = run(2, { 1: 'device-refused', 3: 'records-wait', 6: 'response-unreadable' })
    await timers().tickAsync(10_000)
    assert.equal(watched.state, 'done')
    assert.deepEqual(seen.reported, [
      [1, 'device-refused'],
      [3, 'records-wait'],
      [6, 'response-unreadable'],
    ])
    assert.deepEqual(seen.done, [0, 2, 4, 5])
  })

  it('ends with a failure of the account: the others are aborted, none is started, none is reported', async () => {
    for (const reason of ['login-refused', 'service-refused', 'no-connection', 'timeout-connect']) {
      const { seen, watched, open } = run(3, { 1: reason })
      await timers().tickAsync(1000)
      assert.equal(watched.state, reason)
      assert.deepEqual(seen.started.slice(0, 3), [0, 1, 2])
      assert.ok(seen.started.length <= 4)
      assert.deepEqual([seen.reported, open()], [[], 0])
    }
  })

  it('reports an ambiguous failure for items once each if others succeed', async () => {
    for (const which of [[3], [6], [0, 1], [0, 2, 4, 6], [0, 1, 2, 3]]) {
      const { seen, watched } = run(1, failing(which))
      await timers().tickAsync(10_000)
      assert.equal(watched.state, 'done')
      assert.deepEqual(
        seen.reported.toSorted(),
        which.map((item) => [item, 'service-failed']),
      )
    }
  })

  it('ends with an ambiguous failure if three in a row fail with it, without individual reports', async () => {
    const reasons = [
      'service-failed',
      'gateway-responded',
      'connection-broken',
      'timeout-silent',
      'timeout-total',
    ]
    for (const reason of reasons) {
      // A failure of a single item in between does not count.
      const { seen, watched } = run(1, { ...failing([2, 3, 4, 5], reason), 6: 'device-refused' })
      await timers().tickAsync(10_000)
      assert.equal(watched.state, reason)
      assert.deepEqual([seen.started, seen.reported], [[0, 1, 2, 6, 5, 4], [[6, 'device-refused']]])
    }
  })

  it('ends with one more than are requested at a time, if that is more than three', async () => {
    for (const [which, state] of [
      [[0, 1, 2, 3], 'done'],
      [[0, 1, 2, 3, 6], 'service-failed'],
    ] as const) {
      const { watched } = run(4, failing([...which]))
      await timers().tickAsync(10_000)
      assert.equal(watched.state, state)
    }
  })

  it('ends with an ambiguous failure if no item succeeds', async () => {
    const fail = () => Promise.reject(new EnvlogError('service-failed'))
    const result = forEachConcurrent([0, 1], 1, never, {
      work: fail,
      reportFailure: () => assert.fail('it was reported'),
      hasFailedAmbiguously: () => false,
    })
    await assert.rejects(result, failure('service-failed'))
  })

  it('reports items that fail ambiguously again as soon as another one succeeds, and ends if all do', async () => {
    for (const which of [
      [3, 4, 5, 6],
      [0, 1, 2, 4, 5, 6],
    ]) {
      for (const concurrency of [1, 4]) {
        const { seen, watched } = run(concurrency, failing(which), never, which)
        await timers().tickAsync(10_000)
        assert.equal(watched.state, 'done', `${which} ${concurrency}`)
        assert.deepEqual(seen.reported.map(([item]) => item).toSorted(), which)
      }
    }
    const { seen, watched } = run(1, failing(items), never, items)
    await timers().tickAsync(10_000)
    assert.deepEqual([watched.state, seen.started, seen.reported], ['service-failed', [0, 1, 2], []])
  })

  it('waits for running items if the quota is used up, and starts no others', async () => {
    for (const reason of ['quota-wait', 'quota-refused']) {
      const { seen, watched } = run(3, { 1: reason })
      await timers().tickAsync(10_000)
      assert.equal(watched.state, reason)
      assert.deepEqual(seen.done.slice(0, 2), [0, 2])
      assert.ok(seen.started.length <= 4)
    }
  })

  it('ends unchanged with an error that is not a failure of the service', async () => {
    const bug = new TypeError('a bug')
    const { result } = run(1, { 0: bug })
    await timers().tickAsync(10_000)
    await assert.rejects(result, bug)
  })

  it('rejects with ENVLOG_CLOSED as soon as the caller aborts, and leaves nothing behind', async () => {
    const abort = new AbortController()
    const { seen, watched, open } = run(2, {}, abort.signal)
    await timers().tickAsync(1500)
    abort.abort()
    await timers().tickAsync(0)
    assert.equal(watched.state, 'closed')
    assert.deepEqual([seen.started, open(), seen.reported], [[0, 1, 2, 3], 0, []])
    assert.equal(getEventListeners(abort.signal, 'abort').length, 0)
  })

  it('starts nothing if the caller has already aborted', async () => {
    const { seen, result } = run(2, {}, AbortSignal.abort())
    await assert.rejects(result, failure('ENVLOG_CLOSED'))
    assert.deepEqual(seen.started, [])
  })
})
