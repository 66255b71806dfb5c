import assert from 'node:assert/strict'
import fc from 'fast-check'
import { createSecretGuard } from '../../../../src/lib/api/redact'
import { json } from '../../../support/fake-transport'
import { patient } from '../answers'
import { clientOf } from './setup'

const html = (text: string) =>
  text.replace(
    /[&<>"']/g,
    (one) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[one] ?? '&#039;',
  )

/** Encodings of a text. */
const spellings: Record<string, (text: string) => string> = {
  plain: (text) => text,
  JSON: (text) => JSON.stringify(text),
  'JSON in ASCII': (text) =>
    JSON.stringify(text)
      .replaceAll('/', '\\/')
      .replace(/[^ -~]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`),
  'JSON, all escaped': (text) =>
    [...Array(text.length).keys()]
      .map((at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`)
      .join(''),
  URL: encodeURIComponent,
  'URL in small letters': (text) => encodeURIComponent(text).replace(/%../g, (one) => one.toLowerCase()),
  'URL, all of it': (text) =>
    [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
  form: (text) => new URLSearchParams({ p: text }).toString(),
  HTML: html,
  'HTML by numbers': (text) => [...text].map((one) => `&#${one.codePointAt(0)};`).join(''),
  'HTML by hex': (text) => [...text].map((one) => `&#x${one.codePointAt(0)?.toString(16)};`).join(''),
  hex: (text) => Buffer.from(text).toString('hex'),
  'hex in capitals': (text) => Buffer.from(text).toString('hex').toUpperCase(),
  base64: (text) => Buffer.from(text).toString('base64'),
  'base64 without its end': (text) => Buffer.from(text).toString('base64').replace(/=+$/, ''),
  base64url: (text) => Buffer.from(text).toString('base64url'),
  'base64 behind a letter': (text) => Buffer.from(`x${text}`).toString('base64'),
  'base64 behind two': (text) => Buffer.from(`u:${text}`).toString('base64'),
  capitals: (text) => text.toUpperCase(),
  'bytes for letters': (text) => Buffer.from(text).toString('latin1'),
}

const key = fc.stringMatching(/^[A-Za-z0-9]{45}$/)
const password = fc.oneof(
  fc.stringMatching(/^[!-~]{6,16}$/),
  fc.stringMatching(/^[1-9][0-9]{5,14}$/),
  fc.constantFrom('p@ss!w0rd', 'a/b&c"d', 'geheim ü1', 'パスワード12', "it's(1)*"),
)
const names = Object.keys(spellings)
const written = (text: string, ways: readonly string[]) =>
  ways.reduce((encoded, way) => spellings[way]?.(encoded) ?? encoded, text)

describe('messages of the service', () => {
  for (const name of names) {
    it(`are redacted if they contain a secret, encoded as ${name}, or as that in any other encoding`, () => {
      fc.assert(
        fc.property(key, password, fc.constantFrom(...names), fc.boolean(), (apiKey, pass, outer, isCut) => {
          // Base64 in capitals cannot be decoded.
          fc.pre(!(name.startsWith('base64') && outer === 'capitals'))
          const guard = createSecretGuard([apiKey, pass])
          for (const secret of [apiKey, pass]) {
            const echo = isCut ? secret.slice(0, Math.max(6, secret.length - 1)) : secret
            for (const ways of [[name], [name, outer]]) {
              const words = `refused: ${written(echo, ways)}.`
              assert.equal(guard(words), '', `${ways}: ${words}`)
            }
          }
        }),
        { numRuns: 30 },
      )
    })
  }

  it('are redacted if they contain six characters of a secret in a row', () => {
    fc.assert(
      fc.property(key, fc.nat(39), (apiKey, at) => {
        assert.equal(createSecretGuard([apiKey])(`bad key near '${apiKey.slice(at, at + 6)}'`), '')
      }),
    )
  })

  it('are unchanged if they contain none', () => {
    const harmless = [
      'Invalid parameter: remote-serial',
      'The specified device does not exist.',
      'Access limit exceeded. Please wait and try again.',
      'unixtime-from must be less than unixtime-to',
      'パラメータが正しくありません。',
      '指定された機器は登録されていません（5212A1B2）',
      'Unknown error &amp; no details',
      'Error 0x80070005: access denied at /v1/devices/data',
      'Request ID 7f9c2ba4e88f827d616045507605853ed73b8093f6efbc88eb1a6eacfa66ef26',
      'eyJlcnJvciI6ImV4cGlyZWQifQ==',
      '%E3%82%A8%E3%83%A9%E3%83%BC',
      'status code 503, decode error',
    ]
    let unchanged = 0
    let all = 0
    fc.assert(
      fc.property(key, password, (apiKey, pass) => {
        const guard = createSecretGuard([apiKey, pass])
        for (const words of harmless) {
          all++
          if (guard(words) === words) unchanged++
        }
      }),
    )
    assert.ok(unchanged / all >= 0.95, `${unchanged} of ${all}`)
  })

  it('are redacted quickly, whatever they contain', () => {
    const guard = createSecretGuard(['k'.repeat(45), 'secret1'])
    for (const part of ['%25', '&amp;', '\\\\', 'QUFB', 'a', '41', '+'])
      assert.ok(guard(part.repeat(1_000_000 / part.length)).length <= 4000)
  })

  it('cannot forge lines of a log', async () => {
    const { client } = clientOf(() =>
      json({ error: { code: 'a\nb', message: 'no\r\n22 Nov - [error] forged\u001b[0m' } }, 400),
    )
    const error = await client.read('current', {}, { ...patient, maxWaitMs: 0 }).catch((one) => one)
    assert.deepEqual([error.cause.serviceCode, error.params.words], ['a b', 'no 22 Nov - [error] forged [0m'])
  })
})

describe('an answer that is passed on unchanged', () => {
  it('contains no secret of the request that it echoes', async () => {
    const pass = 'p"a/ss1'
    const { client } = clientOf(
      ({ body }) =>
        json({
          serial: '52A10001',
          data: [],
          echo: body,
          key: 'k'.repeat(45),
          pass,
          coded: Buffer.from(pass).toString('base64'),
        }),
      { credentials: { apiKey: 'k'.repeat(45), loginId: 'user0001', loginPass: pass } },
    )
    const { body } = await client.readRaw('latest-data', { 'remote-serial': '52A10001' }, patient)
    const text = JSON.stringify(body)
    for (const secret of ['kkkkkk', 'p\\"a', 'a/ss1', Buffer.from(pass).toString('base64')]) {
      assert.ok(!text.includes(secret), `${secret}: ${text}`)
    }
    assert.match(text, /"serial":"52A10001"/)
  })
})
