import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import { createUsageLog } from '../../../src/lib/quota/usage-log'

describe('a log of spending', () => {
  it('forgets what was held long enough, to the instant', () => {
    const spending = createUsageLog()
    for (const at of [1, 2, 3]) spending.add(at, at * 10)
    spending.release(7, 5)
    assert.deepEqual([spending.total(), spending.list()], [30, [{ at: 3, amount: 30 }]])
  })

  it('notes nothing where nothing was spent', () => {
    const spending = createUsageLog()
    spending.add(1, 0)
    spending.add(1, -5)
    assert.deepEqual([spending.total(), spending.list()], [0, []])
  })

  it('makes one of what was spent at nearly the same time, and gives it the later', () => {
    const spending = createUsageLog()
    for (const at of [0, 6, 10, 11]) spending.add(at, 1, 10)
    assert.deepEqual(spending.list(), [
      { at: 10, amount: 3 },
      { at: 11, amount: 1 },
    ])
  })

  it('does not add to what was released', () => {
    const spending = createUsageLog()
    spending.add(0, 5, 10)
    spending.release(0, 0)
    spending.add(1, 1, 10)
    assert.deepEqual([spending.total(), spending.list()], [1, [{ at: 1, amount: 1 }]])
  })

  it('takes in what another process spent, in the order of time', () => {
    const spending = createUsageLog()
    spending.add(5, 1)
    spending.add(9, 2)
    spending.release(5, 0)
    spending.merge([
      { at: 12, amount: 4 },
      { at: 7, amount: 3 },
    ])
    assert.deepEqual(
      spending.list().map(({ at }) => at),
      [7, 9, 12],
    )
    spending.release(7, 0)
    assert.equal(spending.total(), 6)
  })

  it('never forgets too early, and at most a grain too late', () => {
    const step = fc.record({ wait: fc.nat(30), amount: fc.nat(5) })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.nat(20), (steps, grain) => {
        const spending = createUsageLog()
        const all: { at: number; amount: number }[] = []
        let now = 0
        const since = (until: number) => all.reduce((sum, one) => sum + (one.at > until ? one.amount : 0), 0)
        for (const { wait, amount } of steps) {
          now += wait
          spending.add(now, amount, grain)
          all.push({ at: now, amount })
          spending.release(now, 100)
          assert.ok(spending.total() >= since(now - 100))
          assert.ok(spending.total() <= since(now - 100 - grain))
          assert.equal(
            spending.list().reduce((sum, one) => sum + one.amount, 0),
            spending.total(),
          )
        }
      }),
    )
  })

  it('stays small over a million entries', () => {
    const spending = createUsageLog()
    let longest = 0
    for (let at = 0; at < 1_000_000; at++) {
      spending.add(at, 1, 10)
      spending.release(at, 5000)
      if (at % 997 === 0) longest = Math.max(longest, spending.list().length)
    }
    assert.ok(longest <= 5000 / 10 + 2, `${longest} entries`)
  })
})
