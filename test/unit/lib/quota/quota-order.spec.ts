import assert from 'node:assert/strict'
import { createAbort } from '../../../../src/lib/abort'
import { EDITOR } from '../../../../src/lib/quota/fair-queue'
import { observe, refusedResult } from '../../../support/quota/manual-service'
import { keys, setupAnswered } from '../../../support/quota/quota'

describe('the order of requests', () => {
  /** Answers requests until none are sent any more. */
  async function answerAll({
    clock,
    service,
  }: Pick<Awaited<ReturnType<typeof setupAnswered>>, 'clock' | 'service'>) {
    for (let count = 0; count < service.sent.length; count++) {
      service.sent[count]?.answer()
      await clock.settle()
    }
    return service.keys()
  }

  it('a queue key with 300 requests does not delay a key with one', async () => {
    const all = await setupAnswered({ concurrency: 1, limits: { current: { limit: 1000 } } })
    for (const key of keys('many', 300)) all.submit(key, {}, { queueKey: 'fleet' })
    all.submit('one', {}, { queueKey: 'single' })
    await all.clock.settle()
    const went = await answerAll(all)
    assert.equal(went.length, 301)
    // The first is sent before the others are queued, so its queue key may be next.
    assert.ok(went.indexOf('one') <= 2)
  })

  it('a queue key with 300 requests does not delay another while permits are rare', async () => {
    const { submit, clock, service } = await setupAnswered({ limits: { current: { limit: 2, window: 60 } } })
    for (const key of keys('many', 300)) submit(key, {}, { queueKey: 'fleet' })
    await clock.settle()
    submit('one', {}, { queueKey: 'single' })
    for (const { answer } of service.sent) answer()
    await clock.pass(61_000)
    assert.deepEqual(service.keys().slice(2).sort(), ['many2', 'one'])
  })

  it('the editor goes before all others, of whatever endpoint', async () => {
    const all = await setupAnswered({ concurrency: 1 }, ['current', 'alert', 'data'])
    all.submit('running')
    for (const endpoint of ['current', 'data'] as const) {
      for (const key of keys(endpoint, 3)) all.submit(key, { endpoint })
    }
    all.submit('person', { endpoint: 'alert' }, { queueKey: EDITOR })
    await all.clock.settle()
    assert.equal((await answerAll(all))[1], 'person')
  })

  it('a request without available records leaves its turn to others of its key whenever it is dequeued', async () => {
    const records = { limit: 100, records: 10_000, recordsWindow: 3600 }
    const all = await setupAnswered({ concurrency: 1, limits: { data: records } }, ['data'])
    const { submit, clock, service } = all
    const data = (device: string, wanted: number, minimum = wanted) => ({
      endpoint: 'data' as const,
      device,
      wanted,
      minimum,
    })
    const answer = async (records: number) => {
      service.sent.at(-1)?.answer({ records: records })
      await clock.settle()
    }
    submit('use', data('D', 9400))
    await clock.settle()
    await answer(9400)
    submit('lacks records', data('D', 5000), { queueKey: 'X' })
    await clock.settle()
    service.sent.length = 0
    for (let at = 0; at < 8; at++) submit(`Y${at}`, data('D', 1), { queueKey: 'Y' })
    for (let at = 0; at < 4; at++) submit(`X${at}`, data(`E${at}`, 1), { queueKey: 'X' })
    await clock.settle()
    for (let at = 0; at < 12; at++) await answer(1)
    const lines = service.keys().map((key) => key[0])
    assert.ok(lines.lastIndexOf('X') <= 8, lines.join(''))
  })

  it('10,000 with a limited wait for one device fail together if it has no records left', async () => {
    const all = await setupAnswered({ concurrency: 1, limits: { data: { limit: 100_000 } } }, ['data'])
    const { submit, clock, service, quota } = all
    const data = { endpoint: 'data' as const, device: 'one', wanted: 10, minimum: 10 }
    const submitted = keys('k', 10_000).map((key) => submit(key, data, { maxWaitMs: 60_000 }))
    await clock.settle()
    service.sent[0]?.answer(refusedResult(429, { remaining: 5, recordsRemaining: 0 }))
    await clock.settle()
    assert.deepEqual(new Set(submitted.map(({ error }) => error?.code)), new Set(['ENVLOG_QUOTA']))
    assert.deepEqual([quota.counts().running, quota.counts().waiting], [0, 0])
    submit('later', { endpoint: 'current' })
    await clock.settle()
    assert.equal(service.keys().at(-1), 'later')
  })

  it('endpoints take turns for connections', async () => {
    const all = await setupAnswered({ concurrency: 1 }, ['current', 'alert', 'data'])
    for (const endpoint of ['current', 'alert', 'data'] as const) {
      for (const key of keys(`${endpoint} `, 3)) all.submit(key, { endpoint })
    }
    await all.clock.settle()
    const went = (await answerAll(all)).map((key) => key.split(' ')[0])
    for (const round of [0, 3, 6]) {
      assert.deepEqual(went.slice(round, round + 3).sort(), ['alert', 'current', 'data'])
    }
  })

  it('an endpoint without permits does not delay the others', async () => {
    const { submit, clock, service } = await setupAnswered({ limits: { current: { limit: 1 } } }, [
      'current',
      'alert',
    ])
    for (const key of keys('current', 3)) submit(key)
    submit('alert', { endpoint: 'alert' })
    await clock.settle()
    assert.deepEqual(service.keys(), ['current0', 'alert'])
  })

  it('the queue is bounded, and accepts one more when one has left', async () => {
    const { submit, clock, service, quota } = await setupAnswered({ concurrency: 1 })
    submit('running')
    await clock.settle()
    const abort = new AbortController()
    submit('given up', {}, { signal: abort.signal })
    for (const key of keys('r', 9999)) void observe(quota.submit(service.request(key), quiet))
    const full = submit('one more')
    const joined = submit('r5')
    await clock.settle()
    assert.equal(quota.counts().waiting, 10_000)
    assert.deepEqual([full.error?.reason, full.error?.code], ['queue-full', 'ENVLOG_BUSY'])
    assert.deepEqual(full.error?.params, { most: 10_000 })
    assert.equal(joined.state, 'waiting')
    abort.abort()
    const after = submit('one more')
    await clock.settle()
    assert.equal(after.state, 'waiting')
  })

  const quiet = { signal: createAbort().signal, queueKey: 'many', maxWaitMs: null }
})
