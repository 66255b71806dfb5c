import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ASSUMPTIONS } from '../../../src/lib/check/assumptions'
import { catalogIn } from '../../support/built'
import { root } from '../../support/package'

const texts = catalogIn(join(root, 'locales', 'en-US', 'check.json'))
const sources = ['src/check', 'src/lib/check']
  .flatMap((folder) => readdirSync(join(root, folder)).map((file) => join(root, folder, file)))
  .map((file) => readFileSync(file, 'utf8'))
  .join('\n')

describe('the texts of envlog-check', () => {
  it('contain exactly the keys in use', () => {
    // Keys that the sources compose are property names or array elements there.
    const isUsed = (key: string) => {
      const [, group, name = ''] = /^(\w+)\.(?:(?:heading|ask)-)?(.+)$/.exec(key) ?? []
      return [`'${group}.${name}'`, `'${name}'`, `${name}:`, `${name}-`].some((text) =>
        sources.includes(text),
      )
    }
    assert.deepEqual(
      [...texts.keys()].filter((key) => !isUsed(key)),
      [],
    )
    const keys = [
      ...[...sources.matchAll(/'(check\.[\w-]+)'/g)].map(([, key = '']) => key),
      ...[...sources.matchAll(/row\('([\w-]+)'/g)].map(([, key]) => `field.${key}`),
      ...Object.keys(ASSUMPTIONS).map((assumption) => `seen.${assumption}`),
    ]
    for (const key of keys) assert.ok(texts.has(key), key)
  })

  it('cover exactly the assumptions listed in docs/service.md', () => {
    for (const document of ['docs/service.md', 'docs/ja/service.md']) {
      const rows = readFileSync(join(root, document), 'utf8').matchAll(/^\| `([\w-]+)`.*\| ✓ \|$/gm)
      assert.deepEqual(
        [...rows].map(([, name]) => name).toSorted(),
        Object.keys(ASSUMPTIONS).toSorted(),
        document,
      )
    }
  })
})
