import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import fc from 'fast-check'
import { redactor } from '../../../src/lib/api/redact'
import type { EnvlogError } from '../../../src/lib/errors'
import { json, type Script, text } from '../../support/fake-transport'
import { patient } from '../answers'
import { clientOf } from './setup'

const printable = fc.stringMatching(/^[!-)+-~]{4,16}$/)
const key = fc.stringMatching(/^[A-Za-z0-9]{45}$/)

/** What a service, or a proxy in its place, may say of a request: every way the secrets could come back. */
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

/** All that an error shows to anybody. */
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
            const error = await client.read('current', {}, { ...patient, wait: 0 }).then(
              () => assert.fail('it was answered'),
              (error: EnvlogError) => error,
            )
            const { words, ...params } = error.params
            const told = [words, JSON.stringify(params), JSON.stringify(error.cause)].join('\n')
            for (const one of [apiKey, loginPass]) {
              assert.ok(!told.includes(one), told)
              assert.ok(!told.includes(JSON.stringify(one).slice(1, -1)), told)
            }
            assert.ok(!shown(error).includes(apiKey))
          }
        }),
        { numRuns: 60 },
      )
    })
  }

  it('nor a piece of one that was cut off', async () => {
    const { client } = clientOf(({ body }) =>
      json({ error: { code: 400, message: 'x'.repeat(280) + body } }, 400),
    )
    const error = await client
      .read('current', {}, { ...patient, wait: 0 })
      .catch((error: EnvlogError) => error)
    assert.ok(!shown(error as EnvlogError).includes('kkkk'))
  })
})

describe('taking secrets out of a text', () => {
  it('leaves all other text as it is', () => {
    assert.equal(redactor(['secret1'])('a secret without the 1'), 'a secret without the 1')
  })

  it('takes out a secret that holds another one as a whole', () => {
    assert.equal(redactor(['abcd', 'xabcdx'])('-xabcdx-abcd-'), '-***-***-')
  })

  it('passes over secrets that are not set', () => assert.equal(redactor(['', ''])('text'), 'text'))

  it('knows the spellings of JSON, addresses and base64', () => {
    const redact = redactor(['p"a/s s'])
    for (const spelling of [
      'p"a/s s',
      'p\\"a/s s',
      'p%22a%2Fs%20s',
      Buffer.from('p"a/s s').toString('base64'),
    ]) {
      assert.equal(redact(`<${spelling}>`), '<***>')
    }
  })

  it('takes any text for a secret', () => {
    assert.equal(redactor(['a\ud800bc'])('x'), 'x')
  })
})
