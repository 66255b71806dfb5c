/**
 * The shipped examples in a whole Node-RED, with addresses and secrets of this machine.
 *
 *     const harness = useExamples()
 *     await harness.deploy(['Alarms/alerts to a chat'], { simulator, chat })
 */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Simulator } from '../../simulator'
import { type Restarting, startRestarting, stores } from './archive/restarting'
import type { InfluxServer, PostgresServer } from './databases'
import type { FlowNode } from './node-red'
import { root } from './package'
import { until } from './wait'

const folder = join(root, 'examples')
const STARTING_MS = 300_000
const POLLED_MS = 60_000
/** Longer than the limit of a deploy, whose error contains the log. */
const ENDING_MS = 90_000
/** Timers of Node-RED run faster, so that rounds take less than a second. */
const SPEED = 5

/** Paths without `.json`, as the import dialog shows them. */
export const exampleNames: readonly string[] = readdirSync(folder, { recursive: true })
  .map((file) => String(file).replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.json'))
  .map((file) => file.replace(/\.json$/, ''))

export function readExample(name: string): FlowNode[] {
  return JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'))
}

/** The package that an example needs, from the name of its folder: `SQLite - needs node-red-node-sqlite`. */
export function neededBy(name: string): string | undefined {
  const [, needed] = / - needs (.*?)\//.exec(name) ?? []
  // The name of a folder cannot contain the slash of a scope.
  return needed?.replace(/^(@[\w-]+) /, '$1/')
}

export interface Surroundings {
  simulator: Simulator
  /** `node` of a broker: `broker`, `port` */
  broker?: FlowNode
  chat?: { url: string }
  mail?: { port: number }
  /** a file */
  sqlite?: string
  postgres?: PostgresServer
  influx?: InfluxServer
  /** Further properties of all nodes of a type. */
  more?: Record<string, object>
}

/** The nodes of the files, with other addresses, secrets and shorter intervals. */
export function filledIn(names: readonly string[], surroundings: Surroundings): FlowNode[] {
  const { simulator, broker, chat, mail, sqlite, postgres, influx, more = {} } = surroundings
  const { apiKey, loginId, loginPass } = simulator.account
  const credentials = { apiKey, loginId, loginPass }
  const filling: Record<string, object | undefined> = {
    'envlog-account': { baseUrl: simulator.url, retries: 0, credentials },
    'mqtt-broker': broker && { broker: broker.broker, port: broker.port },
    'http request': chat && { url: chat.url },
    'e-mail': mail && { server: '127.0.0.1', port: String(mail.port) },
    sqlitedb: sqlite === undefined ? undefined : { db: sqlite },
    postgresDB: postgres && loginOf(postgres),
    influxdb: influx && { hostname: '127.0.0.1', port: String(influx.port), database: influx.database },
    // Also writes to the log, to find reasons of failures.
    debug: { console: true },
  }
  // Importing a second example uses the account of the first.
  const nodes = new Map(names.flatMap(readExample).map((node) => [node.id, node]))
  return [...nodes.values()].map((node) => ({
    ...node,
    ...(Number(node.repeat) > 0 && { repeat: 1 }),
    ...('ackTimeout' in node && { ackTimeout: 2 * SPEED }),
    ...filling[node.type],
    ...more[node.type],
  }))
}

function loginOf({ port, user, password, database }: PostgresServer) {
  return { host: '127.0.0.1', port, user, password, database }
}

/** Examples of this kind contain no code. */
export function assertWithoutCode(name: string): void {
  const types = new Set(readExample(name).map(({ type }) => type))
  for (const type of ['function', 'exec', 'unknown']) assert.ok(!types.has(type), `${name}: ${type}`)
}

const requests = (simulator: Simulator) =>
  Object.values(simulator.counts()).reduce((sum, { total }) => sum + total, 0)

/** Resolves after the given number of further requests, and all their results. */
export async function rounds(simulator: Simulator, count: number): Promise<void> {
  // When the next request is sent, the last one is completely processed.
  const end = requests(simulator) + count + 1
  await until(`${count} rounds`, () => requests(simulator) >= end, POLLED_MS)
}

/** More than twice as long as the examples wait between two rounds in tests. */
const STILL_MS = 2500 / SPEED

/** Resolves when no request is sent any more, because all deliveries wait for their receipts. */
export async function asksNoMore(simulator: Simulator): Promise<void> {
  let last = requests(simulator)
  let since = performance.now()
  const isStill = () => {
    if (requests(simulator) !== last) since = performance.now()
    last = requests(simulator)
    return performance.now() - since > STILL_MS
  }
  await until('no more requests are sent', isStill, POLLED_MS)
}

export interface ExamplesHarness extends Omit<Restarting, 'deploy'> {
  deploy(names: readonly string[], surroundings: Surroundings): Promise<void>
  /** Deploys with changes of the test. */
  deployWith(
    names: readonly string[],
    surroundings: Surroundings,
    add: (flow: FlowNode[]) => FlowNode[],
  ): Promise<void>
  /** Presses the button of an inject node of that name. */
  press(name: string): Promise<void>
  /** Stops Node-RED with SIGTERM, and starts it again. */
  restart(): Promise<void>
}

/**
 * In a `describe`: after each test nothing is deployed.
 * @param speed of Node-RED's timers, see `StartOptions`
 */
export function useExamples({ speed = SPEED } = {}): ExamplesHarness {
  let nodeRed: Restarting
  let deployed: FlowNode[] = []

  before('starts Node-RED with the package installed', async function () {
    this.timeout(STARTING_MS)
    nodeRed = await startRestarting(stores.atOnce, speed)
  })

  // Servers end after the nodes that are connected to them, because some nodes would crash. Node-RED deletes the folder
  // of a removed flow, and starts no more flows if its file store writes into it meanwhile: so the nodes are stopped
  // before.
  afterEach('takes the flows away', async function () {
    this.timeout(ENDING_MS)
    await nodeRed.deploy(deployed.map((node) => (node.type === 'tab' ? { ...node, disabled: true } : node)))
    await nodeRed.deploy([])
  })

  after('ends Node-RED', () => nodeRed?.kill())

  const harness: ExamplesHarness = {
    get userDir() {
      return nodeRed.userDir
    },
    url: () => nodeRed.url(),
    inject: (id) => nodeRed.inject(id),
    json: (path) => nodeRed.json(path),
    kill: () => nodeRed.kill(),
    end: () => nodeRed.end(),
    start: () => nodeRed.start(),
    deploy: (names, surroundings) => harness.deployWith(names, surroundings, (flow) => flow),
    async deployWith(names, surroundings, add) {
      for (const name of names) assertWithoutCode(name)
      deployed = add(filledIn(names, surroundings))
      await nodeRed.deploy(deployed)
    },
    async press(name) {
      const button = deployed.find((node) => node.type === 'inject' && node.name === name)
      assert.ok(button, name)
      await nodeRed.inject(button.id)
    },
    async restart() {
      await nodeRed.end()
      await nodeRed.start()
    },
  }
  return harness
}
