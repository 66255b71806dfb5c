import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { sleep, systemClock } from '../../../src/lib/clock'
import { useFakeTimers, watch } from './api/setup'

describe('the system clock', () => {
  const timers = useFakeTimers()

  it('sleeps for the given time and leaves no timer behind', async () => {
    const abort = new AbortController()
    const slept = watch(sleep(systemClock, 1000, abort.signal))
    await timers().tickAsync(999)
    assert.equal(slept.state, 'waits')
    await timers().tickAsync(1)
    assert.equal(slept.state, 'done')
    assert.equal(getEventListeners(abort.signal, 'abort').length, 0)
  })

  it('rejects with ENVLOG_CLOSED as soon as the signal aborts, or if it is already aborted', async () => {
    const abort = new AbortController()
    const slept = watch(sleep(systemClock, 1000, abort.signal))
    await timers().tickAsync(500)
    abort.abort()
    const late = watch(sleep(systemClock, 1000, abort.signal))
    await timers().tickAsync(0)
    assert.deepEqual([slept.state, late.state], ['closed', 'closed'])
    assert.equal(timers().countTimers(), 0)
  })
})
