import assert from 'node:assert/strict'
import { readBattery } from '../../../../src/lib/readings/battery'

/** The table in the API description: code, standalone series 1, all others. */
const table = [
  [1, 'replace-now', 'replace-now'],
  [2, 'replace-soon', 'replace-now'],
  [3, 'half', 'replace-now'],
  [4, 'low', 'replace-soon'],
  [5, 'sufficient', 'sufficient'],
] as const
const series1 = ['M-7', 'K']

describe('the battery level', () => {
  for (const [code, first, second] of table) {
    it(`for code ${code} is ${first} for series 1 and ${second} for all others`, () => {
      const level = (standalone: boolean, model: string) =>
        readBattery(code, { standalone, model }, series1).level
      assert.equal(level(true, 'M-71'), first)
      assert.equal(level(true, 'K'), first)
      assert.equal(level(true, 'XM-71'), second)
      assert.equal(level(true, ''), second)
      assert.equal(
        level(false, 'M-71'),
        second,
        'a remote unit uses the second column, regardless of its model',
      )
    })
  }

  it('is the more cautious one if the account has no series 1 models', () => {
    assert.equal(readBattery(4, { standalone: true, model: 'M-71' }, []).level, 'replace-soon')
  })

  it('is unknown for other codes, and keeps the code', () => {
    for (const code of [0, 6, -1, 1.5, 255]) {
      assert.deepEqual(readBattery(code, { standalone: true, model: '' }, []), { code, level: 'unknown' })
    }
    assert.deepEqual(readBattery(null, { standalone: true, model: '' }, []), { code: null, level: 'unknown' })
  })
})
