import assert from 'node:assert/strict'
import type { Clock } from '../../../../src/lib/clock'
import { createQuota } from '../../../../src/lib/quota/quota'
import { createVirtualClock } from '../../../support/clock'
import { contextWith, createManualService, headersWith, observe } from '../../../support/quota/manual-service'
import { participant } from '../../../support/quota/quota'

const LIMIT = 3
const WINDOW = 10
/** Time between two readings of the clock, ms. */
const LOOK_MS = 0.04

/** A clock that advances with every reading, and timers that fire slightly early, as Node's own do. */
function uneven(early: number) {
  const virtual = createVirtualClock()
  let looks = 0
  const monotonic = () => virtual.monotonic() + LOOK_MS * looks++
  const clock: Clock = {
    now: () => virtual.now(),
    monotonic,
    after: (ms, callback) => virtual.after(Math.max(0, ms - early), callback),
    sleep: (ms, signal) => virtual.sleep(ms, signal),
  }
  return { clock, virtual }
}

describe('timers that come a moment early', () => {
  it('keep no request waiting for ever', async () => {
    for (let early = 0; early < 2; early += LOOK_MS / 4) {
      const { clock, virtual } = uneven(early)
      const service = createManualService(clock)
      const quota = createQuota(clock)
      quota.join(participant({ limits: { current: { limit: LIMIT, window: WINDOW } } }))
      for (const key of ['a', 'b', 'c', 'd']) observe(quota.submit(service.request(key), contextWith()))
      await virtual.settle()
      for (let at = 0; at < LIMIT; at++) {
        service.sent[at]?.answer({ headers: headersWith({ limit: LIMIT, windowSeconds: WINDOW }) })
        await virtual.settle()
      }
      assert.equal(service.sent.length, LIMIT)
      await virtual.pass(3 * WINDOW * 1000)
      assert.equal(service.sent.length, LIMIT + 1, `${early.toFixed(2)} ms early, and it is never sent`)
    }
  })
})
