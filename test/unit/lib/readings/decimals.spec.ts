import assert from 'node:assert/strict'
import fc from 'fast-check'
import { countDecimals } from '../../../../src/lib/readings/decimals'

describe('the decimals of a number', () => {
  it('are those with which it is written, for any reading', () => {
    const readings = fc.tuple(fc.integer({ min: -1e9, max: 1e9 }), fc.nat(9))
    fc.assert(
      fc.property(readings, ([digits, exponent]) => {
        const value = Number(`${digits}e-${exponent}`)
        const shown = Array.from({ length: 10 }, (_, decimals) => Number(value.toFixed(decimals)) === value)
        assert.equal(countDecimals(value, 0, 10), shown.includes(true) ? shown.indexOf(true) : 10)
      }),
    )
  })

  it('are at least and at most what is of interest', () => {
    assert.equal(countDecimals(21, 2, 10), 2)
    assert.equal(countDecimals(1 / 3, 0, 2), 2)
    assert.equal(countDecimals(1e300, 0, 10), 0)
  })
})
