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
    // Without a known interval, half of all ids are the border; a record without a time does not show it.
    const undated = { time: null, timestamp: null, dataId: null }
    const beside = findGaps([undated, ...numbered([1e9, 40_000], [1e9 + 600, 7_232])], false)
    assert.deepEqual(
      [...beside.values()].map(({ kind }) => kind),
      ['missing'],
    )
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

  it('are shorter by the records without a time that belong to them, and none if these are all', () => {
    const missing = (pairs: Parameters<typeof numbered>, undated: number[]) => {
      const without = undated.map((dataId) => ({ time: null, timestamp: null, dataId }))
      return [...findGaps([...without, ...numbered(...pairs)], false).values()].map((gap) => gap.missing)
    }
    const pairs = [
      [0, 10],
      [600, 11],
      [3600, 16],
    ] as const
    assert.deepEqual(missing([...pairs], [9, 11, 13, 16, 17]), [3])
    assert.deepEqual(missing([...pairs], [12, 13, 14, 15]), [])
    const across = [
      [0, 65_533],
      [600, 65_534],
      [3600, 3],
    ] as const
    assert.deepEqual(missing([...across], [65_533, 65_534, 65_535, 1, 3, 4]), [2])
  })

  it('count the numbers of a device anew after its restart', () => {
    const records = numbered([0, 5], [60, 6], [120, 1], [180, 2], [540, 8])
    assert.deepEqual(
      [...findGaps(records, true).values()].map(({ kind, missing }) => [kind, missing]),
      [
        ['restart', null],
        ['missing', 5],
      ],
    )
  })

  it('are not caused by a record without a number', () => {
    const [one, two, three] = numbered([0, 7], [60, 0], [120, 8])
    assert.ok(one && two && three)
    assert.equal(findGaps([one, { ...two, dataId: null }, three], true).size, 0)
    assert.equal(findGaps([one, { ...two, dataId: null }, three], false).size, 0)
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
