import assert from 'node:assert/strict'
import { HoleFailures } from '../../../../src/lib/collect/pause'
import { EnvlogError, type Reason } from '../../../../src/lib/errors'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

function begin() {
  const failures = new HoleFailures()
  const fail = (now: number, reason: Reason = 'timeout-total') => failures.add(new EnvlogError(reason), now)
  return { failures, fail }
}

describe('a page of missing records that fails', () => {
  it('is requested again after 10, 20, 40 minutes …, and given up once it has failed for a day', () => {
    const { failures, fail } = begin()
    let now = 0
    const pauses: (number | undefined)[] = []
    for (let pauseMs = fail(now); pauseMs !== undefined; pauseMs = fail(now)) {
      pauses.push(pauseMs / MINUTE)
      assert.equal(failures.left(now + pauseMs - 1) > 0, true)
      now += pauseMs
      assert.equal(failures.left(now), 0)
    }
    assert.deepEqual(pauses, [10, 20, 40, 80, 160, 320, 640, 1280])
  })

  it('is not given up before the third failure, however long that takes', () => {
    const { fail } = begin()
    assert.deepEqual([fail(0), fail(48 * HOUR)], [10 * MINUTE, 20 * MINUTE])
    assert.equal(fail(48 * HOUR + 20 * MINUTE), undefined)
  })
})

describe('a page of missing records that contradicts its neighbour', () => {
  it('is accepted at the third such failure in a row', () => {
    const { failures, fail } = begin()
    const accepts = (reason: Reason, now: number) => {
      fail(now, reason)
      return failures.acceptsContradiction
    }
    assert.equal(accepts('response-lacks-record', 0), false)
    assert.equal(accepts('no-connection', HOUR), false)
    assert.equal(accepts('response-lacks-record', 2 * HOUR), false)
    assert.equal(accepts('response-lacks-record', 3 * HOUR), true)
  })
})
