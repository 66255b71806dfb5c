/** The supported Node-REDs, each on a Node.js version it supports. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { execute, installCached, npmEnvironment, root } from './package'
import { isSystem, onceARun } from './run'

export interface Runtime {
  title: string
  /** the server's language */
  lang: 'en-US' | 'ja'
  /** The paths of Node and Node-RED; they are downloaded if missing. */
  locate(): Promise<{ node: string; nodeRed: string }>
}

const HERE = Number(process.versions.node.split('.')[0])

const nodeRed4: Runtime = {
  title: `Node-RED 4.1 on Node ${HERE}`,
  lang: 'en-US',
  locate: async () => ({ node: process.execPath, nodeRed: require.resolve('node-red/red.js') }),
}

const nodeRed5On = (major: number, lang: Runtime['lang']): Runtime => ({
  title: `Node-RED 5 on Node ${major}`,
  lang,
  locate: () => onceARun(`node-red-5-on-${major}`, () => nodeRed5(major)),
})

type Runtimes = readonly [Runtime, ...Runtime[]]

/** `NODE_RED=4.1` or `NODE_RED=5`: only that one, on the Node.js that runs the tests. */
const chosen: Record<string, Runtimes> = { '4.1': [nodeRed4], '5': [nodeRed5On(HERE, 'en-US')] }

export const runtimes = which(process.env.NODE_RED)

/** `npm test` uses Node-RED 4.1 from `npm ci`, `npm run test:system` the others. */
export const runtimesOfTier: readonly Runtime[] = process.env.NODE_RED
  ? runtimes
  : runtimes.filter((runtime) => (runtime === nodeRed4) !== isSystem)

/** For tests that do not need all runtimes: the first one, and another one if there is one. */
export const [firstRuntime, otherRuntime = firstRuntime] = runtimes

function which(wanted: string | undefined): Runtimes {
  if (!wanted) return [nodeRed4, nodeRed5On(22, 'ja'), nodeRed5On(24, 'en-US')]
  const found = chosen[wanted]
  if (!found) throw new Error(`NODE_RED is ${Object.keys(chosen).join(' or ')}, not ${wanted}`)
  return found
}

async function nodeRed5(major: number): Promise<{ node: string; nodeRed: string }> {
  const node = await nodeOf(major)
  return { node, nodeRed: await onceARun('node-red-5', () => installNodeRed5(node)) }
}

/** The binary itself, because a child of npx could not be ended by its id. */
async function nodeOf(major: number): Promise<string> {
  if (process.versions.node.startsWith(`${major}.`)) return process.execPath
  const options = ['--yes', '--prefer-offline', '-p', `node@${major}`]
  const { stdout } = await execute('npx', [...options, '-c', 'node -p process.execPath'], {
    cwd: root,
    env: npmEnvironment(),
  })
  return stdout.trim()
}

async function installNodeRed5(node: string): Promise<string> {
  const script = join(root, '.cache', 'node-red-5', 'node_modules', 'node-red', 'red.js')
  if (!existsSync(script))
    await installCached('node-red-5', { dependencies: { 'node-red': '5' } }, npmEnvironment(node))
  return script
}
