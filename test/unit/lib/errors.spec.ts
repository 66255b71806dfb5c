import assert from 'node:assert/strict'
import { concernsOneDevice, EnvlogError, type Reason, reasons } from '../../../src/lib/errors'

describe('an error', () => {
  it('has code and cause as own properties, because Catch nodes copy only those', () => {
    const error = new EnvlogError('quota-refused', {}, { status: 429 })
    for (const key of ['code', 'cause']) assert.ok(Object.hasOwn(error, key), key)
    assert.equal(error.code, 'ENVLOG_QUOTA')
    assert.equal(Object.getPrototypeOf(error.cause), Object.prototype)
  })

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

  it('concerns one device for exactly these reasons, otherwise the account', () => {
    const oneDevice = (Object.keys(reasons) as Reason[]).filter((reason) =>
      concernsOneDevice(new EnvlogError(reason)),
    )
    assert.deepEqual(oneDevice.sort(), [
      'device-refused',
      'device-unknown',
      'records-refused',
      'records-wait',
      'relay-not-found',
      'response-compressed',
      'response-error-object',
      'response-lacks-record',
      'response-left-out',
      'response-not-csv',
      'response-not-json',
      'response-other-device',
      'response-other-period',
      'response-too-deep',
      'response-too-large',
      'response-too-many',
      'response-unreadable',
    ])
  })
})
