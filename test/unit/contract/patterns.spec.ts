import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Node, parse } from 'acorn'
import { transformSync } from 'esbuild'
import { isSafe } from 'redos-detector'

const root = join(__dirname, '..', '..', '..')
/** Code in the browser only gets texts of its own user; all other code may get texts from outside. */
const folders = ['src/lib', 'src/nodes', 'src/shared']

/** Patterns that the detector cannot analyse completely: how they begin, and why they are linear. */
const harmless = {
  'src/lib/readings/alert-kind.ts: /[-+]?\\d+': 'looks into 500 letters at most',
  'src/lib/api/redact.ts: /"[^"]*': 'goes on behind each quotation mark that it found',
}

interface Pattern {
  where: string
  literal: RegExp
}

function patternsOf(file: string): Pattern[] {
  const { code } = transformSync(readFileSync(join(root, file), 'utf8'), { loader: 'ts' })
  const found: Pattern[] = []
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    const { type, regex } = value as Node & { regex?: { pattern: string; flags: string } }
    if (type === 'Literal' && regex)
      found.push({ where: `${file}: /${regex.pattern}/`, literal: new RegExp(regex.pattern, regex.flags) })
    for (const part of Object.values(value)) visit(part)
  }
  visit(parse(code, { ecmaVersion: 'latest', sourceType: 'module' }))
  return found
}

const files = folders.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('editor.ts'))
    .map((name) => `${folder}/${name}`),
)
const patterns = files.flatMap(patternsOf)

describe('regular expressions for texts from outside', () => {
  it('are found', () => assert.ok(patterns.length > 20, `${patterns.length}`))

  for (const { where, literal } of patterns) {
    if (Object.keys(harmless).some((begin) => where.startsWith(begin))) continue
    it(`take linear time: ${where}`, () => assert.ok(isSafe(literal).safe))
  }
})
