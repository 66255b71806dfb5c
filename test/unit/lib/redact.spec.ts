import assert from 'node:assert/strict'
import fc from 'fast-check'
import { Redactor } from '../../../src/lib/redact'

const secret = fc.string({ unit: 'grapheme', minLength: 4, maxLength: 60 })
const around = fc.string({ unit: 'grapheme', maxLength: 12 })

const SPELLINGS: Record<string, (text: string) => string> = {
  verbatim: (text) => text,
  JSON: (text) => JSON.stringify(text),
  'JSON in ASCII': (text) =>
    JSON.stringify(text)
      .replaceAll('/', '\\/')
      .replace(/[^ -~]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`),
  'a URL': encodeURIComponent,
  'a form': (text) => new URLSearchParams({ text }).toString(),
  base64: (text) => Buffer.from(text).toString('base64'),
  base64url: (text) => Buffer.from(text).toString('base64url'),
}

describe('a secret in a text that envlog writes', () => {
  for (const [name, spell] of Object.entries(SPELLINGS)) {
    it(`is found in ${name}`, () => {
      fc.assert(
        fc.property(secret, around, around, (secret, before, after) => {
          const text = `before ${spell(before + secret + after)} after`
          const redactor = new Redactor(['other', secret])
          assert.ok(redactor.reveals(text), text)
          assert.equal(redactor.guard(text), '')
        }),
      )
    })
  }

  it('is found in base64 at every position, even if it has only three characters', () => {
    for (const before of ['', 'x', 'xy'])
      for (const after of ['', 'x', 'xy']) {
        const text = `Basic ${SPELLINGS.base64?.(`${before}k3y${after}`)}`
        assert.ok(new Redactor(['k3y']).reveals(text), text)
      }
  })

  it('is found in a URL in which a plus sign stands for itself', () => {
    const { href } = new URL('http://user:a+long pass@proxy.example')
    assert.ok(href.includes('a+long%20pass'))
    assert.ok(new Redactor(['a+long pass']).reveals(href))
  })

  it('is not found in other texts', () => {
    const redactor = new Redactor(['', 'Secret-1', 'ab'])
    for (const text of ['', 'the login was refused', 'secret', '%zz %', '\\u00', 'QUJD'])
      assert.equal(redactor.guard(text), text)
  })
})
