import assert from 'node:assert/strict'
import fc from 'fast-check'
import { readQuotaHeaders } from '../../../../src/lib/quota-headers'

describe('the rate headers', () => {
  it('are null if the window is not of one second to a day, or the limit is zero', () => {
    const seconds = ['0', '1', '86400', '86401'].map(
      (text) => readQuotaHeaders({ 'x-ratelimit-reset': text }).windowSeconds,
    )
    assert.deepEqual(seconds, [null, 1, 86_400, null])
    const limits = ['0', '1'].map((text) => readQuotaHeaders({ 'x-ratelimit-limit': text }).limit)
    assert.deepEqual(limits, [null, 1])
  })

  it('are null if they are not a whole number in decimal digits; the first one counts', () => {
    const read = (text: string | string[]) => readQuotaHeaders({ 'x-ratelimit-remaining': text }).remaining
    for (const text of ['', ' ', '1.5', '-1', '1e1', '0x1', '1, 2', '1'.repeat(16)])
      assert.equal(read(text), null, text)
    assert.deepEqual([read(' 7 '), read('0'), read(['7', '8'])], [7, 0, 7])
  })

  it('are integers or null, for any input', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.array(fc.string())), (value) => {
        const { remaining } = readQuotaHeaders({ 'x-ratelimit-remaining': value })
        assert.ok(remaining === null || (Number.isSafeInteger(remaining) && remaining >= 0))
      }),
    )
  })
})
