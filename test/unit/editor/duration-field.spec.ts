import assert from 'node:assert/strict'
import { toSaved, toTyped } from '../../../src/editor/duration-field'

describe('a duration', () => {
  it('is shown in the largest unit in which it is whole', () => {
    for (const [saved, unit, shown] of [
      ['90', 's', '90 s'],
      ['600', 's', '10 min'],
      ['97200', 's', '27 h'],
      ['172800', 's', '2 d'],
      ['90', 'min', '90 min'],
      ['1440', 'min', '1 d'],
      ['0.5', 'min', '30 s'],
      ['0', 's', '0 s'],
      ['', 'min', ' min'],
      ['often', 's', 'often s'],
      ['-60', 's', '-60 s'],
    ] as const) {
      const typed = toTyped(saved, unit)
      assert.equal(`${typed.text} ${typed.unit}`, shown)
      assert.equal(toSaved(typed, unit), saved)
    }
  })

  it('is saved in the unit of the property, without errors of rounding', () => {
    for (const [text, typed, unit, saved] of [
      ['1,1', 'min', 's', '66'],
      ['１', 'd', 's', '86400'],
      ['2.3', 'h', 'min', '138'],
      ['20', 's', 'min', '0.333333333333'],
      [' ', 'h', 'min', ''],
    ] as const)
      assert.equal(toSaved({ text, unit: typed }, unit), saved)
  })
})
