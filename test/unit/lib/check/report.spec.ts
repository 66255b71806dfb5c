import assert from 'node:assert/strict'
import type { Exchange } from '../../../../src/lib/check/exchange'
import { buildReport } from '../../../../src/lib/check/report'
import { EnvlogError } from '../../../../src/lib/errors'

describe('a report', () => {
  it('has the status of each response, with the rate-limit headers that were sent, or the reason of a failure', () => {
    const quota = { limit: 10, remaining: 0, windowSeconds: 120, recordsRemaining: null }
    const cause = { status: 400, serviceCode: 4711 }
    const asked = { endpoint: 'current', params: {}, durationMs: 5 } as const
    const exchanges: Exchange[] = [
      { ...asked, quota, body: { devices: [] } },
      { ...asked, error: new EnvlogError('service-refused', {}, cause) },
    ]
    const headers = {
      'x-ratelimit-limit': '10',
      'x-ratelimit-reset': '120',
      'x-ratelimit-remaining': '0',
    }
    assert.deepEqual(buildReport(exchanges).responses, [
      { ...asked, status: 200, headers, body: { devices: [] } },
      { ...asked, status: 400, error: { reason: 'service-refused', code: 4711 } },
    ])
  })
})
