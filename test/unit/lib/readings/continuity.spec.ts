import assert from 'node:assert/strict'
import fc from 'fast-check'
import { findGaps, type NumberedRecord } from '../../../../src/lib/readings/continuity'

const TEN_MINUTES = 600
/** Records from `[unix seconds, data id]`. */
const numbered = (...pairs: (readonly [number, number])[]): NumberedRecord[] =>
  pairs.map(([seconds, dataId]) => ({
    timestamp: seconds * 1000,
    dataId,
    time: new Date(seconds * 1000).toISOString(),
  }))

describe('the gaps of a series', () => {
  it('are not caused by the number 0 of a standalone device, in any mixture', () => {
    const mixed = numbered([0, 812], [60, 0], [60, 0], [120, 813], [180, 0], [240, 816])
    const gaps = [...findGaps(mixed, true).values()]
    assert.deepEqual(
      gaps.map(({ kind, missing }) => [kind, missing]),
      [['missing', 2]],
    )
  })

  it('are none between numbers that are all 0 or equal, or between two clocks whose numbers alternate', () => {
    for (const isStandalone of [true, false])
      for (const ids of [
        [0, 0, 0],
        [7, 7, 8],
        [65_535, 7, 0, 8, 1, 9],
      ]) {
        const records = numbered(...ids.map((id, at) => [60 * at, id] as const))
        if (isStandalone && ids.includes(65_535)) continue
        assert.equal(findGaps(records, isStandalone).size, ids.length > 3 ? 1 : 0)
      }
  })

  it('include a restart unless there was enough time for the ids in between', () => {
    const kinds = (...pairs: Parameters<typeof numbered>) =>
      [...findGaps(numbered(...pairs), false).values()].map(({ kind }) => kind)
    assert.deepEqual(kinds([0, 40_000], [600, 40_001], [1800, 0]), ['restart'])
    // 30 ids in between take 18,000 s; two thirds of that are enough time.
    const across = (seconds: number) => kinds([0, 65_513], [600, 65_514], [600 + seconds, 9])
    assert.deepEqual([across(12_000), across(11_999)], [['missing'], ['restart']])
    const oneShortStep = [40_000, 40_001, 40_002, 40_003].map((id, at) => [at && at * 600 - 599, id] as const)
    assert.deepEqual(kinds(...oneShortStep, [31_201, 0]), ['restart'])
    assert.deepEqual(kinds([0, 20_000], [600, 0]), ['restart'], 'without a known interval')
    assert.deepEqual(kinds([0, 65_530], [960, 10]), ['missing'], 'without a known interval')
    assert.deepEqual(kinds([0, 65_535], [600, 0]), [])
    // Without a known interval, half of all ids are the border.
    assert.deepEqual(kinds([0, 40_000], [600, 7_232]), ['missing'])
    assert.deepEqual(kinds([0, 40_000], [600, 7_233]), ['restart'])
  })

  it('do not contain records without a time, even across a wraparound', () => {
    const records = numbered([0, 65_533], [600, 65_534], [2400, 1])
    const gaps = [...findGaps([{ time: null, timestamp: null, dataId: 0 }, ...records], false).values()]
    assert.deepEqual(
      gaps.map(({ missing }) => missing),
      [1],
    )
  })

  it('are exactly the missing records of a regular series, even across wraparounds', () => {
    const start = fc.integer({ min: 0, max: 65_535 })
    const steps = fc.array(fc.integer({ min: 1, max: 400 }), { maxLength: 30 })
    fc.assert(
      fc.property(start, steps, (first, rest) => {
        // Three successive records, so that the interval is known.
        let count = 2
        const counts = [0, 1, 2, ...rest.map((step) => (count += step))]
        const records = numbered(...counts.map((n) => [1e9 + n * TEN_MINUTES, (first + n) % 65_536] as const))
        const expected = rest.filter((step) => step > 1).map((step) => step - 1)
        const gaps = [...findGaps(records, false).values()]
        assert.deepEqual(
          gaps.map(({ missing }) => missing),
          expected,
        )
        assert.ok(gaps.every(({ kind }) => kind === 'missing'))
      }),
    )
  })
})
