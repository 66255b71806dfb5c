import assert from 'node:assert/strict'
import { channel } from 'node:diagnostics_channel'
import { watchConnection } from '../../../src/check/connection'

const DAY_MS = 86_400_000

describe('the connection that envlog-check describes', () => {
  it('has the issuer of the certificate, and the whole days that are left of it', async () => {
    const connection = watchConnection('https://127.0.0.1')
    const valid_to = new Date(Date.now() + 10.5 * DAY_MS).toUTCString()
    const socket = { encrypted: true, getPeerCertificate: () => ({ valid_to, issuer: { O: 'Plant CA' } }) }
    channel('undici:client:connected').publish({ connectParams: { hostname: '127.0.0.1' }, socket })
    assert.deepEqual((await connection()).tls, { issuer: 'Plant CA', daysLeft: 10 })
  })
})
