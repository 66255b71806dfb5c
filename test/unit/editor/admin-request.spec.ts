import assert from 'node:assert/strict'
import { requestAdmin } from '../../../src/editor/admin-request'
import { useFakeRed } from '../../support/fake-red'

describe('a refused request of a form', () => {
  useFakeRed()

  const sentence = async (path: string, responseJSON: object) => {
    const response = { status: 400, responseJSON: { code: 'ENVLOG_CONFIG', ...responseJSON } }
    Object.assign((globalThis as unknown as { $: object }).$, { ajax: () => Promise.reject(response) })
    const error = await requestAdmin(path, {}).catch((thrown: Error) => thrown)
    return (error as Error).message
  }

  it('says that the user may not send requests', async () => {
    const response = { status: 401, responseText: 'Unauthorized' }
    Object.assign((globalThis as unknown as { $: object }).$, { ajax: () => Promise.reject(response) })
    await assert.rejects(requestAdmin('test', {}), /Your user may view this flow .* write permission/)
  })

  it('says to open the account only outside its form', async () => {
    const missing = { reason: 'account-incomplete', params: { property: 'apiKey' } }
    assert.match(
      await sentence('devices', missing),
      /^The account is incomplete: 'API key' .* Open the account/,
    )
    assert.equal(await sentence('test', missing), "'API key' is missing.")
    const params = { property: 'loginPass', problem: 'length-between', least: 4, most: 16, found: 2 }
    const wrong = { reason: 'setting-invalid', params }
    assert.equal(await sentence('report', wrong), "'Password' must have 4 to 16 characters (now 2).")
  })

  it('of *Try now* has the sentence of the form, or that of the node with the device', async () => {
    const invalid = { reason: 'setting-invalid', params: { property: 'measurement', problem: 'measurement' } }
    assert.equal(
      await sentence('try', invalid),
      "'Measurement' must not contain spaces, commas or backslashes.",
    )
    const failure = { reason: 'relay-not-found', subject: { serial: '5F0A1001', name: 'Office' } }
    assert.match(await sentence('try', failure), /^Office \(5F0A1001\): \S/)
    const waiting = { reason: 'records-wait', params: {}, retryAt: '2026-11-20T08:00:00Z' }
    assert.doesNotMatch(await sentence('try', waiting), /Wait at most/)
  })
})
