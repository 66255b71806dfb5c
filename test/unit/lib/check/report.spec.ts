import assert from 'node:assert/strict'
import type { Exchange } from '../../../../src/lib/check/exchange'
import { anonymizeExchanges, buildReport } from '../../../../src/lib/check/report'
import { runToEnd } from '../../../../src/lib/cooperative'
import { EnvlogError } from '../../../../src/lib/errors'

const SECRET = 'racf9be4za78easf6e3pjencnjsj3ujdpmutzsn4iwxqw'

const about = { endpoint: 'current', params: {}, durationMs: 1 } as const
const quota = { limit: 10, remaining: 9, windowSeconds: 120, recordsRemaining: null }

const current = (name: string, contentType = 'application/json'): Exchange => ({
  ...about,
  result: { isAnswered: true, body: { devices: [{ serial: '52A10001', name }] }, quota, contentType },
})

function reportOf(exchanges: Exchange[]) {
  const anonymized = runToEnd(anonymizeExchanges(exchanges, (text) => text.includes(SECRET)))
  return runToEnd(buildReport(anonymized, '1.2.3'))
}

describe('a saved report', () => {
  it('holds no credential that the service repeats in the type of its answer', () => {
    const types = {
      'application/json; charset=utf-8': 'application/json',
      [`application/json; x="${SECRET}"`]: 'application/json',
      [`application/${SECRET}`]: undefined,
      [SECRET]: undefined,
    }
    for (const [contentType, expected] of Object.entries(types)) {
      const report = reportOf([current('Freezer', contentType)])
      assert.equal(report?.answers[0]?.headers?.['content-type'], expected)
      assert.ok(!JSON.stringify(report).includes(SECRET))
    }
  })

  it('is written where a device has a name that the package uses for a reason', () => {
    const error = new EnvlogError('device-refused', { words: 'refused' })
    const report = reportOf([current('Refused'), { ...about, result: { isAnswered: false, error } }])
    assert.equal(report?.answers[1]?.error?.reason, 'device-refused')
  })
})
