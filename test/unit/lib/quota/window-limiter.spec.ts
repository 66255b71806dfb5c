import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import { occupiedMs } from '../../../../src/lib/quota/limits'
import { createWindowLimiter } from '../../../../src/lib/quota/window-limiter'

const MINUTE = { limit: 3, windowSeconds: 60 }
const OCCUPIED_MS = 61_000

/** A limiter with one permit used at each of these instants. */
function spentAt(limit: number, ...instants: number[]) {
  const limiter = createWindowLimiter({ limit, windowSeconds: 60 })
  for (const at of instants) {
    limiter.reserve(`${at}`, 1, 0)
    limiter.commit(`${at}`, 1, at)
  }
  return limiter
}

describe('a window limiter', () => {
  it('occupies permits for a window and a second, or a fiftieth of a short window', () => {
    assert.deepEqual([3600, 60, 50, 10, 1].map(occupiedMs), [3_601_000, 61_000, 51_000, 10_200, 1020])
  })

  it('has all of the limit available at once', () => {
    const limiter = createWindowLimiter(MINUTE)
    assert.equal(limiter.available(0), 3)
    limiter.reserve('three', 3, 0)
    assert.deepEqual([limiter.available(0), limiter.inFlight()], [0, 3])
  })

  it('occupies permits in flight however long that takes, and their window begins with the response', () => {
    const limiter = createWindowLimiter(MINUTE)
    limiter.reserve('one', 1, 0)
    assert.equal(limiter.available(10 * OCCUPIED_MS), 2)
    limiter.commit('one', 1, 10 * OCCUPIED_MS)
    assert.equal(limiter.available(11 * OCCUPIED_MS - 1), 2)
    assert.equal(limiter.available(11 * OCCUPIED_MS), 3)
  })

  it('releases what was not sent, and what was requested and did not come', () => {
    const limiter = createWindowLimiter({ limit: 1000, windowSeconds: 60 })
    limiter.reserve('many', 400, 0)
    limiter.resize('many', 300)
    assert.equal(limiter.available(0), 700)
    limiter.commit('many', 20, 0)
    assert.deepEqual([limiter.available(0), limiter.usage(0)], [980, { own: 20, byOthers: 0 }])
  })

  it('applies the configured limit until a response reports the service’s own', () => {
    const limiter = createWindowLimiter(MINUTE)
    limiter.configure({ limit: 5, windowSeconds: 10 })
    assert.deepEqual(limiter.rateLimit(), { limit: 5, windowSeconds: 10 })
    for (let times = 0; times < 2; times++) limiter.updateLimit({ limit: 7, windowSeconds: 20 }, 0)
    limiter.configure(MINUTE)
    assert.deepEqual([limiter.rateLimit(), limiter.available(0)], [{ limit: 7, windowSeconds: 20 }, 7])
  })

  it('applies the reported window, also to what was used before', () => {
    const limiter = spentAt(3, 0)
    limiter.updateLimit({ limit: 3, windowSeconds: 120 }, 0)
    assert.deepEqual([limiter.available(OCCUPIED_MS), limiter.available(121_000)], [2, 3])
  })

  it('has nothing available if the limit fell below what is used', () => {
    const limiter = spentAt(3, 0, 0, 0)
    limiter.updateLimit({ limit: 1, windowSeconds: 60 }, 0)
    assert.equal(limiter.available(0), 0)
  })

  it('has the share available that is ours, and never none', () => {
    const limiter = spentAt(5, 0)
    assert.deepEqual(
      [limiter.available(0, 0.5), limiter.available(0, 0.1), limiter.available(OCCUPIED_MS, 0.1)],
      [1, 0, 1],
    )
  })
})

describe('usage by others of a window limiter', () => {
  it('is what remains less than by our own count', () => {
    const limiter = spentAt(10, 0)
    limiter.reserve('one', 1, 0)
    limiter.updateRemaining(5, 0, 0)
    assert.deepEqual([limiter.available(0), limiter.usage(0)], [5, { own: 2, byOthers: 3 }])
  })

  it('is never negative: if more remains, nothing becomes available', () => {
    const limiter = spentAt(10, 0, 0, 0)
    for (const remaining of [10, 8, 7]) limiter.updateRemaining(remaining, 0, 0)
    assert.deepEqual([limiter.available(0), limiter.usage(0)], [7, { own: 3, byOthers: 0 }])
  })

  it('is reported again with each response, and counted once', () => {
    const limiter = createWindowLimiter({ limit: 10, windowSeconds: 60 })
    for (const remaining of [8, 8, 6]) limiter.updateRemaining(remaining, 0, 0)
    assert.equal(limiter.usage(0).byOthers, 4)
  })

  it('expires a window after it was reported', () => {
    const limiter = createWindowLimiter({ limit: 10, windowSeconds: 60 })
    limiter.updateRemaining(8, 0, 0)
    limiter.updateRemaining(6, 30_000, 0)
    assert.deepEqual(
      [OCCUPIED_MS - 1, OCCUPIED_MS, OCCUPIED_MS + 30_000].map((at) => limiter.available(at)),
      [6, 8, 10],
    )
  })
})

describe('a throttled window limiter', () => {
  it('is closed for a window and a margin, whatever is free', () => {
    const limiter = createWindowLimiter(MINUTE)
    limiter.throttle(100)
    assert.deepEqual(
      [limiter.available(100), limiter.available(OCCUPIED_MS + 99), limiter.available(OCCUPIED_MS + 100)],
      [0, 0, 3],
    )
  })

  it('reports the end of the closure as the time when permits are available', () => {
    const limiter = createWindowLimiter(MINUTE)
    limiter.throttle(100)
    assert.equal(limiter.availableAt(200, 1), OCCUPIED_MS + 100)
  })
})

describe('when a window limiter has permits', () => {
  it('is now if enough are free', () => {
    assert.equal(spentAt(3, 0).availableAt(50, 2), 50)
  })

  it('is when as many of the oldest are released as are missing', () => {
    const limiter = spentAt(4, 0, 200, 400)
    assert.deepEqual(
      [1, 2, 3, 4].map((amount) => limiter.availableAt(1000, amount)),
      [1000, OCCUPIED_MS, OCCUPIED_MS + 200, OCCUPIED_MS + 400],
    )
  })

  it('counts what is in flight as answered now', () => {
    const limiter = spentAt(2, 0)
    limiter.reserve('one', 1, 0)
    assert.deepEqual(
      [limiter.availableAt(500, 1), limiter.availableAt(500, 2)],
      [OCCUPIED_MS, OCCUPIED_MS + 500],
    )
  })

  it('is a window later for each further multiple of the limit', () => {
    const limiter = spentAt(2, 0, 200)
    assert.deepEqual(
      [2, 3, 4, 5].map((amount) => limiter.availableAt(500, amount)),
      [OCCUPIED_MS + 200, 2 * OCCUPIED_MS, 2 * OCCUPIED_MS + 200, 3 * OCCUPIED_MS],
    )
  })

  it('is the instant from which they are there, however odd the clock’s numbers', () =>
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1e9, noNaN: true }),
        fc.integer({ min: 1, max: 86_400 }),
        (at, window) => {
          const limiter = createWindowLimiter({ limit: 1, windowSeconds: window })
          limiter.reserve('one', 1, 0)
          limiter.commit('one', 1, at)
          const then = limiter.availableAt(at, 1)
          assert.equal(limiter.available(then), 1, `nothing at ${then}`)
        },
      ),
      { numRuns: 2000 },
    ))
})
