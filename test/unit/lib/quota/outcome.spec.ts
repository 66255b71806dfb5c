import assert from 'node:assert/strict'
import fc from 'fast-check'
import { readQuotaHeaders } from '../../../../src/lib/quota/outcome'
import { json } from '../../../support/fake-transport'
import { clientOf } from '../api/setup'
import { context } from '../responses'

const unknown = { limit: null, remaining: null, windowSeconds: null, recordsRemaining: null }

describe('the rate headers', () => {
  it('are read if they are integers', () => {
    assert.deepEqual(
      readQuotaHeaders({
        'x-ratelimit-limit': '20',
        'x-ratelimit-remaining': ' 0 ',
        'x-ratelimit-reset': '60',
        'x-ratelimit-remaining-datacount': '116800',
      }),
      { limit: 20, remaining: 0, windowSeconds: 60, recordsRemaining: 116_800 },
    )
  })

  it('are null if absent', () => assert.deepEqual(readQuotaHeaders({}), unknown))

  it('are null if invalid', () => {
    for (const odd of ['', '0', '-1', '1.5', '1e3', 'many', '60, 60', 'NaN', '9'.repeat(400)]) {
      assert.equal(readQuotaHeaders({ 'x-ratelimit-limit': odd }).limit, null, odd)
    }
  })

  it('count once if a proxy has duplicated them', () => {
    assert.equal(readQuotaHeaders({ 'x-ratelimit-limit': ['60', '60'] }).limit, 60)
    assert.equal(readQuotaHeaders({ 'x-ratelimit-limit': [] }).limit, null)
  })

  it('are integers or null, for any input', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.array(fc.string())), (value) => {
        const { remaining } = readQuotaHeaders({ 'x-ratelimit-remaining': value })
        assert.ok(remaining === null || (Number.isSafeInteger(remaining) && remaining >= 0))
      }),
    )
  })

  it('are returned with the response', async () => {
    const { client } = clientOf(() => json({ devices: [] }, 200, { 'x-ratelimit-remaining': '9' }))
    assert.deepEqual((await client.read('current', {}, context)).quota, { ...unknown, remaining: 9 })
  })
})
