import assert from 'node:assert/strict'
import { isLow, meterOf } from '../../../src/editor/quota-bars'

describe('the records of a device in the form of the account', () => {
  it('are shown if less than half of them are left', () => {
    const of = (left: number) => isLow({ endpoint: 'data', device: 'base/serial', limit: 160_000, left })
    assert.deepEqual([80_000, 79_999].map(of), [false, true])
  })
})

describe('the bar of a quota in the form of the account', () => {
  it('is marked below a fifth', () => {
    assert.deepEqual(meterOf(10, 50), { value: 10, max: 50, low: 10, optimum: 50 })
  })
})
