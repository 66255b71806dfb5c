import assert from 'node:assert/strict'
import { concernsOneDevice, EnvlogError } from '../../../src/lib/errors'

describe('an error', () => {
  it('has its code as name, which users see in String(error)', () => {
    assert.match(String(new EnvlogError('closed')), /^ENVLOG_CLOSED/)
  })

  it('adds details to a copy of its cause, and never replaces one', () => {
    const error = new EnvlogError('device-refused', { words: 'no' }, { status: 400, endpoint: 'data' })
    const more = error.with({ endpoint: 'alert', serial: 'A' })
    assert.deepEqual(more.cause, { status: 400, endpoint: 'data', serial: 'A' })
    assert.deepEqual([more.reason, more.params], ['device-refused', { words: 'no' }])
    assert.deepEqual(error.cause, { status: 400, endpoint: 'data' })
  })
  it('of one device does not end a round, as one of the account does', () => {
    const ofDevice = [
      'device-refused',
      'relay-not-found',
      'device-unknown',
      'records-refused',
      'records-wait',
    ] as const
    for (const reason of [...ofDevice, 'response-unreadable'] as const)
      assert.ok(concernsOneDevice(new EnvlogError(reason)), reason)
    for (const reason of ['login-refused', 'quota-refused', 'service-failed', 'no-connection'] as const)
      assert.ok(!concernsOneDevice(new EnvlogError(reason)), reason)
  })
})
