/**
 * Completes what follows from the settings of the built nodes.
 *
 * Adds missing properties to our nodes in `examples/` and `demo/`, with the defaults of the forms. Removes the account
 * from examples, because the editor assigns the user's own account to imported nodes. Gives all examples the same
 * limits, and writes the lines of `scripts/texts.ts` into their expressions. Writes the tables of settings in
 * `docs/nodes.md` and its translation.
 */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { EXAMPLE_LIMITS } from '../src/shared/example-limits'
import { defaultsOf, nodes } from '../test/support/built'
import { root } from '../test/support/package'
import { settingsPages, withSettings } from './settings-tables'
import { withTexts } from './texts'

const folders = ['examples', 'demo'].map((folder) => join(root, folder))
const types = nodes.map(({ type }) => type)

function complete(node: Record<string, unknown>): Record<string, unknown> {
  if (!types.includes(String(node.type))) return node
  const missing = Object.entries(defaultsOf(String(node.type))).filter(([name]) => !(name in node))
  if (missing.length === 0) return node
  // Node-RED saves a node's position last.
  const { x, y, wires, ...properties } = node
  return { ...properties, ...Object.fromEntries(missing), x, y, wires }
}

const withLimits = (node: Record<string, unknown>) =>
  node.type === 'envlog-limits' ? { ...node, limits: EXAMPLE_LIMITS } : node

const isShipped = ({ type }: { type: string }) => type !== 'envlog-account'

const withoutAccount = (node: Record<string, unknown>) =>
  'account' in node ? { ...node, account: '' } : node

for (const folder of folders) {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.json')) continue
    const file = join(folder, name)
    const saved = JSON.parse(readFileSync(file, 'utf8'))
    // The demo's credentials file does not contain a list.
    if (!Array.isArray(saved)) continue
    const kept =
      folder === folders[0]
        ? saved.filter(isShipped).map(withoutAccount).map(withLimits).map(withTexts)
        : saved
    writeFileSync(file, JSON.stringify(kept.map(complete), null, 2))
  }
}
execFileSync(join(root, 'node_modules', '.bin', 'biome'), ['format', '--write', ...folders], {
  stdio: 'inherit',
})
for (const { file, language } of settingsPages)
  writeFileSync(join(root, file), withSettings(readFileSync(join(root, file), 'utf8'), language))
