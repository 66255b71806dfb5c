import assert from 'node:assert/strict'
import fc from 'fast-check'
import { readNumber, readValueError } from '../../../../src/lib/decode/value'

const digits = fc.stringMatching(/^[0-9]{1,6}$/)
const space = fc.stringMatching(/^[ \t\n]{0,2}$/)
const sign = fc.constantFrom('', '+', '-')
const mantissa = fc.oneof(
  digits,
  digits.map((whole) => `${whole}.`),
  digits.map((part) => `.${part}`),
  fc.tuple(digits, digits).map(([whole, part]) => `${whole}.${part}`),
)
const exponent = fc.oneof(
  fc.constant(''),
  fc.tuple(fc.constantFrom('e', 'E'), sign, fc.nat(99)).map(([e, s, power]) => `${e}${s}${power}`),
)

describe('reading a number', () => {
  it('accepts numeric text with blanks around it', () => {
    fc.assert(
      fc.property(space, sign, mantissa, exponent, space, (before, s, m, e, after) => {
        assert.equal(readNumber(before + s + m + e + after), Number(s + m + e))
      }),
    )
  })

  for (const text of [
    '',
    ' ',
    'Sensor Error',
    'E1',
    '12.3.4',
    '0x10',
    ' 0x10',
    '\u00a00x10',
    '-0x10',
    '0b1',
    '1,5',
    '-',
    '.',
    '1e',
    'NaN',
    'Infinity',
    '1e999',
  ]) {
    it(`rejects ${JSON.stringify(text)}`, () => assert.equal(readNumber(text), null))
  }

  it('accepts finite numbers unchanged and nothing else', () => {
    fc.assert(fc.property(fc.double({ noDefaultInfinity: true, noNaN: true }), (n) => readNumber(n) === n))
    for (const value of [null, undefined, true, [], [1], {}, Number.NaN, Number.POSITIVE_INFINITY]) {
      assert.equal(readNumber(value), null)
    }
  })
})

describe('the reason why a value is not a number', () => {
  it("is the service's own text, unchanged", () => {
    for (const text of ['Sensor Error', 'E1', ' ----', 'センサー異常', '12.3.4'])
      assert.equal(readValueError(text), text)
  })

  it('is "missing" for a blank or absent value', () => {
    for (const value of ['', '  ', null, undefined]) assert.equal(readValueError(value), 'missing')
  })

  it('is a text for any JSON value, however deep', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => typeof readValueError(value) === 'string'))
    const deep: unknown = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)
    assert.equal(typeof readValueError(deep), 'string')
  })
})
