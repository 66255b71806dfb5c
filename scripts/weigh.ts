/**
 * Measures the size of the package and the time to load it, for CONTRIBUTING.md: `tsx scripts/weigh.ts`, after a build.
 */
import { join } from 'node:path'
import { processTime } from '../test/support/cold-require'
import { installed, nodesFileOf, pack, packageJson, weightOf } from '../test/support/package'

const TIMES = 9

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

/**
 * Time that the nodes add to a process. Empty and loaded processes alternate, so that both meet the same conditions.
 */
async function coldRequireTime(folder: string): Promise<{ empty: number; nodes: number }> {
  const empty: number[] = []
  const loaded: number[] = []
  for (let time = 0; time < TIMES; time++) {
    empty.push(await processTime(folder, []))
    loaded.push(await processTime(folder, [nodesFileOf(folder)]))
  }
  return { empty: median(empty), nodes: median(loaded) - median(empty) }
}

async function main(): Promise<void> {
  const { size, unpackedSize, files } = await pack()
  const folder = await installed()
  const modules = join(folder, 'node_modules')
  const own = await weightOf(join(modules, packageJson.name))
  const dependencies = (await weightOf(modules)) - own
  const { empty, nodes } = await coldRequireTime(folder)
  const kB = (bytes: number) => `${Math.round(bytes / 1000)} kB`
  const rows = [
    ['cold require of all nodes', `${nodes.toFixed(1)} ms over an empty process of ${empty.toFixed(1)} ms`],
    ['tarball', `${kB(size)}, ${files.length} files`],
    ['unpacked', kB(unpackedSize)],
    ['run-time dependencies', kB(dependencies)],
    ['Node', process.version],
  ]
  for (const [what = '', weight] of rows) console.log(`${what.padEnd(28)}${weight}`)
}

main().catch((error) => {
  console.error(error)
  process.exitCode = 1
})
