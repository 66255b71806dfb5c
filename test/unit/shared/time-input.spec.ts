import assert from 'node:assert/strict'
import { readEpoch, readRelative, readTime } from '../../../src/shared/time-input'

describe('a time in settings', () => {
  it('is a number of seconds below 100,000,000,000, and of milliseconds from there on', () => {
    const instants = [99_999_999_999, 100_000_000_000, -1].map(readEpoch)
    assert.deepEqual(instants, [
      { instant: 99_999_999_999_000 },
      { instant: 100_000_000_000 },
      { instant: -1000 },
    ])
  })

  it('may be a date without separators, but not a part of a date', () => {
    assert.deepEqual(readTime('20261122'), { wallClock: Date.UTC(2026, 10, 22) })
    assert.deepEqual([readTime('2026'), readTime('202611')], [null, null])
    assert.deepEqual(readTime('2026112'), { instant: 2_026_112_000 })
  })

  it('may be before now, by up to weeks', () => {
    const times = ['-30s', '-5m', '-24h', '-7d', ' -2 w ', '24h', '-1y'].map(readRelative)
    const day = 86_400_000
    assert.deepEqual(times, [30_000, 300_000, day, 7 * day, 14 * day, null, null])
  })
})
