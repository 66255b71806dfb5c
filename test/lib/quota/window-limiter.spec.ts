import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import { createAllowance, heldMs } from '../../../src/lib/quota/window-limiter'

const MINUTE = { limit: 3, window: 60 }
const HELD = 61_000

/** One with so many spent at so many instants. */
function spentAt(limit: number, ...instants: number[]) {
  const allowance = createAllowance({ limit, window: 60 })
  for (const at of instants) {
    allowance.take(`${at}`, 1, 0)
    allowance.settle(`${at}`, 1, at)
  }
  return allowance
}

describe('an allowance', () => {
  it('holds what is spent for a window and a second, or a fiftieth of a short window', () => {
    assert.deepEqual([3600, 60, 50, 10, 1].map(heldMs), [3_601_000, 61_000, 51_000, 10_200, 1020])
  })

  it('lets all of the limit go at once', () => {
    const allowance = createAllowance(MINUTE)
    assert.equal(allowance.left(0), 3)
    allowance.take('three', 3, 0)
    assert.deepEqual([allowance.left(0), allowance.inFlight()], [0, 3])
  })

  it('holds what is in flight however long that takes, and its window begins with the answer', () => {
    const allowance = createAllowance(MINUTE)
    allowance.take('one', 1, 0)
    assert.equal(allowance.left(10 * HELD), 2)
    allowance.settle('one', 1, 10 * HELD)
    assert.equal(allowance.left(11 * HELD - 1), 2)
    assert.equal(allowance.left(11 * HELD), 3)
  })

  it('takes back what was not sent, and what was asked for and did not come', () => {
    const allowance = createAllowance({ limit: 1000, window: 60 })
    allowance.take('many', 400, 0)
    allowance.shorten('many', 300)
    assert.equal(allowance.left(0), 700)
    allowance.settle('many', 20, 0)
    assert.deepEqual([allowance.left(0), allowance.spent(0)], [980, { own: 20, foreign: 0 }])
  })

  it('follows the table until an answer told the service’s own row', () => {
    const allowance = createAllowance(MINUTE)
    allowance.rebase({ limit: 5, window: 10 })
    assert.deepEqual(allowance.row(), { limit: 5, window: 10 })
    for (let times = 0; times < 2; times++) allowance.tell({ limit: 7, window: 20 }, 0)
    allowance.rebase(MINUTE)
    assert.deepEqual([allowance.row(), allowance.left(0)], [{ limit: 7, window: 20 }, 7])
  })

  it('holds for the window that was told, also what was spent before', () => {
    const allowance = spentAt(3, 0)
    allowance.tell({ limit: 3, window: 120 }, 0)
    assert.deepEqual([allowance.left(HELD), allowance.left(121_000)], [2, 3])
  })

  it('has nothing left where the limit fell below what is spent', () => {
    const allowance = spentAt(3, 0, 0, 0)
    allowance.tell({ limit: 1, window: 60 }, 0)
    assert.equal(allowance.left(0), 0)
  })

  it('is the half where only a share is ours, and never none', () => {
    const allowance = spentAt(5, 0)
    assert.deepEqual([allowance.left(0, 0.5), allowance.left(0, 0.1), allowance.left(HELD, 0.1)], [1, 0, 1])
  })
})

describe('what others spent of an allowance', () => {
  it('is what remains less than by our own count', () => {
    const allowance = spentAt(10, 0)
    allowance.take('one', 1, 0)
    allowance.remains(5, 0, 0)
    assert.deepEqual([allowance.left(0), allowance.spent(0)], [5, { own: 2, foreign: 3 }])
  })

  it('is never negative: what remains more gives no place', () => {
    const allowance = spentAt(10, 0, 0, 0)
    for (const remaining of [10, 8, 7]) allowance.remains(remaining, 0, 0)
    assert.deepEqual([allowance.left(0), allowance.spent(0)], [7, { own: 3, foreign: 0 }])
  })

  it('is told anew with each answer, and counted once', () => {
    const allowance = createAllowance({ limit: 10, window: 60 })
    for (const remaining of [8, 8, 6]) allowance.remains(remaining, 0, 0)
    assert.equal(allowance.spent(0).foreign, 4)
  })

  it('is released a window after it was told', () => {
    const allowance = createAllowance({ limit: 10, window: 60 })
    allowance.remains(8, 0, 0)
    allowance.remains(6, 30_000, 0)
    assert.deepEqual(
      [HELD - 1, HELD, HELD + 30_000].map((at) => allowance.left(at)),
      [6, 8, 10],
    )
  })
})

describe('a refused allowance', () => {
  it('is closed for a window and a margin, whatever is free', () => {
    const allowance = createAllowance(MINUTE)
    allowance.refuse(100)
    assert.deepEqual([allowance.left(100), allowance.left(HELD + 99), allowance.left(HELD + 100)], [0, 0, 3])
  })

  it('says so when asked when something may go', () => {
    const allowance = createAllowance(MINUTE)
    allowance.refuse(100)
    assert.equal(allowance.when(200, 1), HELD + 100)
  })
})

describe('when an allowance has places', () => {
  it('is now where enough are free', () => {
    assert.equal(spentAt(3, 0).when(50, 2), 50)
  })

  it('is when as many of the oldest are released as are missing', () => {
    const allowance = spentAt(4, 0, 200, 400)
    assert.deepEqual(
      [1, 2, 3, 4].map((amount) => allowance.when(1000, amount)),
      [1000, HELD, HELD + 200, HELD + 400],
    )
  })

  it('counts what is in flight as answered now', () => {
    const allowance = spentAt(2, 0)
    allowance.take('one', 1, 0)
    assert.deepEqual([allowance.when(500, 1), allowance.when(500, 2)], [HELD, HELD + 500])
  })

  it('takes a window more for each further round over the limit', () => {
    const allowance = spentAt(2, 0, 200)
    assert.deepEqual(
      [2, 3, 4, 5].map((amount) => allowance.when(500, amount)),
      [HELD + 200, 2 * HELD, 2 * HELD + 200, 3 * HELD],
    )
  })

  it('is the instant from which they are there, however odd the clock’s numbers', () =>
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1e9, noNaN: true }),
        fc.integer({ min: 1, max: 86_400 }),
        (at, window) => {
          const allowance = createAllowance({ limit: 1, window })
          allowance.take('one', 1, 0)
          allowance.settle('one', 1, at)
          const then = allowance.when(at, 1)
          assert.equal(allowance.left(then), 1, `nothing at ${then}`)
        },
      ),
      { numRuns: 2000 },
    ))
})
