import assert from 'node:assert/strict'
import type { ClientSettings } from '../../../../src/lib/api/client'
import type { EndpointName } from '../../../../src/lib/endpoints'
import type { EnvlogError } from '../../../../src/lib/errors'
import { json, refusal, text } from '../../../support/fake-transport'
import { context } from '../responses'
import { clientOf, credentials, ok, useFakeTimers, watch } from './setup'

const device = { 'remote-serial': '5212A1B2', 'base-serial': '5839F001' }

async function errorFor(
  response: ReturnType<typeof json>,
  endpoint: EndpointName = 'alert',
  over: Partial<ClientSettings> = {},
): Promise<EnvlogError> {
  const { client, transport } = clientOf(() => response, { retries: 0, limits: {}, ...over })
  const error = await client
    .read(endpoint, endpoint === 'current' ? {} : (device as never), {
      ...context,
      maxWaitMs: 0,
    })
    .then(
      () => assert.fail('it was answered'),
      (error: EnvlogError) => error,
    )
  assert.equal(transport.sent.length, 1)
  return error
}

/** Status, code, reason for one device, reason for the account. */
const table = [
  [204, 'ENVLOG_SERVICE', 'service-refused', 'service-refused'],
  [299, 'ENVLOG_SERVICE', 'service-refused', 'service-refused'],
  [300, 'ENVLOG_SERVICE', 'redirected', 'redirected'],
  [302, 'ENVLOG_SERVICE', 'redirected', 'redirected'],
  [307, 'ENVLOG_SERVICE', 'redirected', 'redirected'],
  [399, 'ENVLOG_SERVICE', 'redirected', 'redirected'],
  [400, 'ENVLOG_SERVICE', 'device-refused', 'service-refused'],
  [401, 'ENVLOG_AUTH', 'login-refused', 'login-refused'],
  [403, 'ENVLOG_AUTH', 'access-refused', 'access-refused'],
  [404, 'ENVLOG_SERVICE', 'device-refused', 'path-not-found'],
  [415, 'ENVLOG_SERVICE', 'device-refused', 'service-refused'],
  [429, 'ENVLOG_QUOTA', 'quota-refused', 'quota-refused'],
  [500, 'ENVLOG_SERVICE', 'service-failed', 'service-failed'],
  [501, 'ENVLOG_SERVICE', 'service-refused', 'service-refused'],
  [502, 'ENVLOG_SERVICE', 'service-failed', 'service-failed'],
  [503, 'ENVLOG_SERVICE', 'service-failed', 'service-failed'],
  [504, 'ENVLOG_SERVICE', 'service-failed', 'service-failed'],
] as const

describe('a response with a status other than 200', () => {
  const timers = useFakeTimers()

  for (const [status, code, ofDevice, ofAccount] of table) {
    it(`with status ${status} fails with ${code}`, async () => {
      const one = await errorFor(refusal(status))
      assert.deepEqual([one.code, one.reason], [code, ofDevice])
      const all = await errorFor(refusal(status), 'current')
      assert.deepEqual([all.code, all.reason], [code, ofAccount])
    })
  }

  it('is from a gateway, and not a refusal, if it has no error object with a code or a message', async () => {
    const bodies = ['<html>', '', 'null', '[]', '"x"', '{"error":null}', '{"error":"no"}', '{"error":{}}']
    const cases = [
      ['alert', 404],
      ['current', 404],
      ['alert', 401],
      ['alert', 403],
    ] as const
    for (const body of bodies)
      for (const [endpoint, status] of cases) {
        const { code, reason, cause, params } = await errorFor(text(body, status), endpoint)
        assert.deepEqual([code, reason, cause.status], ['ENVLOG_NETWORK', 'gateway-responded', status], body)
        assert.deepEqual([cause.serviceCode, params.words], [undefined, ''])
      }
  })

  it('with status 429 is a refusal because of a limit, also without an error object', async () => {
    const { code, reason } = await errorFor(text('Too many requests', 429))
    assert.deepEqual([code, reason], ['ENVLOG_QUOTA', 'quota-refused'])
  })

  it('is from a gateway if it is much longer than an error of the service, because reading it could take seconds', async () => {
    const { reason } = await errorFor(refusal(400, 'x'.repeat(200_000)))
    assert.equal(reason, 'gateway-responded')
  })

  it('may lack the wrapper, begin with a byte order mark, and have a text as code', async () => {
    const { reason, cause, params } = await errorFor(text('\ufeff{"code":"E-17","message":"no"}', 400))
    assert.deepEqual([reason, cause.serviceCode, params.words], ['device-refused', 'E-17', 'no'])
  })

  it('is from the service also if its error object has only a message', async () => {
    const { reason, params } = await errorFor(text('{"error":{"message":"no"}}', 400))
    assert.deepEqual([reason, params.words], ['device-refused', 'no'])
  })

  it('with status 404 from a relay endpoint names the relay suffix, whether from the service or a gateway', async () => {
    for (const response of [refusal(404), text('<html>', 404)])
      assert.equal((await errorFor(response, 'latest-data-relay')).reason, 'relay-not-found')
  })

  it('with status 404 to current readings names the path of the address only if it has one', async () => {
    for (const [baseUrl, reason] of [
      ['https://service.example', 'service-refused'],
      ['https://service.example:8443', 'service-refused'],
      ['https://service.example/api', 'path-not-found'],
    ] as const) {
      const error = await errorFor(refusal(404), 'current', { baseUrl })
      assert.deepEqual([error.reason, error.code], [reason, 'ENVLOG_SERVICE'], baseUrl)
    }
  })

  it('mentions a retry only if there was one', async () => {
    const { client } = clientOf(() => refusal(503), { retries: 1 })
    const read = watch(client.read('current', {}, context))
    await timers().tickAsync(60_000)
    assert.deepEqual([read.error?.code, read.state], ['ENVLOG_SERVICE', 'service-failed-again'])
    assert.equal((await errorFor(refusal(503))).reason, 'service-failed')
  })

  it('does not reveal a secret that its message or code repeats', async () => {
    const { apiKey, loginPass } = credentials
    for (const secret of [apiKey, loginPass, JSON.stringify(loginPass), encodeURIComponent(loginPass)]) {
      const error = await errorFor(refusal(400, `bad login ${secret}`, `code ${secret}`))
      assert.deepEqual([error.params.words, error.cause.serviceCode], ['', undefined])
      const far = await errorFor(refusal(400, `${'\n'.repeat(3960)}${secret}`))
      assert.ok(!String(far.params.words).includes(secret.slice(0, 10)))
    }
  })

  it('does not reveal a password with characters that do not fit into a line', async () => {
    const own = { ...credentials, loginPass: 'pass\tw\u00adord' }
    const error = await errorFor(refusal(400, `bad login ${own.loginPass}`), 'alert', { credentials: own })
    assert.equal(error.params.words, '')
  })

  it('is retried if a gateway asks for that, and not if it refuses the request', async () => {
    for (const [status, requests] of [
      [408, 3],
      [425, 3],
      [403, 1],
      [407, 1],
    ] as const) {
      const { client, transport } = clientOf((_, at) => (at < 2 ? text('', status) : ok()), { retries: 3 })
      const read = watch(client.read('current', {}, context))
      await timers().tickAsync(120_000)
      const state = requests > 1 ? 'done' : 'gateway-responded'
      assert.deepEqual([read.state, transport.sent.length], [state, requests])
    }
  })

  it('reports limits only if it is from the service', async () => {
    const headers = { 'x-ratelimit-limit': '1', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '86400' }
    for (const [response, isUsedUp] of [
      [text('<html>', 502, headers), false],
      [text('<html>', 404, headers), false],
      [json({ error: { code: 500, message: 'x' } }, 500, headers), true],
    ] as const) {
      const { client, quota } = clientOf(() => response, { retries: 0, limits: {} })
      await assert.rejects(client.read('current', {}, context))
      const { left } = quota.counts().endpoints.current
      assert.equal(left === 0, isUsedUp)
    }
  })

  it("contains status, the service's code and message, endpoint and device", async () => {
    const error = await errorFor(refusal(400, 'シリアルが\u2028\n違います', 4711))
    assert.deepEqual(error.cause, {
      status: 400,
      serviceCode: 4711,
      endpoint: 'alert',
      serial: '5212A1B2',
      base: '5839F001',
    })
    assert.equal(error.params.words, 'シリアルが 違います', 'in one line')
    assert.deepEqual((await errorFor(refusal(400), 'current')).cause, {
      status: 400,
      serviceCode: 400,
      endpoint: 'current',
    })
  })

  it('is classified by its status, never by its message or code', async () => {
    assert.equal((await errorFor(refusal(400, 'unauthorized', 401))).code, 'ENVLOG_SERVICE')
    assert.equal((await errorFor(refusal(401, 'internal error', 500))).code, 'ENVLOG_AUTH')
  })

  it('has no service code if that is neither a number nor a text', async () => {
    const { code, cause } = await errorFor(text('{"error":{"code":{}}}', 400))
    assert.deepEqual([code, 'serviceCode' in cause], ['ENVLOG_SERVICE', false])
  })

  it('has a text as code in one line, truncated to 300 characters', async () => {
    const { cause } = await errorFor(refusal(400, 'no', `E-17\n${'x'.repeat(1000)}`))
    assert.equal(cause.serviceCode, `E-17 ${'x'.repeat(295)}`)
  })

  it('has its message truncated to 300 characters', async () => {
    const { words } = (await errorFor(refusal(400, 'x'.repeat(100_000)))).params
    assert.equal(words, 'x'.repeat(300))
    const { params } = await errorFor(refusal(400, `${'x'.repeat(299)}😀`))
    assert.equal(params.words, `${'x'.repeat(299)} `, 'not half a character')
  })
})
