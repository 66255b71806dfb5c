import assert from 'node:assert/strict'
import fc from 'fast-check'
import { readNumber, readValueError, sanitizeText } from '../../../../src/lib/decode/value'

// Fixtures show which texts are numbers, and which are errors: `odd-numbers`, `error-texts`, `values-blank`.
describe('a number', () => {
  it('is none of any blanks, though JavaScript takes them for 0', () => {
    const blanks = ['', ' ', '\t', '\u00a0', '\u3000', '\ufeff', [], null, false]
    assert.deepEqual(new Set(blanks.map(readNumber)), new Set([null]))
  })
})

describe('the reason why a value is not a number', () => {
  it('is a text for any JSON value, however deep', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => typeof readValueError(value) === 'string'))
    const deep: unknown = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)
    assert.equal(typeof readValueError(deep), 'string')
  })
})

describe('a text of the service', () => {
  it('is cut off after 1,000 characters', () => {
    assert.deepEqual(
      [1000, 1001].map((length) => sanitizeText('x'.repeat(length)).length),
      [1000, 1000],
    )
  })
})
