import assert from 'node:assert/strict'
import fc from 'fast-check'
import { createPollingOrder } from '../../../../src/lib/collect/for-each'

const targets = ['a', 'b', 'c', 'd', 'e'].map((serial) => ({ serial, base: serial.toUpperCase() }))
const one = (index: number) => targets[index] as (typeof targets)[number]

describe('the polling order', () => {
  it('begins with devices that were never polled, in the given order, and then the least recently polled', () => {
    const round = createPollingOrder()
    assert.deepEqual(round.leastRecentlyPolledFirst(targets), targets)
    round.markPolled(one(0))
    round.markPolled(one(3))
    round.markPolled(one(0))
    assert.deepEqual(round.leastRecentlyPolledFirst(targets), [1, 2, 4, 3, 0].map(one))
  })

  it('that is interrupted continues where it stopped, also in a new process', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 12 }),
        fc.boolean(),
        (cuts, restarts) => {
          let round = createPollingOrder()
          const polled: string[] = []
          for (const count of cuts) {
            for (const target of round.leastRecentlyPolledFirst(targets).slice(0, count)) {
              round.markPolled(target)
              polled.push(target.serial)
            }
            if (!restarts) continue
            const saved = JSON.parse(JSON.stringify(round.toKeys()))
            round = createPollingOrder()
            round.restore(saved)
          }
          assert.deepEqual(
            polled,
            polled.map((_, index) => one(index % targets.length).serial),
          )
        },
      ),
    )
  })

  it('does not change the given list, and contains each device once', () => {
    const round = createPollingOrder()
    round.markPolled(one(1))
    const given = Object.freeze([...targets])
    const named = (list: readonly { serial: string }[]) => list.map(({ serial }) => serial).toSorted()
    assert.deepEqual(named(round.leastRecentlyPolledFirst(given)), named(given))
  })

  it('treats a serial under two base units as two devices', () => {
    const twins = [
      { serial: 'a', base: 'X' },
      { serial: 'a', base: 'Y' },
    ]
    const round = createPollingOrder()
    round.markPolled(twins[0] as (typeof twins)[number])
    assert.deepEqual(round.leastRecentlyPolledFirst(twins), twins.toReversed())
    assert.deepEqual(round.toKeys(), ['X/a'])
  })

  it('that is restored late has devices that were polled since at the end', () => {
    const round = createPollingOrder()
    round.markPolled(one(0))
    round.restore(['A/a', 'B/b', 'C/c'])
    assert.deepEqual(round.toKeys(), ['B/b', 'C/c', 'A/a'])
  })

  it('knows which failures were ambiguous, until the device is polled again', () => {
    const round = createPollingOrder()
    round.markPolled(one(0), true)
    round.markPolled(one(1), true)
    round.markPolled(one(1))
    assert.deepEqual(
      targets.map((target) => round.isSuspect(target)),
      [true, false, false, false, false],
    )
    round.delete('A/a')
    assert.equal(round.isSuspect(one(0)), false)
  })
})
