import assert from 'node:assert/strict'
import { pointsOf } from '../../../../src/lib/report/chart-points'
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
