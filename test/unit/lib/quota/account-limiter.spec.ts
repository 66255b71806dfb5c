import assert from 'node:assert/strict'
import type { EndpointName } from '../../../../src/lib/endpoints'
import { createAccountLimiter } from '../../../../src/lib/quota/account-limiter'
import { createJob, createJobQueue } from '../../../../src/lib/quota/job-queue'
import { toPersistedQuota } from '../../../../src/lib/quota/limiter-state'
import { replaysOf } from '../../../../src/lib/quota/shared/messages'
import type { RecordDemand, Reservation } from '../../../../src/lib/quota/types'
import { NO_HEADERS } from '../../../support/quota/manual-service'

type AccountLimiter = ReturnType<typeof createAccountLimiter>

function reserve({ endpoints }: AccountLimiter, name: EndpointName, now: number, demand?: RecordDemand) {
  return endpoints[name].reserve(demand, now) as Reservation
}

/** Size of the saved state over a million requests. */
describe('the limiters of an account over a million requests', () => {
  const save = (limiter: AccountLimiter, now: number) =>
    toPersistedQuota(limiter.getState(now), { account: '', processId: '' }, 0)
  const size = (limiter: AccountLimiter, now: number) => JSON.stringify(save(limiter, now)).length

  it('stay as small as their windows need, however many requests were sent', () => {
    const limiter = createAccountLimiter()
    let [largest, now] = [0, 0]
    for (let count = 0; count < 200_000; count++, now += 25) {
      const reservation = reserve(limiter, 'latest-data', now)
      limiter.commit(reservation, { headers: { ...NO_HEADERS, remaining: 0 }, value: 1 }, now + 20, false)
      if (count % 10_000 === 9999) largest = Math.max(largest, size(limiter, now))
    }
    // A window has 500 entries, each an instant and an amount, ours and others'.
    assert.ok(largest < 2 * 520 * 40, `${largest} characters`)
    assert.equal(save(limiter, now + 100_000).endpoints['latest-data'], undefined)
  })

  it('forget devices whose records were not requested for an hour', () => {
    const limiter = createAccountLimiter()
    const HOUR = 3_601_000
    let [largest, now] = [0, 0]
    for (let count = 0; count < 20_000; count++, now += 36_000) {
      const demand = { device: `device ${count}`, wanted: 10, minimum: 10 }
      const reservation = reserve(limiter, 'data', now, demand)
      limiter.commit(reservation, { headers: NO_HEADERS, records: 10, value: 1 }, now, false)
      if (count % 1000 === 999) largest = Math.max(largest, replaysOf(limiter, now).length)
    }
    assert.ok(largest <= 2 * (HOUR / 36_000) + 64, `${largest} devices`)
    assert.equal(save(limiter, now + HOUR).devices.data, undefined)
  })
})

describe('the next job of an account', () => {
  function waiting(...names: EndpointName[]) {
    const limiter = createAccountLimiter()
    const queue = createJobQueue(limiter)
    for (const name of names) {
      limiter.commit(reserve(limiter, name, 0), { headers: NO_HEADERS, value: 1 }, 0, false)
    }
    for (const name of names) queue.enqueue(createJob(name, name), 'node')
    return { limiter, queue }
  }

  it('is of an endpoint that has a permit', () => {
    const { limiter, queue } = waiting('current', 'alert')
    for (let count = 0; count < 9; count++) reserve(limiter, 'current', 0)
    assert.equal(queue.dequeue(0)?.endpoint, 'alert')
    assert.equal(queue.dequeue(0), undefined)
    assert.equal(queue.dequeue(121_000)?.endpoint, 'current')
  })

  it('is none while other members have the permits of its endpoint', () => {
    const { limiter, queue } = waiting('current')
    limiter.endpoints.current.block(500)
    assert.equal(queue.dequeue(499), undefined)
    assert.equal(queue.nextChange(0), 500)
    assert.equal(queue.dequeue(500)?.endpoint, 'current')
  })

  it('changes when the first permit becomes available, or never if nothing waits', () => {
    const { limiter, queue } = waiting('current', 'alert')
    assert.equal(queue.nextChange(10), Number.POSITIVE_INFINITY)
    for (let count = 0; count < 9; count++) reserve(limiter, 'current', 0)
    for (let count = 0; count < 11; count++) reserve(limiter, 'alert', 0)
    assert.equal(queue.nextChange(10), 121_000)
  })
})
