import assert from 'node:assert/strict'
import fc from 'fast-check'
import { Coverage, findUnmeasured } from '../../../../src/lib/readings/coverage'

const MINUTE = 60_000
const DAY = 1440

/** Times of values, by minutes. */
const every = (step: number, from: number, until: number) =>
  Array.from({ length: Math.ceil((until - from) / step) }, (_, index) => from + index * step)

/** The gaps of a day, or of a shorter period, in minutes. */
function gapsOf(times: readonly number[], to = DAY) {
  const found = findUnmeasured(
    times.map((time) => time * MINUTE),
    { from: 0, to: to * MINUTE },
  )
  return found?.map((gap) => [gap.from / MINUTE, gap.to / MINUTE])
}

const coverageOf = (times: readonly number[], to = DAY) =>
  new Coverage(
    findUnmeasured(
      times.map((time) => time * MINUTE),
      { from: 0, to: to * MINUTE },
    ),
  ).of({ from: 0, to: to * MINUTE })

describe('coverage', () => {
  it('of 142 values is 54.8 percent of a day if the last one is at 13:09', () => {
    // Every 10 minutes until 12:00, and then every minute.
    const times = [...every(10, 0, 720), ...every(1, 720, 790)]
    assert.equal(times.length, 142)
    assert.deepEqual(gapsOf(times), [[789, DAY]])
    assert.equal(coverageOf(times), 54.8)
  })

  it('is complete if the interval changes in either direction', () => {
    assert.equal(coverageOf([...every(1, 0, 720), ...every(10, 720, DAY)]), 100)
    assert.equal(coverageOf([...every(10, 0, 720), ...every(1, 720, DAY)]), 100)
    assert.equal(coverageOf([...every(60, 0, 300), 300, ...every(5, 305, DAY)]), 100)
  })

  it('knows a gap by 1.9 times the step beside it', () => {
    assert.deepEqual(gapsOf([0, 10, 20, 39, 49, 59], 60), [])
    assert.deepEqual(gapsOf([0, 10, 20, 39.1, 49.1, 59.1], 60), [[20, 39.1]])
  })

  it('compares with the longer of the two sides, and on each with the shorter of two steps', () => {
    // 60 minutes before and 1 minute after: an interval that has changed.
    assert.deepEqual(gapsOf([0, 60, 120, 180, 181, 182, 183], 184), [])
    // A single long step beside it does not excuse another.
    assert.deepEqual(gapsOf([0, 1, 2, 62, 122, 123, 124], 125), [
      [2, 62],
      [62, 122],
    ])
  })

  it('compares the first and the last step with the only side that they have', () => {
    assert.deepEqual(gapsOf([0, 60, 61, 62], 63), [[0, 60]])
    assert.deepEqual(gapsOf([0, 1, 2, 62], 63), [[2, 62]])
  })

  it('begins and ends with the period', () => {
    assert.deepEqual(gapsOf([18, 28, 38], 56), [])
    assert.deepEqual(gapsOf([20, 30, 40], 60), [
      [0, 20],
      [40, 60],
    ])
  })

  it('takes for usual the shorter of the two steps on a side, whichever it is', () => {
    const mirrored = (times: readonly number[]) => times.map((time) => 200 - time).reverse()
    const hasGap = (times: readonly number[], from: number, until: number) =>
      assert.ok(
        gapsOf(times, 200)?.some((gap) => gap[0] === from && gap[1] === until),
        `${times}`,
      )
    // At the beginning and at the end: steps of 10 and 50, or of 50 and 10, and a gap of 20.
    for (const times of [
      [20, 30, 80, 90, 140],
      [20, 70, 80, 130, 140],
    ]) {
      hasGap(times, 0, 20)
      hasGap(mirrored(times), 180, 200)
    }
    // In between: a gap of 30, with steps of 5 on its other side.
    for (const times of [
      [0, 50, 60, 110, 140, 145, 150],
      [0, 10, 60, 70, 100, 105, 110],
    ]) {
      const at = times[3] as number
      hasGap(times, at, at + 30)
      hasGap(mirrored(times), 170 - at, 200 - at)
    }
  })

  it('is not known of one or two values, and is 0 of none', () => {
    assert.equal(coverageOf([]), 0)
    assert.equal(coverageOf([0]), null)
    assert.equal(coverageOf([0, 720]), null)
    assert.equal(coverageOf([0, 0, 0, 720]), null, 'of two different times')
    assert.equal(coverageOf([0, 480, 960]), 100)
  })

  const minutes = fc.uniqueArray(fc.integer({ min: 0, max: DAY - 1 }), { minLength: 3, maxLength: 200 })

  it('of the parts of a period is that of the period', () => {
    fc.assert(
      fc.property(minutes, fc.uniqueArray(fc.integer({ min: 1, max: DAY - 1 })), (times, cuts) => {
        const sorted = times.toSorted((a, b) => a - b)
        const gaps = findUnmeasured(sorted, { from: 0, to: DAY })
        const coverage = new Coverage(gaps)
        const bounds = [0, ...cuts.toSorted((a, b) => a - b), DAY]
        const measured = bounds
          .slice(1)
          .map((to, index) => ({ from: bounds[index] as number, to }))
          .reduce((sum, part) => sum + ((coverage.of(part) as number) * (part.to - part.from)) / 100, 0)
        const whole = new Coverage(gaps).of({ from: 0, to: DAY }) as number
        assert.ok(whole >= 0 && whole <= 100)
        // Each part is rounded to a tenth of a percent.
        assert.ok(Math.abs(measured - (whole * DAY) / 100) <= DAY / 1000)
      }),
    )
  })

  it('does not depend on the unit of time', () => {
    fc.assert(
      fc.property(minutes, fc.integer({ min: 2, max: 100_000 }), (times, factor) => {
        const sorted = times.toSorted((a, b) => a - b)
        const scaled = findUnmeasured(
          sorted.map((time) => time * factor),
          { from: 0, to: DAY * factor },
        )
        assert.deepEqual(
          scaled?.map(({ from, to }) => [from / factor, to / factor]),
          findUnmeasured(sorted, { from: 0, to: DAY })?.map(({ from, to }) => [from, to]),
        )
      }),
    )
  })
})
