import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkAssumptions } from '../../../src/lib/check/assumptions'
import { catalogIn } from '../../support/built'
import { root } from '../../support/package'

const sourcesIn = (folder: string) =>
  readdirSync(join(root, folder))
    .map((file) => readFileSync(join(root, folder, file), 'utf8'))
    .join('\n')

describe('the texts of envlog-check', () => {
  const texts = catalogIn(join(root, 'locales', 'en-US', 'check.json'))
  const keysOf = (group: string) =>
    [...texts.keys()].filter((key) => key.startsWith(`${group}.`)).map((key) => key.slice(group.length + 1))
  const command = sourcesIn('src/check')
  const library = sourcesIn('src/lib/check')

  it('are those that are used', () => {
    const isUsed = (key: string) =>
      command.includes(`'check.${key}'`) || /^(?:ask|heading)-/.test(key) || key === 'yes' || key === 'no'
    assert.deepEqual(
      keysOf('check').filter((key) => !isUsed(key)),
      [],
    )
    for (const [, key = ''] of command.matchAll(/'check\.([\w-]+)'/g))
      assert.ok(texts.has(`check.${key}`), key)
    for (const [, key = ''] of command.matchAll(/heading\('([\w-]+)'\)/g))
      assert.ok(texts.has(`check.heading-${key}`), key)
    for (const key of [...keysOf('seen'), ...keysOf('field')]) assert.ok(library.includes(`'${key}'`), key)
    for (const [, key = ''] of library.matchAll(/field: '([\w-]+)'/g))
      assert.ok(texts.has(`field.${key}`), key)
  })

  it('stand for assumptions that the document of the service lists, each of which is shown', () => {
    const names = checkAssumptions([]).map(({ assumption }) => assumption)
    for (const document of ['docs/service.md', 'docs/ja/service.md']) {
      const rows = readFileSync(join(root, document), 'utf8').matchAll(/^\| `([\w-]+)`.*\| ✓ \|$/gm)
      assert.deepEqual([...rows].map(([, name]) => name).toSorted(), [...names].toSorted(), document)
    }
  })
})
