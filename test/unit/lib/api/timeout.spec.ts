import assert from 'node:assert/strict'
import { silence, streamed } from '../../../support/fake-transport'
import { context } from '../responses'
import { clientOf, ok, useFakeTimers, watch } from './setup'

const once = { retries: 0, timeout: 30 }

/** A body that sends blanks at an interval, a number of times, and then ends the JSON. */
async function* dripping(every: number, times: number): AsyncGenerator<Uint8Array> {
  yield Buffer.from('{"devices":[')
  for (let count = 0; count < times; count++) {
    await new Promise((resolve) => setTimeout(resolve, every))
    yield Buffer.from(' ')
  }
  yield Buffer.from(']}')
}

describe('the timeout of a response', () => {
  const timers = useFakeTimers()

  it('ends the request with ENVLOG_TIMEOUT after that many seconds of silence before the response', async () => {
    const { client, transport } = clientOf(silence, once)
    const read = watch(client.read('current', {}, context))
    await timers().tickAsync(29_999)
    assert.equal(read.state, 'waits')
    await timers().tickAsync(1)
    assert.equal(read.state, 'timeout-silent')
    assert.equal(read.error?.code, 'ENVLOG_TIMEOUT')
    assert.deepEqual(read.error?.params, { seconds: 30 })
    assert.equal(transport.open(), 0, 'the connection was abandoned')
  })

  it('names the connection if there was none in that time', async () => {
    const send = () => ({ result: silence<never>(), abandon() {} })
    const transport = { send, close: async () => {} }
    const { client } = clientOf(ok, { ...once, transport })
    const read = watch(client.read('current', {}, context))
    await timers().tickAsync(30_000)
    assert.deepEqual([read.state, read.error?.params], ['timeout-connect', { seconds: 30 }])
  })

  it('ends the request with ENVLOG_TIMEOUT after that many seconds of silence within the response', async () => {
    const { client, transport } = clientOf(() => streamed(dripping(30_000, 2)), once)
    const read = watch(client.read('current', {}, context))
    await timers().tickAsync(29_999)
    assert.equal(read.state, 'waits')
    await timers().tickAsync(1)
    assert.equal(read.state, 'timeout-silent')
    assert.equal(transport.open(), 0)
  })

  it('does not expire as long as bytes arrive', async () => {
    const { client } = clientOf(() => streamed(dripping(29_000, 9)), once)
    const read = watch(client.read('current', {}, context))
    await timers().tickAsync(9 * 29_000)
    assert.equal(read.state, 'done')
  })

  it('is ten times as long for the complete response', async () => {
    const { client, transport } = clientOf(() => streamed(dripping(1000, 100_000)), once)
    const read = watch(client.read('current', {}, context))
    await timers().tickAsync(299_999)
    assert.equal(read.state, 'waits')
    await timers().tickAsync(1)
    assert.equal(read.state, 'timeout-total')
    assert.equal(read.error?.code, 'ENVLOG_TIMEOUT')
    assert.deepEqual(read.error?.params, { seconds: 300 })
    assert.equal(transport.open(), 0)
  })

  it('does not run while a request waits for a connection', async () => {
    const late = () =>
      new Promise<ReturnType<typeof ok>>((resolve) => setTimeout(() => resolve(ok()), 29_000))
    const { client } = clientOf(late, { ...once, concurrency: 1 })
    const reads = [1, 2, 3].map((serial) =>
      watch(client.read('current', { 'remote-serial': [`${serial}`] }, context)),
    )
    await timers().tickAsync(3 * 29_000)
    assert.deepEqual(
      reads.map(({ state }) => state),
      ['done', 'done', 'done'],
    )
  })
})
