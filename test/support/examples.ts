/**
 * The examples as they ship, in a whole Node-RED, filled in for the machine they run on.
 *
 *     const hall = useExamples()
 *     await hall.deploy(['Alarms/alerts to a chat'], { simulator, chat })
 */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Simulator } from '../../simulator'
import { type Restarting, startRestarting, stores } from './archive/restarting'
import type { InfluxServer, PostgresServer } from './databases'
import type { FlowNode } from './node-red'
import { root } from './package'
import type { Palette } from './palette'
import { until } from './wait'

const folder = join(root, 'examples')
const STARTING_MS = 300_000
const POLLED_MS = 60_000
/** Longer than a deploy may take: it says what Node-RED logged. */
const ENDING_MS = 90_000
/** Nobody has to wait a second for each round. */
const SPEED = 5

/** Paths without `.json`, as the import dialog shows them. */
export const exampleNames: readonly string[] = readdirSync(folder, { recursive: true })
  .map((file) => String(file).replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.json'))
  .map((file) => file.replace(/\.json$/, ''))

export function readExample(name: string): FlowNode[] {
  return JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'))
}

/** The packages that a folder says it needs: `SQLite - needs node-red-node-sqlite`. */
export function neededBy(name: string): string | undefined {
  const [, needed] = / - needs (.*?)\//.exec(name) ?? []
  // A folder's name cannot hold the stroke of a scope.
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
  /** The port that the flow listens on. */
  modbus?: number
  /** Further properties of all nodes of a type. */
  more?: Record<string, object>
}

/** As the files say, but for addresses, secrets, and how long one would have to wait. */
export function filledIn(names: readonly string[], surroundings: Surroundings): FlowNode[] {
  const { simulator, broker, chat, mail, sqlite, postgres, influx, modbus, more = {} } = surroundings
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
    'modbus-server': modbus === undefined ? undefined : { serverPort: String(modbus) },
    // In the log, for whoever looks for the reason.
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

/** Registers and address spaces are more than lists of core nodes can do. */
export const mayHoldCode = (name: string): boolean => name.startsWith('Factory ')

/** Nobody has to write code for it. */
export function assertWithoutCode(name: string): void {
  const types = new Set(readExample(name).map(({ type }) => type))
  for (const type of mayHoldCode(name) ? ['exec', 'unknown'] : ['function', 'exec', 'unknown'])
    assert.ok(!types.has(type), `${name}: ${type}`)
}

const requests = (simulator: Simulator) =>
  Object.values(simulator.counts()).reduce((sum, { total }) => sum + total, 0)

/** So many requests from now on, each with all that came of it. */
export async function rounds(simulator: Simulator, count: number): Promise<void> {
  // The one after the last says that the last is done with.
  const end = requests(simulator) + count + 1
  await until(`${count} rounds`, () => requests(simulator) >= end, POLLED_MS)
}

/** More than twice as long as the examples wait between two rounds in tests. */
const STILL_MS = 2500 / SPEED

/** Resolves when nothing is asked any more: all that was sent waits for its receipt. */
export async function asksNoMore(simulator: Simulator): Promise<void> {
  let last = requests(simulator)
  let since = performance.now()
  const isStill = () => {
    if (requests(simulator) !== last) since = performance.now()
    last = requests(simulator)
    return performance.now() - since > STILL_MS
  }
  await until('it asks no more', isStill, POLLED_MS)
}

export interface ExamplesHall extends Omit<Restarting, 'deploy'> {
  deploy(names: readonly string[], surroundings: Surroundings): Promise<void>
  /** With what a test adds to see more. */
  deployWith(
    names: readonly string[],
    surroundings: Surroundings,
    add: (flow: FlowNode[]) => FlowNode[],
  ): Promise<void>
  /** Presses the button of an inject node of that name. */
  press(name: string): Promise<void>
  /** Ends it as an operator does, and starts it again. */
  restart(): Promise<void>
}

interface HallOptions {
  /** Of Node-RED's timers, see `StartOptions`. */
  speed?: number
  palette?: Palette
}

/** In a `describe`: after each test nothing is deployed. */
export function useExamples({ speed = SPEED, palette = 'common' }: HallOptions = {}): ExamplesHall {
  let nodeRed: Restarting
  let deployed: FlowNode[] = []

  before('starts Node-RED with the package installed', async function () {
    this.timeout(STARTING_MS)
    nodeRed = await startRestarting(stores.atOnce, speed, palette)
  })

  // What nodes are connected to ends after them: some do not survive it. Node-RED deletes the folder of a flow that is
  // gone, and starts nothing any more where its file store writes into it meanwhile: so the nodes are ended before.
  afterEach('takes the flows away', async function () {
    this.timeout(ENDING_MS)
    await nodeRed.deploy(deployed.map((node) => (node.type === 'tab' ? { ...node, disabled: true } : node)))
    await nodeRed.deploy([])
  })

  after('ends Node-RED', () => nodeRed?.kill())

  const hall: ExamplesHall = {
    get userDir() {
      return nodeRed.userDir
    },
    url: () => nodeRed.url(),
    inject: (id) => nodeRed.inject(id),
    json: (path) => nodeRed.json(path),
    kill: () => nodeRed.kill(),
    end: () => nodeRed.end(),
    start: () => nodeRed.start(),
    deploy: (names, surroundings) => hall.deployWith(names, surroundings, (flow) => flow),
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
  return hall
}
