import assert from 'node:assert/strict'
import { breaksOf, pointsOf } from '../../../../src/lib/report/chart-points'
import { MAX_POINTS } from '../../../../src/lib/report/report-bounds'

describe('the points of a chart', () => {
  it('are the lowest, the highest and the mean value of each slot', () => {
    const values = [1, 2, 6, 4, 8].map((value, index) => ({ time: index < 3 ? index : 10 + index, value }))
    assert.deepEqual(pointsOf(values, { from: 0, to: 10 * MAX_POINTS }), [
      { time: 0, low: 1, high: 6, mean: 3 },
      { time: 13, low: 4, high: 8, mean: 6 },
    ])
  })
})

describe('the breaks of a chart', () => {
  /** Of a period with slots of ten minutes and a record each minute. */
  const of = (isMissing: (minute: number) => boolean, isError: (minute: number) => boolean) => {
    const period = { from: 0, to: 10 * MAX_POINTS }
    const records = Array.from({ length: period.to }, (_, timestamp) => ({
      ...{ time: null, timestamp, dataId: timestamp + 1, ch1: isError(timestamp) ? null : 5 },
    })).filter(({ timestamp }) => !isMissing(timestamp))
    return breaksOf(records, 1, period).map(({ from, to }) => [from, to])
  }

  it('are gaps of at least a slot', () => {
    const isMissing = (minute: number) => (minute > 100 && minute < 109) || (minute > 200 && minute < 210)
    assert.deepEqual(
      of(isMissing, () => false),
      [[200, 210]],
    )
  })

  it('are times without a value, two of which are one if less than a slot is between them', () => {
    const errors = [100, 110, 200, 211, 212]
    assert.deepEqual(
      of(
        () => false,
        (minute) => errors.includes(minute),
      ),
      [
        [100, 111],
        [200, 201],
        [211, 213],
      ],
    )
  })
})
