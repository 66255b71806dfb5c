import assert from 'node:assert/strict'
import { breaksOf, pointsOf } from '../../../../src/lib/report/chart-points'
import { MAX_POINTS } from '../../../../src/lib/report/report-bounds'

/** No multiple of a slot. */
const START = Date.UTC(2026, 9, 10) + 3
/** With slots of ten units of time. */
const PERIOD = { from: START, to: START + 10 * MAX_POINTS }

describe('the points of a chart', () => {
  it('are the lowest, the highest and the mean value of each slot', () => {
    const values = [1, 2, 6, 4, 8].map((value, index) => ({
      time: START + (index < 3 ? index : 10 + index),
      value,
    }))
    assert.deepEqual(pointsOf(values, PERIOD), [
      { time: START, low: 1, high: 6, mean: 3 },
      { time: START + 13, low: 4, high: 8, mean: 6 },
    ])
  })
})

describe('the breaks of a chart', () => {
  /** Of a period with slots of ten minutes and a record each minute. */
  const all = (isMissing: (minute: number) => boolean, isError: (minute: number) => boolean) => {
    const records = Array.from({ length: 10 * MAX_POINTS }, (_, minute) => ({
      ...{ time: null, timestamp: START + minute, dataId: minute + 1, ch1: isError(minute) ? null : 5 },
    })).filter(({ timestamp }) => !isMissing(timestamp - START))
    return breaksOf(records, 1, PERIOD)
  }
  const of = (...those: Parameters<typeof all>) =>
    all(...those).map(({ from, to }) => [from - START, to - START])

  it('are in the order of their times, and tell errors from gaps', () => {
    const found = all(
      (minute) => minute > 300 && minute < 320,
      (minute) => minute === 200 || minute === 400,
    )
    assert.deepEqual(
      found.map(({ from, isError }) => [from - START, isError]),
      [
        [200, true],
        [300, false],
        [400, true],
      ],
    )
  })

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
