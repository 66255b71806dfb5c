/**
 * The shipped examples in a complete Node-RED, with addresses and secrets of this machine.
 *
 *     const harness = useExamples({ examples: [WALL] })
 *     await harness.deploy([WALL], { simulator })
 */

import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import type { Simulator } from '../../simulator'
import { defaultsOf } from './built'
import { limitsOf } from './no-limits'
import { type FlowNode, NodeRed, ON_DISK, type StartOptions } from './node-red'
import { root } from './package'
import { linkPackage } from './palette'
import { firstRuntime } from './runtimes'
import { until } from './wait'

const folder = join(root, 'examples')
const STARTING_MS = 300_000
const POLLED_MS = 60_000
/** Longer than the time limit of a deploy, whose error contains the log. */
const ENDING_MS = 90_000
/** Node-RED's timers run faster, so that rounds take less than a second. */
const SPEED = 5

/** Paths without `.json`, as in the import dialog. */
export const exampleNames: readonly string[] = readdirSync(folder, { recursive: true })
  .map((file) => String(file).replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.json'))
  .map((file) => file.replace(/\.json$/, ''))

export function readExample(name: string): FlowNode[] {
  return JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'))
}

const account = { id: 'account', type: 'envlog-account', ...defaultsOf('envlog-account') }

/** An example as it is after an import into an editor with one account. */
export const importExample = (name: string): FlowNode[] => [
  account,
  ...readExample(name).map((node) => ('account' in node ? { ...node, account: account.id } : node)),
]

/** The package that an example needs, from the name of its folder: `SQLite - needs node-red-node-sqlite`. */
export function neededBy(name: string): string | undefined {
  const [, needed] = / - needs (.*?)\//.exec(name) ?? []
  // A folder name cannot contain the slash of a scope.
  return needed?.replace(/^(@[\w-]+) /, '$1/')
}

export type ChatFormat = 'slack' | 'teams' | 'telegram' | 'line' | 'json'

/** What a flow calls the chat in the formats that need its id. */
export const CHAT_ID = '-1001'

interface Surroundings {
  simulator: Simulator
  /** `node` of a broker: `broker`, `port` */
  broker?: FlowNode
  /** `format`: as in its node, unless another one is given. */
  chat?: { url: string; format?: ChatFormat }
  /** Further properties for all nodes of a type. */
  more?: Record<string, object>
}

/** The nodes of the files, with other addresses and secrets, and at a higher speed with shorter intervals. */
function filledIn(
  names: readonly string[],
  { simulator, broker, chat, more = {} }: Surroundings,
  speed = SPEED,
): FlowNode[] {
  const { apiKey, loginId, loginPass } = simulator.account
  const credentials = { apiKey, loginId, loginPass }
  const filling: Record<string, object | undefined> = {
    'envlog-account': { baseUrl: simulator.url, limits: limitsOf(simulator), credentials },
    'mqtt-broker': broker && { broker: broker.broker, port: broker.port },
    'http request': chat && { url: chat.url },
    // Also writes to the log, to find the reasons for failures.
    debug: { console: true },
  }
  const nodes = new Map(names.flatMap(importExample).map((node) => [node.id, node]))
  return [...nodes.values()].map((node) => ({
    ...node,
    ...(speed > 1 && hurry(node, speed)),
    ...(chat?.format && chooseFormat(node, chat.format)),
    ...filling[node.type],
    ...more[node.type],
  }))
}

function hurry(node: FlowNode, speed: number): Partial<FlowNode> {
  return {
    ...(Number(node.repeat) > 0 && { repeat: 1 }),
    ...('ackTimeout' in node && { ackTimeout: 2 * speed }),
    ...('retries' in node && { retries: 0 }),
  }
}

/** The only place in a flow that determines its chat's format. */
function chooseFormat({ name, rules = [] }: FlowNode, to: string): Partial<FlowNode> {
  const [format, chat, ...others] = rules as object[]
  return name === 'chat format' ? { rules: [{ ...format, to }, { ...chat, to: CHAT_ID }, ...others] } : {}
}

/** The node that requests the readings or records of a flow. */
export const askingIn = (flow: readonly FlowNode[]): FlowNode | undefined =>
  flow.find(({ type }) => type === 'envlog-current' || type === 'envlog-latest')

/** Adds the button *ask*, which requests at once, even if the node waits after a failure. */
function withButton(flow: FlowNode[]): FlowNode[] {
  const asking = askingIn(flow)
  if (!asking) return flow
  const { id, z } = asking
  return [...flow, { id: 'ask', type: 'inject', name: 'ask', props: [], z, x: 0, y: 0, wires: [[id]] }]
}

/** The packages that function nodes list under *Setup*, *Modules*: Node-RED installs them on deploy. */
export const functionModules = (flow: readonly FlowNode[]): string[] =>
  flow
    .flatMap(({ libs = [] }) => (libs as { module: string }[]).map(({ module }) => module))
    .filter((module) => !isBuiltin(module))

/** Puts them where Node-RED finds them as installed, so that no deploy in a test contacts a registry. */
async function installModules(userDir: string, modules: readonly string[]): Promise<void> {
  const file = join(userDir, 'package.json')
  const { dependencies, ...manifest } = JSON.parse(readFileSync(file, 'utf8'))
  for (const module of modules) {
    await linkPackage(module, userDir)
    dependencies[module] ??= '*'
  }
  writeFileSync(file, JSON.stringify({ ...manifest, dependencies }))
}

const requests = (simulator: Simulator) =>
  Object.values(simulator.counts()).reduce((sum, { total }) => sum + total, 0)

/** Resolves after the given number of further requests, and all their results. */
export async function rounds(simulator: Simulator, count: number): Promise<void> {
  // When the next request is sent, the previous one has been processed completely.
  const end = requests(simulator) + count + 1
  await until(`${count} rounds`, () => requests(simulator) >= end, POLLED_MS)
}

interface HarnessOptions extends Pick<StartOptions, 'speed' | 'now' | 'httpNodeAuth' | 'contextStorage'> {
  /** The examples whose packages are installed. */
  examples?: readonly string[]
}

class Examples {
  readonly nodeRed: NodeRed
  readonly #speed: number
  #deployed: FlowNode[] = []

  constructor({ speed = SPEED, examples = [], ...options }: HarnessOptions = {}) {
    const packages = examples.flatMap((name) => neededBy(name) ?? [])
    this.#speed = speed
    this.nodeRed = new NodeRed(firstRuntime, { contextStorage: ON_DISK, speed, ...options, packages })
  }

  /** @param add modifications by the test */
  async deploy(
    names: readonly string[],
    surroundings: Surroundings,
    add = (flow: FlowNode[]): FlowNode[] => flow,
  ): Promise<void> {
    this.#deployed = add(withButton(filledIn(names, surroundings, this.#speed)))
    await installModules(this.nodeRed.userDir, functionModules(this.#deployed))
    await this.nodeRed.deploy(this.#deployed)
  }

  /** Presses the button of the inject node with that name. */
  async press(name: string): Promise<void> {
    const button = this.#deployed.find((node) => node.type === 'inject' && node.name === name)
    assert.ok(button, name)
    await this.nodeRed.inject(button.id)
  }

  /** Stops Node-RED with SIGTERM, and starts it again. */
  async restart(): Promise<void> {
    await this.nodeRed.stop()
    await this.nodeRed.start()
  }
}

/** Call this in a `describe`: after each test the flows are removed. */
export function useExamples(options?: HarnessOptions): Examples {
  const examples = new Examples(options)
  const { nodeRed } = examples

  before('starts Node-RED with the package installed', async function () {
    this.timeout(STARTING_MS)
    await nodeRed.start()
  })

  // Servers stop after the nodes that are connected to them, because some nodes would crash.
  afterEach('takes the flows away', async function () {
    this.timeout(ENDING_MS)
    await nodeRed.deploy([])
  })

  after('ends Node-RED', () => nodeRed.stop('SIGKILL'))

  return examples
}
