/**
 * Writes the code, pages and texts of `scripts/reports/` into the report examples. What a user changes (settings,
 * limits, devices) and the wires stay as they are.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../test/support/package'
import { withTexts } from './texts'

const folder = join(root, 'examples', 'Files and reports')
export const reportExamples = ['daily report', 'monthly report', 'fixed-time freezer checks']

/** Sources by the name of their node. */
const functions: Record<string, string> = {
  'begin the report': 'frame',
  'figures and charts': 'card',
  'verdict and tables': 'summary',
  'pass or fail': 'check',
}
const pages: Record<string, string> = {
  page: 'page',
  'page of this check': 'check',
  'page without figures': 'not-done',
}

const fileOf = (example: string) => join(folder, `${example}.json`)

const read = (file: string) => readFileSync(join(root, 'scripts', 'reports', file), 'utf8')

const IMPORT = /^import .* from '\.\/(.*)'\n\n?/gm

/** The body of the exported function, after its description and before the functions that it imports. */
function toBody(source: string): string {
  const [head = '', body = ''] = source.split(/^export default .*\n/m)
  const imported = [...head.matchAll(IMPORT)].map(
    ([, file = '']) => `\n\n${read(file).replace(/^export /gm, '')}`,
  )
  const own = body
    .replace(/^ *\/\/ biome-ignore .*\n/gm, '')
    .replace(/^ {2}/gm, '')
    .replace(/\n}\n$/, '')
  return `${head.replace(IMPORT, '')}${own}${imported.join('')}`.trimEnd()
}

const toPage = (source: string) => source.replace('/*css*/\n', () => read('page.css'))

function fill(node: Record<string, unknown>, example: string): void {
  const name = String(node.name)
  if (node.type === 'function' && functions[name]) node.func = toBody(read(`${functions[name]}.js`))
  if (node.type === 'template' && pages[name]) node.template = toPage(read(`${pages[name]}.html`))
  if (name !== 'texts in both languages') return
  const [texts] = node.rules as [{ to: string }]
  const file = example.endsWith('checks') ? 'check-texts.json' : 'texts.json'
  texts.to = JSON.stringify(JSON.parse(read(file)), null, 2)
}

/** The flow of an example with the current sources. */
export function withSources(example: string): Record<string, unknown>[] {
  const flow = JSON.parse(readFileSync(fileOf(example), 'utf8'))
  for (const node of flow) fill(node, example)
  return flow.map(withTexts)
}

function main(): void {
  for (const example of reportExamples)
    writeFileSync(fileOf(example), JSON.stringify(withSources(example), null, 2))
  execFileSync(join(root, 'node_modules', '.bin', 'biome'), ['format', '--write', folder], {
    stdio: 'inherit',
  })
}

if (require.main === module) main()
