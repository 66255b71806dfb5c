import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { endpoints } from '../../src/lib/api/endpoints'
import { reasons } from '../../src/lib/errors'

const locales = join(__dirname, '../../locales')
const languages = readdirSync(locales)
type Catalog = { [key: string]: string | Catalog }
const catalog = (language: string, name: string): Catalog =>
  JSON.parse(readFileSync(join(locales, language, `${name}.json`), 'utf8'))

/** Every sentence by its key: `errors.closed`. */
function sentences(part: Catalog, at = ''): Record<string, string> {
  return Object.fromEntries(
    Object.entries(part).flatMap(([key, value]) =>
      typeof value === 'string' ? [[`${at}${key}`, value]] : Object.entries(sentences(value, `${at}${key}.`)),
    ),
  )
}
/** The `__params__` of a sentence. */
const params = (sentence: string | undefined) => [...new Set(sentence?.match(/__[a-z]+__/gi) ?? [])].sort()

/** With values as long as they mostly are. */
const filled = (text: string) =>
  ['count', 'total']
    .reduce((one, name) => one.replace(`__${name}__`, '300'), text.replace('__done__', '12'))
    .replace('__time__', '14:20')

describe('the catalogs', () => {
  it('are English and Japanese', () => assert.deepEqual(languages.sort(), ['en-US', 'ja']))

  for (const name of readdirSync(join(locales, 'en-US')).filter((file) => file.endsWith('.json'))) {
    it(`have the same sentences with the same parameters in ${name}`, () => {
      const [english, japanese] = ['en-US', 'ja'].map((language) =>
        sentences(catalog(language, name.slice(0, -5))),
      )
      assert.deepEqual(Object.keys(japanese ?? {}).sort(), Object.keys(english ?? {}).sort())
      for (const [key, sentence] of Object.entries(english ?? {})) {
        assert.deepEqual(params(japanese?.[key]), params(sentence), key)
        assert.notEqual(sentence.trim(), '', key)
        assert.notEqual(japanese?.[key]?.trim(), '', key)
      }
    })
  }

  for (const language of languages) {
    const found = sentences(catalog(language, 'common'))
    const keys = (part: string) =>
      Object.keys(found).flatMap((key) => (key.startsWith(`${part}.`) ? [key.slice(part.length + 1)] : []))

    it(`have a sentence for every error, and for no other (${language})`, () => {
      assert.deepEqual(keys('errors').sort(), Object.keys(reasons).sort())
    })

    it(`have a status for every code that is not about settings (${language})`, () => {
      const codes = new Set<string>(Object.values(reasons))
      codes.delete('ENVLOG_CONFIG')
      assert.deepEqual(
        keys('status')
          .filter((key) => key.startsWith('ENVLOG_'))
          .sort(),
        [...codes].sort(),
      )
    })

    it(`have statuses that fit under a node: below 20 characters (${language})`, () => {
      for (const key of keys('status')) {
        const text = filled(found[`status.${key}`] ?? '')
        assert.ok(text.length < 20, `${key}: ${text}`)
      }
    })

    it(`say which devices each endpoint serves (${language})`, () => {
      const kinds = new Set<string>(Object.values(endpoints).map(({ serves }) => serves))
      assert.deepEqual(keys('serves').sort(), [...kinds].sort())
    })
  }
})
