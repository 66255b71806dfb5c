import assert from 'node:assert/strict'
import { toNumberText } from '../../../src/editor/number-text'

const variable = (name: string) => `\${${name}}`

describe('a typed number', () => {
  it('may have full-width digits, the minus sign of printed texts, and one decimal comma', () => {
    const read = ['−5,5', ' －１８．５ ', '8,25', '−2', '60'].map(toNumberText)
    assert.deepEqual(read, ['-5.5', '-18.5', '8.25', '-2', '60'])
  })

  it('stays as it is if it may be another number, or none', () => {
    const others = ['1,000', '1,000,5', '5-3', '25 °C', variable('LIMIT')]
    assert.deepEqual(others.map(toNumberText), others)
  })
})
