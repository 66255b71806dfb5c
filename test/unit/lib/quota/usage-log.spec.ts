import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import { createUsageLog } from '../../../../src/lib/quota/usage-log'

describe('a usage log', () => {
  it('expires entries to the instant', () => {
    const log = createUsageLog()
    for (const at of [1, 2, 3]) log.append(at, at * 10)
    log.expire(7, 5)
    assert.deepEqual([log.total(), log.entries()], [30, [{ at: 3, amount: 30 }]])
  })

  it('appends nothing if nothing was used', () => {
    const log = createUsageLog()
    log.append(1, 0)
    log.append(1, -5)
    assert.deepEqual([log.total(), log.entries()], [0, []])
  })

  it('merges entries of nearly the same time, and gives them the later time', () => {
    const log = createUsageLog()
    for (const at of [0, 6, 10, 11]) log.append(at, 1, 10)
    assert.deepEqual(log.entries(), [
      { at: 10, amount: 3 },
      { at: 11, amount: 1 },
    ])
  })

  it('does not merge into an expired entry', () => {
    const log = createUsageLog()
    log.append(0, 5, 10)
    log.expire(0, 0)
    log.append(1, 1, 10)
    assert.deepEqual([log.total(), log.entries()], [1, [{ at: 1, amount: 1 }]])
  })

  it('inserts entries of another process in the order of time', () => {
    const log = createUsageLog()
    log.append(5, 1)
    log.append(9, 2)
    log.expire(5, 0)
    log.insert([
      { at: 12, amount: 4 },
      { at: 7, amount: 3 },
    ])
    assert.deepEqual(
      log.entries().map(({ at }) => at),
      [7, 9, 12],
    )
    log.expire(7, 0)
    assert.equal(log.total(), 6)
  })

  it('never expires too early, and too late by the merge interval at most', () => {
    const step = fc.record({ wait: fc.nat(30), amount: fc.nat(5) })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.nat(20), (steps, grain) => {
        const log = createUsageLog()
        const all: { at: number; amount: number }[] = []
        let now = 0
        const since = (until: number) => all.reduce((sum, one) => sum + (one.at > until ? one.amount : 0), 0)
        for (const { wait, amount } of steps) {
          now += wait
          log.append(now, amount, grain)
          all.push({ at: now, amount })
          log.expire(now, 100)
          assert.ok(log.total() >= since(now - 100))
          assert.ok(log.total() <= since(now - 100 - grain))
          assert.equal(
            log.entries().reduce((sum, one) => sum + one.amount, 0),
            log.total(),
          )
        }
      }),
    )
  })

  it('stays small over a million entries', () => {
    const log = createUsageLog()
    let longest = 0
    for (let at = 0; at < 1_000_000; at++) {
      log.append(at, 1, 10)
      log.expire(at, 5000)
      if (at % 997 === 0) longest = Math.max(longest, log.entries().length)
    }
    assert.ok(longest <= 5000 / 10 + 2, `${longest} entries`)
  })
})
