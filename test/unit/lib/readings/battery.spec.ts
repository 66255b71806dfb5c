import assert from 'node:assert/strict'
import { isBatteryCode, readBattery, urgencyOf } from '../../../../src/lib/readings/battery'

describe('the level of a battery', () => {
  it('depends on the series of a standalone device, and is unknown for other codes', () => {
    const levelsOf = (standalone: boolean) =>
      [1, 2, 3, 4, 5, 0, 6, null].map(
        (code) => readBattery(code, { standalone, model: 'M-71' }, ['M-6', 'M-7']).level,
      )
    const unknown = ['unknown', 'unknown', 'unknown']
    assert.deepEqual(levelsOf(true), ['replace-now', 'replace-soon', 'half', 'low', 'sufficient', ...unknown])
    const [now, soon] = ['replace-now', 'replace-soon']
    assert.deepEqual(levelsOf(false), [now, now, now, soon, 'sufficient', ...unknown])
  })

  it('is known of the codes 1 to 5', () => {
    const codes = [0, 1, 5, 6, 1.5]
    assert.deepEqual(codes.map(isBatteryCode), [false, true, true, false, false])
  })

  it('is urgent if the battery must be replaced', () => {
    const levels = [
      'replace-now',
      'replace-soon',
      'half',
      'low',
      'sufficient',
      'unknown',
      'constructor',
      null,
    ]
    assert.deepEqual(levels.map(urgencyOf), [2, 1, 0, 0, 0, 0, 0, 0])
  })
})
