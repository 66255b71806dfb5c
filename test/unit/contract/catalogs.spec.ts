import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Catalog, catalogIn, catalogOf, languages, nodes } from '../../support/built'
import { root } from '../../support/package'
import { usedKeys } from './keys'

const JAPANESE = /[\u3040-\u30ff\u4e00-\u9fff]/
/** The script of each language that does not use Latin letters. */
const SCRIPTS: Record<string, RegExp> = { ja: JAPANESE }
/** Names of units and the like are the same in every language. */
const SAME_EVERYWHERE = ['UTC', 'TLS', 'SHA-256']

const files = readdirSync(join(root, 'locales', 'en-US')).filter((file) => file.endsWith('.json'))
const read = (language: string, file: string) => catalogIn(join(root, 'locales', language, file))
const groupsOf = (catalog: Catalog) => [...new Set([...catalog.keys()].map((key) => key.split('.')[0] ?? ''))]
const translations = languages.filter((language) => language !== 'en-US')
const paramsOf = (text: string) => [...text.matchAll(/__(\w+?)__/g)].map(([, name]) => name).toSorted()

/** The names of texts: one with a count has a text for one, and one for others. */
const namesOf = (keys: Iterable<string>) => [
  ...new Set(Array.from(keys, (key) => key.replace(/_(?:one|other)$/, ''))),
]

describe('the catalogs', () => {
  it('exist in English, Japanese and every other language, for all nodes', () => {
    for (const language of ['en-US', 'ja']) assert.ok(languages.includes(language), language)
    for (const language of languages) {
      const folder = readdirSync(join(root, 'locales', language)).toSorted()
      assert.deepEqual(
        folder,
        [
          'check.json',
          'page.json',
          'common.json',
          ...nodes.flatMap(({ name }) => [`${name}.html`, `${name}.json`]),
        ].toSorted(),
      )
    }
  })

  for (const file of files) {
    for (const language of translations) {
      it(`have the same keys in ${file} of ${language} as in English, in the same order`, () => {
        assert.deepEqual([...read(language, file).keys()], [...read('en-US', file).keys()])
      })

      it(`have the same placeholders in ${file} of ${language} as in English`, () => {
        const translated = read(language, file)
        for (const [key, text] of read('en-US', file)) {
          assert.deepEqual(paramsOf(translated.get(key) ?? ''), paramsOf(text), key)
        }
      })

      it(`have texts in ${file} of ${language}, each in that language`, () => {
        const script = SCRIPTS[language] ?? /\S/
        for (const [key, text] of read(language, file)) {
          const isSame = SAME_EVERYWHERE.includes(text) || text.startsWith('resources/')
          const hasWords = /\p{L}/u.test(text.replace(/__\w+?__/g, '')) && !isSame
          assert.ok(script.test(text) || !hasWords, `${key}: ${text}`)
        }
      })
    }

    it(`have English texts in ${file}`, () => {
      for (const [key, text] of read('en-US', file)) {
        assert.match(text, /\S/, key)
        assert.doesNotMatch(text, JAPANESE, key)
      }
    })
  }

  it('do not nest texts, and use only placeholders that Node-RED fills in', () => {
    for (const language of languages) {
      for (const file of files) {
        for (const [key, text] of read(language, file)) assert.doesNotMatch(text, /\$t\(|\{\{|</, key)
      }
    }
  })

  it('are shipped unchanged, those of all nodes in one file', () => {
    for (const language of languages) {
      const parts = ['common', ...nodes.map(({ name }) => name)].map((name) => read(language, `${name}.json`))
      assert.deepEqual(catalogOf(language), new Map(parts.flatMap((part) => [...part])))
    }
  })
})

it('the form for reporting a bug offers every node', () => {
  const form = readFileSync(join(root, '.github/ISSUE_TEMPLATE/bug.yml'), 'utf8')
  const options = [...form.matchAll(/^ {8}- (.+)$/gm)].map(([, option]) => option)
  for (const { name } of nodes) {
    const label = catalogOf('en-US').get(`${name}.label`)
    assert.ok(options.includes(label), label)
  }
})

describe('the texts in use', () => {
  const catalog = catalogOf('en-US')
  const names = namesOf(catalog.keys())
  const used = namesOf(usedKeys(nodes, groupsOf(catalog)))
  const patterns = used.map((key) => new RegExp(`^${key.replace(/[.()]/g, '\\$&').replaceAll('*', '.+')}$`))

  it('are in the catalog', () => {
    assert.ok(used.includes('errors.no-account') && used.includes('status.asking'))
    assert.deepEqual(
      used.filter((_, index) => !names.some((name) => patterns[index]?.test(name))),
      [],
    )
  })

  it('have one for a count of 1 if they have one for others', () => {
    for (const name of names) assert.equal(catalog.has(`${name}_one`), catalog.has(`${name}_other`), name)
  })

  // The texts of `envlog-check` have a separate test.
  it("are all of the catalog's texts", () => {
    assert.deepEqual(
      names.filter((name) => !patterns.some((pattern) => pattern.test(name))),
      [],
    )
  })
})
