import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../support/package'

const folder = join(root, 'test', 'mutants')
const patches = readdirSync(folder)

describe('the deliberate faults of `npm run mutants`', () => {
  it('apply to the sources, each separately', () => {
    for (const patch of patches) {
      assert.doesNotThrow(() => {
        execFileSync('git', ['apply', '--check', join('test', 'mutants', patch)], {
          cwd: root,
          stdio: 'pipe',
        })
      }, `${patch}: change it as the sources were changed`)
    }
  })

  it('describe what goes wrong, change one file of src, and cover all its folders', () => {
    const folders = new Set<string>()
    for (const patch of patches) {
      const text = readFileSync(join(folder, patch), 'utf8')
      assert.match(text, /^[A-Z][^\n]{30,}\.\n\ndiff --git /, patch)
      const changed = [...text.matchAll(/^\+\+\+ b\/(src\/\S+)\/[^/]+$/gm)].map(([, path = '']) => path)
      assert.equal(changed.length, 1, patch)
      for (const path of changed) folders.add(path)
    }
    const all = readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
      .map(({ parentPath }) => parentPath.slice(root.length + 1))
    assert.deepEqual([...folders].toSorted(), [...new Set(all)].toSorted())
  })
})
