import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { chunksOf, refusal, type Script, silence, streamed } from '../../../support/fake-transport'
import { context, contextOf } from '../responses'
import { clientOf, ok, useFakeTimers, watch } from './setup'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

/** States of a request when its caller aborts. */
const points: readonly (readonly [string, Script])[] = [
  ['before the answer', silence],
  ['within the answer', () => streamed(stalled())],
  ['while it waits for a further try', () => refusal(503)],
]

async function* stalled(): AsyncGenerator<Uint8Array> {
  yield* chunksOf(['{"devices"'])
  await silence()
}

describe('aborting a request', () => {
  const timers = useFakeTimers()

  for (const [title, script] of points) {
    it(`${title} rejects with ENVLOG_CLOSED immediately and frees its connection`, async () => {
      let first = true
      const { client, transport } = clientOf(
        (request, index) => {
          if (!first) return ok()
          first = false
          return script(request, index)
        },
        { concurrency: 1 },
      )
      const abort = new AbortController()
      const read = watch(client.read('current', {}, contextOf(abort.signal)))
      await timers().tickAsync(100)
      const next = watch(client.read('current', { 'remote-serial': ['next'] }, context))
      await timers().tickAsync(100)
      abort.abort()
      await timers().tickAsync(0)
      assert.equal(read.state, 'closed')
      assert.equal(read.error?.code, 'ENVLOG_CLOSED')
      assert.equal(next.state, 'done')
      assert.equal(transport.open(), 0)
      await client.close()
      assert.equal(timers().countTimers(), 0)
      assert.equal(getEventListeners(abort.signal, 'abort').length, 0)
    })
  }

  it('before it is sent prevents sending', async () => {
    const { client, transport } = clientOf(ok)
    const read = watch(client.read('current', {}, contextOf(AbortSignal.abort())))
    await timers().tickAsync(0)
    assert.equal(read.state, 'closed')
    assert.equal(transport.sent.length, 0)
  })

  it('while it waits for a connection sends nothing and leaves the connection to the next request', async () => {
    const { client, transport } = clientOf(
      () => new Promise((resolve) => setTimeout(() => resolve(ok()), 1000)),
      { concurrency: 1 },
    )
    const abort = new AbortController()
    const first = watch(client.read('current', {}, context))
    const second = watch(client.read('current', { 'remote-serial': ['second'] }, contextOf(abort.signal)))
    const third = watch(client.read('current', { 'remote-serial': ['third'] }, context))
    await timers().tickAsync(500)
    abort.abort()
    await timers().tickAsync(0)
    assert.deepEqual([first.state, second.state, third.state], ['waits', 'closed', 'waits'])
    await timers().tickAsync(1500)
    assert.deepEqual([first.state, third.state], ['done', 'done'])
    assert.equal(transport.sent.length, 2)
  })

  it('has no effect after the response: no listener is left, even if garbage was collected in the meantime', async () => {
    const { client } = clientOf(() => new Promise((resolve) => setTimeout(() => resolve(ok()), 1000)), {
      concurrency: 9,
    })
    const { signal } = new AbortController()
    const reads = [1, 2, 3].map((serial) =>
      watch(client.read('current', { 'remote-serial': [`${serial}`] }, contextOf(signal))),
    )
    await timers().tickAsync(500)
    collectGarbage()
    await timers().tickAsync(3000)
    assert.deepEqual(
      reads.map(({ state }) => state),
      ['done', 'done', 'done'],
    )
    assert.equal(getEventListeners(signal, 'abort').length, 0)
  })
})

describe('closing a client', () => {
  const timers = useFakeTimers()

  for (const [title, script] of points) {
    it(`${title} rejects pending and later requests with ENVLOG_CLOSED`, async () => {
      const { client, transport } = clientOf(script, { concurrency: 1 })
      const reads = [1, 2, 3].map((serial) =>
        watch(client.read('current', { 'remote-serial': [`${serial}`] }, context)),
      )
      await timers().tickAsync(100)
      await client.close()
      const late = watch(client.read('current', {}, context))
      await timers().tickAsync(0)
      assert.deepEqual(new Set([...reads, late].map(({ error }) => error?.code)), new Set(['ENVLOG_CLOSED']))
      assert.deepEqual([transport.open(), transport.closed, timers().countTimers()], [0, true, 0])
    })
  }
})
