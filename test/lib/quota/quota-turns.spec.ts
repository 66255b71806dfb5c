import assert from 'node:assert/strict'
import { createAbort } from '../../../src/lib/abort'
import { EDITOR } from '../../../src/lib/quota/turns'
import { outcome } from '../../support/quota/desk'
import { keys, known } from '../../support/quota/quota'

describe('turns of a quota', () => {
  /** Answers whatever leaves, until nothing does. */
  async function answerAll({ clock, desk }: Pick<Awaited<ReturnType<typeof known>>, 'clock' | 'desk'>) {
    for (let count = 0; count < desk.sent.length; count++) {
      desk.sent[count]?.answer()
      await clock.settle()
    }
    return desk.keys()
  }

  it('a line with 300 requests does not hold up a line with one', async () => {
    const all = await known({ concurrency: 1, limits: { current: { limit: 1000 } } })
    for (const key of keys('many', 300)) all.ask(key, {}, { line: 'fleet' })
    all.ask('one', {}, { line: 'single' })
    await all.clock.settle()
    const went = await answerAll(all)
    assert.equal(went.length, 301)
    // The first is gone before the other asks, and the line's turn may be next.
    assert.ok(went.indexOf('one') <= 2)
  })

  it('a line with 300 requests does not hold up another while places are rare', async () => {
    const { ask, clock, desk } = await known({ limits: { current: { limit: 2, window: 60 } } })
    for (const key of keys('many', 300)) ask(key, {}, { line: 'fleet' })
    await clock.settle()
    ask('one', {}, { line: 'single' })
    for (const { answer } of desk.sent) answer()
    await clock.pass(61_000)
    assert.deepEqual(desk.keys().slice(2).sort(), ['many2', 'one'])
  })

  it('the editor goes before all others, of whatever endpoint', async () => {
    const all = await known({ concurrency: 1 }, ['current', 'alert', 'data'])
    all.ask('running')
    for (const endpoint of ['current', 'data'] as const) {
      for (const key of keys(endpoint, 3)) all.ask(key, { endpoint })
    }
    all.ask('person', { endpoint: 'alert' }, { line: EDITOR })
    await all.clock.settle()
    assert.equal((await answerAll(all))[1], 'person')
  })

  it('endpoints take turns for connections', async () => {
    const all = await known({ concurrency: 1 }, ['current', 'alert', 'data'])
    for (const endpoint of ['current', 'alert', 'data'] as const) {
      for (const key of keys(`${endpoint} `, 3)) all.ask(key, { endpoint })
    }
    await all.clock.settle()
    const went = (await answerAll(all)).map((key) => key.split(' ')[0])
    for (const round of [0, 3, 6]) {
      assert.deepEqual(went.slice(round, round + 3).sort(), ['alert', 'current', 'data'])
    }
  })

  it('an endpoint without places does not hold up the others', async () => {
    const { ask, clock, desk } = await known({ limits: { current: { limit: 1 } } }, ['current', 'alert'])
    for (const key of keys('current', 3)) ask(key)
    ask('alert', { endpoint: 'alert' })
    await clock.settle()
    assert.deepEqual(desk.keys(), ['current0', 'alert'])
  })

  it('the queue is bounded, and takes one more when one has left', async () => {
    const { ask, clock, desk, quota } = await known({ concurrency: 1 })
    ask('running')
    await clock.settle()
    const abort = new AbortController()
    ask('given up', {}, { signal: abort.signal })
    for (const key of keys('r', 9999)) void outcome(quota.ask(desk.request(key), quiet))
    const full = ask('one more')
    const joined = ask('r5')
    await clock.settle()
    assert.equal(quota.counts().waiting, 10_000)
    assert.deepEqual([full.error?.reason, full.error?.code], ['queue-full', 'ENVLOG_BUSY'])
    assert.deepEqual(full.error?.params, { most: 10_000 })
    assert.equal(joined.state, 'waiting')
    abort.abort()
    const after = ask('one more')
    await clock.settle()
    assert.equal(after.state, 'waiting')
  })

  const quiet = { signal: createAbort().signal, line: 'many', wait: null }
})
