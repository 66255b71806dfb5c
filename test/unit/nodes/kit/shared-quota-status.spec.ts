import assert from 'node:assert/strict'
import { createSharedQuotaStatus } from '../../../../src/nodes/account/shared-quota-status'

/** Statuses and log lines of an account's node. */
function shown() {
  const seen: string[] = []
  const RED = { _: (key: string, { reason = '' }: { reason?: string } = {}) => `${key} ${reason}`.trim() }
  const node = {
    status: ({ text = 'none' }: { text?: string }) => seen.push(text),
    warn: (text: string) => seen.push(`warn ${text}`),
    log: (text: string) => seen.push(`log ${text}`),
  }
  return { seen, report: createSharedQuotaStatus(RED as never, node as never) }
}

describe('the status of an account with a shared quota', () => {
  it('shows why the quota cannot be reached; the log reports each disconnection once, and the reconnection', () => {
    const { seen, report } = shown()
    report(false)
    report(false, 'ECONNREFUSED')
    report(false, 'TIMEOUT')
    report(true)
    report(true)
    report(false, 'READONLY')
    assert.deepEqual(seen, [
      'status.redis-away',
      'status.redis-away: ECONNREFUSED',
      'warn warnings.redis-away ECONNREFUSED',
      'status.redis-away: TIMEOUT',
      'none',
      'log warnings.redis-back',
      'none',
      'status.redis-away: READONLY',
      'warn warnings.redis-away READONLY',
    ])
  })
})
