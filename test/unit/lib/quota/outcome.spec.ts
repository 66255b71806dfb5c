import assert from 'node:assert/strict'
import fc from 'fast-check'
import { readQuotaHeaders } from '../../../../src/lib/quota-headers'

describe('the rate headers', () => {
  it('are integers or null, for any input', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.array(fc.string())), (value) => {
        const { remaining } = readQuotaHeaders({ 'x-ratelimit-remaining': value })
        assert.ok(remaining === null || (Number.isSafeInteger(remaining) && remaining >= 0))
      }),
    )
  })
})
