import assert from 'node:assert/strict'
import { recordingInterval } from '../../../../src/lib/readings/recording-interval'
import type { SeriesRecord } from '../../../../src/lib/readings/series'

const HOUR = 3_600_000

describe('the recording interval', () => {
  /** @param ids record numbers; none by default */
  const of = (hours: number[], ids: (number | null)[] = []) =>
    recordingInterval(
      hours.map((hour, at) => ({ timestamp: hour * HOUR, dataId: ids[at] ?? null }) as SeriesRecord),
    )

  it('is the median time between records, without those of the same time', () => {
    assert.equal(of([0, 1, 2, 3, 4, 5, 6, 7, 8, 20, 20, 20]), HOUR)
    assert.equal(of([0, 0, 0, 0, 0, 0, 0, 1, 2, 3]), HOUR)
  })

  it('takes into account the records that are missing by number, so that a dying logger is not fully covered', () => {
    // At 8 and at 20; one record a minute.
    assert.equal(of([8, 20], [100, 820]), HOUR / 60)
    assert.equal(of([0, 7, 13, 22], [5, 12, 18, 27]), HOUR)
    assert.equal(of([0, 1, 2], [65_535, 0, 1]), HOUR, 'remote units start over')
  })

  it('is not known for a few records without numbers', () => {
    assert.equal(of([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]), HOUR)
    assert.equal(of([0, 1, 2, 3, 4, 5, 6, 7, 8]), null)
    assert.equal(of([8, 20]), null)
    assert.equal(of([8, 20], [0, 0]), null)
    assert.equal(of([8], [1]), null)
  })
})
