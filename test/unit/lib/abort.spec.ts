import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { createAbort, linkAbort, orClosed } from '../../../src/lib/abort'
import { nextTurn } from '../../../src/lib/clock'

describe('the signal of a trigger', () => {
  it('can have as many listeners as there are devices, without a warning of Node.js', async () => {
    const warnings: Error[] = []
    const note = (warning: Error) => warnings.push(warning)
    process.on('warning', note)
    const { signal } = createAbort()
    for (let device = 0; device < 1000; device++) signal.addEventListener('abort', () => {})
    await nextTurn()
    process.off('warning', note)
    assert.deepEqual(warnings, [])
  })

  it('ends work that is part of it, also if that begins afterwards', () => {
    const trigger = createAbort()
    const work = linkAbort(trigger.signal)
    assert.equal(work.signal.aborted, false)
    trigger.abort()
    assert.deepEqual([work.signal.aborted, linkAbort(trigger.signal).signal.aborted], [true, true])
  })

  it('keeps no listener of work that is done, and is not ended by it', async () => {
    const { signal } = createAbort()
    linkAbort(signal).abort()
    assert.equal(await orClosed(Promise.resolve('done'), signal), 'done')
    assert.deepEqual([getEventListeners(signal, 'abort'), signal.aborted], [[], false])
  })

  it('ends the wait for work with ENVLOG_CLOSED, also if it has ended before', async () => {
    const trigger = createAbort()
    const never = new Promise(() => {})
    const wait = orClosed(never, trigger.signal)
    trigger.abort()
    for (const waiting of [wait, orClosed(never, trigger.signal)])
      await assert.rejects(waiting, { code: 'ENVLOG_CLOSED' })
  })
})
