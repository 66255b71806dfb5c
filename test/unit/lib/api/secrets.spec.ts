import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import fc from 'fast-check'
import { createRedactor } from '../../../../src/lib/api/redact'
import { proxyPasswords } from '../../../../src/lib/api/transport'
import { runToEnd } from '../../../../src/lib/cooperative'
import type { EnvlogError } from '../../../../src/lib/errors'
import { json, type Script, text } from '../../../support/fake-transport'
import { alertAnswer, currentDevice, graph, patient } from '../answers'
import { clientOf, credentials } from './setup'

const printable = fc.stringMatching(/^[!-)+-~]{4,16}$/)
const key = fc.stringMatching(/^[A-Za-z0-9]{45}$/)

/** Ways in which a service, or a proxy in its place, could send the secrets of a request back. */
const echoes: Record<string, (secret: string, body: string) => ReturnType<Script>> = {
  'the secret as a message': (secret) => json({ error: { code: 400, message: `wrong: ${secret}` } }, 400),
  'the secret as a code': (secret) => json({ error: { code: secret, message: 'no' } }, 400),
  'the secret as a numeric code': (secret) =>
    json({ error: { code: Number.isFinite(Number(secret)) ? Number(secret) : 400, message: '' } }, 400),
  'the whole body as a message': (_, body) => json({ error: { code: 400, message: body } }, 400),
  'the body where a limit is over': (_, body) => json({ error: { code: 429, message: body } }, 429),
  'the body where it fails': (_, body) => json({ error: { code: 500, message: body } }, 500),
  'the secret as a form writes it': (secret) =>
    json({ error: { code: 400, message: `pass=${encodeURIComponent(secret)}` } }, 400),
  'the secret in base64': (secret) =>
    json({ error: { code: 400, message: Buffer.from(secret).toString('base64') } }, 400),
  'the body with status 200': (_, body) => text(body),
  'the body as an error object with status 200': (_, body) => json({ error: { code: 1, message: body } }),
  'the body as HTML': (_, body) => text(`<html>${body}</html>`, 502),
  'the secret as a key': (secret) => json({ devices: { some: 1, [secret]: secret }, [secret]: 1 }),
  'the secret as a value': (secret) => json({ devices: secret, serial: secret }),
}

/** Everything that can be displayed of an error. */
const shown = (error: EnvlogError) =>
  [inspect(error, { depth: 9, showHidden: true }), JSON.stringify(error), String(error), error.stack].join(
    '\n',
  )

describe('no error holds a secret', () => {
  for (const [title, echo] of Object.entries(echoes)) {
    it(`whether the service echoes ${title}`, async () => {
      const passwords = fc.oneof(printable, fc.stringMatching(/^[1-9][0-9]{5,14}$/))
      await fc.assert(
        fc.asyncProperty(key, passwords, async (apiKey, loginPass) => {
          for (const secret of [apiKey, loginPass]) {
            const { client } = clientOf(({ body }) => echo(secret, body), {
              credentials: { apiKey, loginId: 'user0001', loginPass },
              retries: 0,
            })
            const error = await client.read('current', {}, { ...patient, maxWaitMs: 0 }).then(
              () => assert.fail('it was answered'),
              (error: EnvlogError) => error,
            )
            const { words, ...params } = error.params
            const texts = [words, JSON.stringify(params), JSON.stringify(error.cause)].join('\n')
            for (const one of [apiKey, loginPass]) {
              assert.ok(!texts.includes(one), texts)
              assert.ok(!texts.includes(JSON.stringify(one).slice(1, -1)), texts)
            }
            assert.ok(!shown(error).includes(apiKey))
          }
        }),
        { numRuns: 60 },
      )
    })
  }

  it('nor a piece of a secret that was cut off', async () => {
    const { client } = clientOf(({ body }) =>
      json({ error: { code: 400, message: 'x'.repeat(280) + body } }, 400),
    )
    const error = await client
      .read('current', {}, { ...patient, maxWaitMs: 0 })
      .catch((error: EnvlogError) => error)
    assert.ok(!shown(error as EnvlogError).includes('kkkk'))
  })
})

describe('redacting secrets in an answer that is passed on', () => {
  const redact = createRedactor(['secret1', 'p"a/s, s'])

  it('redacts each text with six characters of a secret in a row, and no others', () => {
    const answer = {
      name: 'a SECRET 1, and a secret2',
      more: ['a secre-t1', { key: ['5p"a/s,'] }, null, 7, true],
      value: 'secr3t1',
    }
    assert.deepEqual(runToEnd(redact.redactJson(answer)), {
      name: '***',
      more: ['a secre-t1', { key: ['***'] }, null, 7, true],
      value: 'secr3t1',
    })
  })

  it('keeps a word of a password, unless it is the whole password', () => {
    const words = createRedactor([], ['sensor2024', 'freezer1', 'Kühlraum'])
    for (const name of ['Sensor', 'sensor 2', 'Freezer 1', 'FREEZER', 'Kühl', 'Kühlrau'])
      assert.equal(runToEnd(words.redactJson(name)), name)
    for (const name of ['my sensor2024', 'ensor20', 'eezer1', 'KÜHLRAUM'])
      assert.equal(runToEnd(words.redactJson(name)), '***', name)
  })

  it('redacts a secret of less than six characters only if it is the whole text, and no key', () => {
    const words = createRedactor(['Hall', 'data'])
    const answer = { data: 'Hall', name: 'Hall 1', more: ['data', 'the data'] }
    assert.deepEqual(runToEnd(words.redactJson(answer)), {
      data: '***',
      name: 'Hall 1',
      more: ['***', 'the data'],
    })
    assert.equal(words.redactCsv('"Hall","Hall 1",data'), '***,"Hall 1",***')
  })

  it('redacts keys, but not described ones', () => {
    assert.deepEqual(runToEnd(redact.redactJson({ 'is secret1': 1, __proto: 2 })), { '***': 1, __proto: 2 })
    const answer = JSON.stringify({ devices: [{ channel: [{ name: 'x' }], baseunit: {}, unixtime: '1' }] })
    const words = createRedactor(['devices1', 'channels', 'baseunits', 'unixtimes'])
    assert.equal(JSON.stringify(runToEnd(words.redactJson(JSON.parse(answer)))), answer)
  })

  it('redacts no number, no time and no serial number: a password may look like one', () => {
    const words = createRedactor([], ['1795161', '2026-11-20', '52A10001', '-18.40'])
    const answer = {
      ...{ unixtime: '1795161600', number: 1795161600, time: '2026-11-20 08:00:00', ch1: '-18.40' },
      ...{ serial: '52A10001', 'base-serial': '52A10001' },
    }
    assert.deepEqual(runToEnd(words.redactJson({ ...answer })), answer)
    const table = '"Date/Time","No.1"\r\n"2026-11-20 08:00:00","-18.40"\r\n2026/11/20,1795161600\r\n'
    assert.equal(words.redactCsv(table), table)
  })

  it('redacts at the greatest allowed depth, and with keys like those of all objects', () => {
    const depth = 20_000
    const deep = JSON.parse(`${'['.repeat(depth)}{"__proto__":"secret1"}${']'.repeat(depth)}`)
    let found = runToEnd(redact.redactJson(deep))
    for (let level = 0; level < depth; level++) found = found[0]
    assert.equal(Object.getOwnPropertyDescriptor(found, '__proto__')?.value, '***')
    assert.ok(!('secret1' in {}))
  })

  it('redacts cells of CSV, also with a comma or a line break in them', () => {
    const table = '"Date","secret1",x\r\n1,"SECRET1\r\n2",secre t1\r\n5,p"a/s, s,6\r\n'
    assert.equal(redact.redactCsv(table), '"Date",***,x\r\n1,***,secre t1\r\n5,***,***,6\r\n')
  })

  it('ignores secrets that are not set, and accepts any text as a secret', () => {
    assert.equal(runToEnd(createRedactor(['', ''], ['']).redactJson('text')), 'text')
    assert.equal(createRedactor(['', '']).redactCsv('text'), 'text')
    assert.equal(runToEnd(createRedactor(['a\ud800bc']).redactJson('x')), 'x')
  })
})

describe('what a proxy may echo instead of the service', () => {
  const options = { connections: 1, timeoutMs: 1000 }

  it('is the password of the configured one, however it is given', () => {
    const of = (url: string, more = {}) =>
      proxyPasswords(
        { ...options, proxy: { url, noProxy: [], ...more } },
        { https_proxy: 'http://a:b@x.test' },
      )
    const url = 'http://gate:o%3Apen%2F1@proxy.test:3128'
    assert.deepEqual(of(url, { password: 'another' }), ['another', 'o:pen/1'])
    assert.deepEqual(of('http://a:%zz@x.test'), ['%zz'])
    assert.deepEqual(of('http://x.test'), [])
  })

  it('is that of the environment’s otherwise', () => {
    const env = { HTTP_PROXY: 'no address', https_proxy: 'http://gate:o%3Apen@proxy.test:3128' }
    assert.deepEqual(proxyPasswords(options, env), ['o:pen'])
  })

  it('is in no message and no name', async () => {
    const secrets = ['o:pen "gate"']
    const refused = clientOf(
      () => json({ error: { code: 1, message: `Basic ${btoa('gate:o:pen "gate"')}` } }, 400),
      { secrets },
    )
    const error = await refused.client.read('current', {}, { ...patient, maxWaitMs: 0 }).catch((one) => one)
    assert.equal(error.params.words, '')
    const answered = clientOf(
      () => json({ devices: [currentDevice({ name: 'o:pen "gate"', group: { name: 'a k' } })] }),
      { secrets },
    )
    const { body } = await answered.client.read('current', {}, patient)
    assert.deepEqual([body.devices[0]?.name, body.devices[0]?.group?.name], ['***', 'a k'])
  })
})

describe('a decoded answer', () => {
  const apiKey = credentials.apiKey

  it('has no secret in its names and texts', async () => {
    const { client } = clientOf(({ url }) => {
      if (url.endsWith('/alert'))
        return json(alertAnswer({ 'base-name': apiKey, 'alert-logs': [{ unixtime: 1, ch1: apiKey }] }))
      return json(
        graph({
          serial: apiKey,
          name: apiKey,
          channel: [{ num: 1, name: apiKey, unit: 'C' }],
          data: [{ unixtime: 1, ch1: apiKey }],
        }),
      )
    })
    const device = { 'remote-serial': '5212A1B2' }
    for (const endpoint of ['latest-data', 'data', 'alert'] as const) {
      const { body } = await client.read(endpoint, device, patient)
      assert.ok(!inspect(body, { depth: 9 }).includes(apiKey), endpoint)
      assert.match(inspect(body, { depth: 9 }), /\*\*\*/)
    }
  })
})

describe('a text of a report', () => {
  const { revealsLogin } = clientOf(() => text('')).client
  const long = 'a sentence of a gateway, '.repeat(400)

  for (const [title, revealing] of [
    ['the API key', credentials.apiKey],
    ['a part of the password', credentials.loginPass.slice(0, 6)],
    ['the login ID', credentials.loginId],
    ['the address', 'SERVICE.example'],
  ] as const) {
    it(`reveals the login where it holds ${title}, wherever it stands`, () => {
      for (const found of [revealing, `${long}${revealing}`, `${revealing}${long}`])
        assert.ok(revealsLogin(found), `${found.length}`)
    })
  }

  it('reveals nothing otherwise', () => {
    for (const found of ['', ' ', long, 'Freezer 1']) assert.equal(revealsLogin(found), false)
  })
})
