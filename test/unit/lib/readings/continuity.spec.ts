import assert from 'node:assert/strict'
import fc from 'fast-check'
import { findGaps, type NumberedRecord } from '../../../../src/lib/readings/continuity'

const TEN_MINUTES = 600
/** Records from `[unix seconds or null, data id]`. */
const numbered = (...pairs: (readonly [number | null, number | null])[]): NumberedRecord[] =>
  pairs.map(([seconds, dataId]) => {
    const timestamp = seconds === null ? null : seconds * 1000
    return { timestamp, dataId, time: timestamp === null ? null : new Date(timestamp).toISOString() }
  })
/** Ids at a constant interval: `every(600, 5, 6, 9)` are three records, ten minutes from id to id. */
const every = (interval: number, ...ids: number[]) =>
  numbered(...ids.map((id) => [1e9 + (id - (ids[0] ?? 0)) * interval, id] as const))
const iso = (seconds: number) => new Date(seconds * 1000).toISOString()
const kinds = (records: NumberedRecord[], standalone: boolean) =>
  findGaps(records, standalone).map(({ kind, missing }) => [kind, missing])

describe('the gaps of a series', () => {
  for (const standalone of [true, false]) {
    describe(standalone ? 'of a standalone device' : 'of a remote unit', () => {
      it('do not exist if ids are consecutive', () => {
        assert.deepEqual(findGaps(every(600, 1, 2, 3, 4), standalone), [])
      })

      it('contain the number of missing ids and the times before and after', () => {
        assert.deepEqual(findGaps(every(600, 10, 11, 16, 17), standalone), [
          { kind: 'missing', after: iso(1e9 + 600), before: iso(1e9 + 3600), missing: 4 },
        ])
      })

      it('do not exist for jitter or holes in time alone', () => {
        const jitter = numbered([1e9, 1], [1e9 + 601, 2], [1e9 + 1200, 3], [1e9 + 90_000, 4])
        assert.deepEqual(findGaps(jitter, standalone), [])
      })

      it('do not exist if ids are all 0 or absent', () => {
        assert.deepEqual(findGaps(numbered([1, 0], [2, 0], [900, 0]), standalone), [])
        assert.deepEqual(findGaps(numbered([1, null], [2, null]), standalone), [])
        assert.deepEqual(findGaps([], standalone), [])
      })

      it('include a restart if the device restarted at a lower id', () => {
        const restarted = numbered([0, 500], [600, 501], [1200, 1], [1800, 2])
        assert.deepEqual(findGaps(restarted, standalone), [
          { kind: 'restart', after: iso(600), before: iso(1200), missing: null },
        ])
      })

      it('do not count records without a time', () => {
        assert.deepEqual(
          kinds(numbered([null, 3], [1e9, 1], [1e9 + 600, 2], [1e9 + 1800, 4]), standalone),
          [],
        )
        assert.deepEqual(kinds(numbered([null, 4], [0, 1], [600, 2], [2400, 5]), standalone), [
          ['missing', 1],
        ])
      })

      it('do not exist for one record, or two with the same id', () => {
        assert.deepEqual(findGaps(numbered([1, 9]), standalone), [])
        assert.deepEqual(findGaps(numbered([1, 9], [2, 9]), standalone), [])
      })
    })
  }

  it('do not exist if relay ids wrap around from 65535 to 0', () => {
    assert.deepEqual(findGaps(numbered([0, 65_534], [600, 65_535], [1200, 0], [1800, 1]), false), [])
    assert.deepEqual(findGaps(numbered([0, 65_535], [600, 0]), false), [])
  })

  it('are counted across the wraparound of relay ids', () => {
    const turned = numbered([0, 65_532], [600, 65_533], [3600, 2], [4200, 3])
    assert.deepEqual(kinds(turned, false), [['missing', 4]])
  })

  it('are counted if a standalone id exceeds 65535', () => {
    assert.deepEqual(findGaps(every(60, 65_534, 65_535, 65_536, 65_537), true), [])
  })

  it('are not caused by the number 0 of a standalone device, in any mixture', () => {
    const mixed = numbered([0, 812], [60, 0], [60, 0], [120, 813], [180, 0], [240, 816])
    assert.deepEqual(kinds(mixed, true), [['missing', 2]])
  })

  it('include a restart if the time is too short for a wraparound', () => {
    assert.deepEqual(kinds(numbered([0, 40_000], [600, 40_001], [1800, 0], [2400, 1]), false), [
      ['restart', null],
    ])
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
        const gaps = findGaps(records, false)
        assert.deepEqual(
          gaps.map(({ missing }) => missing),
          expected,
        )
        assert.ok(gaps.every(({ kind }) => kind === 'missing'))
      }),
    )
  })
})
