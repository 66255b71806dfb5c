/**
 * Creates the flow library's score card (node-red-dev) of the published package: `npm run scorecard`, after a build.
 * Its requests to the internet go to a registry on loopback with data of npm. `--online` allows real requests, to find
 * packages with the same names. `--strict` is for a release: the address of the source is required.
 */
import { readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { parseArgs } from 'node:util'
import { execute, installed, npmEnvironment, packageJson } from '../test/support/package'
import { temporaryFolder } from '../test/support/run'
import { runsOn } from '../test/support/semver'
import { type Manifest, manifestsOf, startRegistry } from './fake-registry'
import { evaluate, isGood } from './score-rules'

/** Not a development dependency, because it is rarely used and depends on 440 old packages. */
const TOOL = 'node-red-dev@0.1.6'
const RUNNING_MS = 300_000
const OLDEST_NODE = packageJson.engines.node.replace('>=', '')

/** Path of the tool's script in npm's cache; fetched if it is not there. */
async function tool(): Promise<string> {
  const options = ['--yes', '--prefer-offline', '--ignore-scripts', '-p', TOOL]
  const { stdout } = await execute('npx', [...options, '-c', 'node -p process.env.PATH'], {
    env: npmEnvironment(),
    timeout: RUNNING_MS,
  })
  const bin = stdout.split(delimiter).find((folder) => folder.includes('_npx'))
  if (!bin) throw new Error(`npx did not report where ${TOOL} is`)
  return join(bin, '..', 'node-red-dev', 'bin', 'run')
}

async function cardOf(folder: string, proxied: NodeJS.ProcessEnv): Promise<Record<string, unknown>> {
  const output = join(temporaryFolder('scorecard'), 'card.json')
  const { stdout, stderr } = await execute(
    process.execPath,
    [await tool(), 'validate', '--path', folder, '--output', output],
    { cwd: folder, env: { ...npmEnvironment(), ...proxied, NODE_NO_WARNINGS: '1' }, timeout: RUNNING_MS },
  )
  console.log(`${stdout}${stderr}`)
  return JSON.parse(readFileSync(output, 'utf8'))
}

async function manifests(ranges: Record<string, string>): Promise<Record<string, Manifest[]>> {
  const each = Object.entries(ranges).map(async ([name, range]) => [name, await manifestsOf(name, range)])
  return Object.fromEntries(await Promise.all(each))
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { online: { type: 'boolean' }, strict: { type: 'boolean' } } })
  const known = await manifests({ ...packageJson.dependencies, 'node-red': 'latest' })
  const registry = await startRegistry(known)
  const { url, unknown } = registry
  // Its libraries read npm's settings as `rc` does, from `npm_<name>`.
  const proxied = values.online ? {} : { https_proxy: url, npm_registry: url, no_proxy: '' }
  try {
    const folder = join(await installed(), 'node_modules', packageJson.name)
    const card = await cardOf(folder, proxied)
    const published = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const facts = {
      hasAddress: 'repository' in published || 'bugs' in published,
      newestRuns: (name: string) => runsOn(OLDEST_NODE, known[name]?.[0]?.engines?.node),
    }
    const results = evaluate(card, facts, values.strict ?? false)
    for (const { rule, outcome, why } of results)
      console.log(`${outcome.padEnd(8)} ${rule}${why ? `: ${why}` : ''}`)
    if (!values.online) console.log('P08 and N01 saw no other packages: --online checks the real catalogue.')
    if (unknown.length > 0) throw new Error(`requested but not known: ${unknown.join(', ')}`)
    if (!results.every(isGood)) process.exitCode = 1
  } finally {
    registry.close()
  }
}

main().catch((error) => {
  console.error(error)
  process.exitCode = 1
})
