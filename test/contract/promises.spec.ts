import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inBackground, onBackgroundError } from '../../src/lib/background'
import { root } from '../support/package'

/** Forms of unhandled promises, each as the only statement of a function. */
const floating = [
  'work()',
  'void work()',
  'work().then(() => {})',
  'work().finally(() => {})',
  'store.save(1)',
  'const later = async () => {}; later()',
  'new Promise(() => {})',
  '[1].forEach(async () => { await work() })',
]
const handled = [
  'inBackground(work())',
  'work().catch(() => {})',
  'return work()',
  'work().then(() => {}, () => {})',
]

/** Lines of a file in a folder of `src` that the linter reports. */
function flagged(folder: string, statements: readonly string[]): number[] {
  const file = join(root, 'src', folder, 'promises-left-alone.ts')
  const head = [
    `import { inBackground } from '${'../'.repeat(folder.split('/').length)}lib/background'`,
    `import type { StateStore } from '${'../'.repeat(folder.split('/').length)}lib/state-store'`,
    'const work = async () => {}',
  ]
  const lines = statements.map(
    (one, index) => `export function f${index}(store: StateStore): unknown { ${one}; return store }`,
  )
  writeFileSync(file, [...head, ...lines, 'export const used = inBackground', ''].join('\n'))
  try {
    const rules = ['nursery/noFloatingPromises', 'nursery/noMisusedPromises', 'complexity/noVoid']
    const only = rules.map((rule) => `--only=${rule}`)
    const biome = join(root, 'node_modules', '.bin', 'biome')
    try {
      execFileSync(biome, ['lint', '--reporter=json', ...only, file], { cwd: root, stdio: 'pipe' })
      return []
    } catch (error) {
      const { diagnostics } = JSON.parse(String((error as { stdout: Buffer }).stdout))
      return diagnostics.map(
        ({ location }: { location: { start: { line: number } } }) => location.start.line - head.length - 1,
      )
    }
  } finally {
    rmSync(file)
  }
}

describe('an unhandled promise', () => {
  it('is found by the linter in each form', () => {
    const statements = [...floating, ...handled]
    const found = new Set(flagged('lib/collect', statements))
    assert.deepEqual(
      statements.filter((_, index) => found.has(index)),
      floating,
    )
  })

  it('does not end the process: its error is reported', async () => {
    const reported: unknown[] = []
    const error = new Error('unforeseen')
    onBackgroundError((one) => reported.push(one))
    try {
      inBackground(Promise.reject(error))
      await new Promise((resolve) => setImmediate(resolve))
      assert.deepEqual(reported, [error])
    } finally {
      onBackgroundError(() => {})
    }
  })
})
