import assert from 'node:assert/strict'
import { createUndiciTransport } from '../../../../src/lib/api/transport'
import type { EnvlogError } from '../../../../src/lib/errors'

describe('a proxy whose address cannot be used', () => {
  it('is reported without the address, which may hold a password', async () => {
    for (const url of ['http://[g4te', 'no address', 'ftp://g4te:o%3Ap3n@proxy.test']) {
      const transport = createUndiciTransport({
        connections: 1,
        timeoutMs: 1000,
        proxy: { url, noProxy: [], password: 'o:p3n' },
      })
      const request = { url: 'https://service.test/current', headers: {}, body: '{}' }
      const sent = transport.send({ ...request, signal: new AbortController().signal })
      await assert.rejects(sent, (error: EnvlogError) => {
        assert.equal(error.reason, 'proxy-invalid', url)
        assert.doesNotMatch(`${error.message} ${error.stack} ${error.cause}`, /g4te|p3n/)
        return true
      })
      await transport.close()
    }
  })
})
