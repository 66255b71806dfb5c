import assert from 'node:assert/strict'
import fc from 'fast-check'
import { createRound } from '../../../src/lib/collect/for-each'

const targets = ['a', 'b', 'c', 'd', 'e'].map((serial) => ({ serial, base: serial.toUpperCase() }))
const one = (index: number) => targets[index] as (typeof targets)[number]

describe('a round over devices', () => {
  it('begins with those never asked, as they were named, and goes on with who was asked longest ago', () => {
    const round = createRound()
    assert.deepEqual(round.order(targets), targets)
    round.asked(one(0))
    round.asked(one(3))
    round.asked(one(0))
    assert.deepEqual(round.order(targets), [1, 2, 4, 3, 0].map(one))
  })

  it('that is cut short goes on where it stopped, also in a new process', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 12 }), fc.boolean(), (cuts, anew) => {
        let round = createRound()
        const asked: string[] = []
        for (const count of cuts) {
          for (const target of round.order(targets).slice(0, count)) {
            round.asked(target)
            asked.push(target.serial)
          }
          if (!anew) continue
          const saved = JSON.parse(JSON.stringify(round.save()))
          round = createRound()
          round.load(saved)
        }
        assert.deepEqual(
          asked,
          asked.map((_, index) => one(index % targets.length).serial),
        )
      }),
    )
  })

  it('leaves the list it was given alone, and each device in it once', () => {
    const round = createRound()
    round.asked(one(1))
    const given = Object.freeze([...targets])
    const named = (list: readonly { serial: string }[]) => list.map(({ serial }) => serial).toSorted()
    assert.deepEqual(named(round.order(given)), named(given))
  })

  it('takes a serial under two base units for two devices', () => {
    const twins = [
      { serial: 'a', base: 'X' },
      { serial: 'a', base: 'Y' },
    ]
    const round = createRound()
    round.asked(twins[0] as (typeof twins)[number])
    assert.deepEqual(round.order(twins), twins.toReversed())
    assert.deepEqual(round.save(), ['X/a'])
  })

  it('that is loaded late puts what was asked since at the end', () => {
    const round = createRound()
    round.asked(one(0))
    round.load(['A/a', 'B/b', 'C/c'])
    assert.deepEqual(round.save(), ['B/b', 'C/c', 'A/a'])
  })

  it('knows who failed in a way that may be anybody’s, until it is asked again', () => {
    const round = createRound()
    round.asked(one(0), true)
    round.asked(one(1), true)
    round.asked(one(1))
    assert.deepEqual(
      targets.map((target) => round.isDoubtful(target)),
      [true, false, false, false, false],
    )
    round.drop('A/a')
    assert.equal(round.isDoubtful(one(0)), false)
  })
})
