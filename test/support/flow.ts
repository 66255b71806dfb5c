import { createRequire } from 'node:module'
import { join } from 'node:path'
import helper from 'node-red-node-test-helper'
import { type Simulator, type SimulatorOptions, startSimulator } from '../../simulator'
import account from '../../src/nodes/account/account'
import alarms from '../../src/nodes/alarms/alarms'
import alerts from '../../src/nodes/alerts/alerts'
import current from '../../src/nodes/current/current'
import { registry } from '../../src/nodes/kit/state/process-registry'
import latest from '../../src/nodes/latest/latest'
import limits from '../../src/nodes/limits/limits'
import range from '../../src/nodes/range/range'
import type { ActionName, Message } from './flow-types'
import { limitsOf } from './no-limits'
import { root } from './package'

const STARTING_MS = 30_000

helper.init(require.resolve('node-red'))

const requireOfNodeRed = createRequire(require.resolve('node-red'))
/** The helper would load these once for each node, and fail if there are several. */
const reporting = ['24-complete', '25-catch', '25-status'].map((file) =>
  requireOfNodeRed(`@node-red/nodes/core/common/${file}.js`),
)
Object.assign(helper, { _nodeModules: {} })

const { log }: { log: Record<string, SinonSpy> } = requireOfNodeRed('@node-red/util')
const Node: { prototype: Record<string, SinonSpy> } = requireOfNodeRed('@node-red/runtime/lib/nodes/Node')

/** The messages that arrived at a node of the flow. */
interface Inbox {
  messages: Message[]
  /** The next message that has not been returned yet. */
  next(): Promise<Message>
}

export interface Flow {
  /** Triggers the node under test. */
  send(msg?: Message): void
  output: Inbox
  errors: Inbox
  completed: Inbox
  statuses: Inbox
  /** All statuses of the node, including those from before the status node existed. */
  shown(): Message[]
  /** Closes the node like a deploy. */
  close(): Promise<void>
}

interface Setup {
  /** Properties of the action node other than its account. */
  node?: Message
  account?: Message
  /** Properties of a config node envlog-limits other than its account. */
  limits?: Message
  credentials?: Message
  /** Further nodes, their types, and their credentials by id. */
  flow?: object[]
  /** Ids of further nodes whose errors and completions are received. */
  watched?: string[]
  coreNodes?: unknown[]
  /** Keeps the state that a process keeps across deploys: used quota, known devices. */
  sameProcess?: boolean
  others?: object
}

const built = () => require(join(root, 'dist', 'envlog.js'))

/** Starts a flow with one node and its account, and receives its messages, errors and statuses. */
export async function startFlow(
  action: ActionName | 'alarms' | 'report',
  simulator: Simulator,
  setup: Setup = {},
): Promise<Flow> {
  const { apiKey, loginId, loginPass } = simulator.account
  await unload()
  // Reports read their texts where the build puts them.
  const nodes = action === 'report' ? [built()] : [account, current, latest, range, alerts, limits, alarms]
  if (!setup.sameProcess) (action === 'report' ? built().registry().registry : registry).clear()
  loaded = true
  const place = { z: 'tab', x: 100, y: 100 }
  const scope = ['node', ...(setup.watched ?? [])]
  const shown: Shown[] = []
  // A node that repeats begins after a random time: here after the shortest one.
  const { random } = Math
  Math.random = () => 0
  const loading = helper.load(
    // The first one is called when the spies exist, but no nodes do.
    [() => replaceSpies(shown), ...nodes, ...reporting, ...(setup.coreNodes ?? [])] as never,
    [
      { id: 'tab', type: 'tab', label: 'test' },
      {
        id: 'account',
        type: 'envlog-account',
        name: 'Plant A',
        baseUrl: simulator.url,
        retries: 0,
        limits: limitsOf(simulator),
        ...setup.account,
      },
      ...(setup.limits ? [{ id: 'limits', type: 'envlog-limits', account: 'account', ...setup.limits }] : []),
      {
        id: 'node',
        type: `envlog-${action}`,
        ...(setup.limits && { limits: 'limits' }),
        ...(action !== 'alarms' && { account: 'account' }),
        wires: [['output']],
        // Most tests are not about new records.
        onlyNew: false,
        ...place,
        ...setup.node,
      },
      { id: 'output', type: 'helper', ...place },
      { id: 'catch', type: 'catch', scope, wires: [['errors']], ...place },
      { id: 'errors', type: 'helper', ...place },
      { id: 'complete', type: 'complete', scope, wires: [['completed']], ...place },
      { id: 'completed', type: 'helper', ...place },
      { id: 'status', type: 'status', scope: ['node'], wires: [['statuses']], ...place },
      { id: 'statuses', type: 'helper', ...place },
      ...(setup.flow ?? []),
    ] as never,
    { account: { apiKey, loginId, loginPass, ...setup.credentials }, ...setup.others } as never,
  )
  await loading.finally(() => {
    Math.random = random
  })
  const node = helper.getNode('node')
  return {
    send: (msg = {}) => node.receive(msg),
    output: inbox('output'),
    errors: inbox('errors'),
    completed: inbox('completed'),
    statuses: inbox('statuses'),
    shown: () => shown.flatMap(({ by, status }) => (by === node && status ? [status] : [])),
    close: () => node.close(false),
  }
}

/** A status set by any node of the flow. */
interface Shown {
  by: unknown
  status: Message | undefined
}

/**
 * Keeps only statuses. The test helper's spies keep each sent message, each status and each log line with its stack,
 * which takes most of the time and memory of large tests, and a node has them from its creation.
 */
function replaceSpies(shown: Shown[]): void {
  const originalOf = (owner: Record<string, SinonSpy>, name: string) =>
    owner[name]?.wrappedMethod ?? (owner[name] as SinonSpy)
  Node.prototype.send = originalOf(Node.prototype, 'send')
  log.log = originalOf(log, 'log')
  const setStatus = originalOf(Node.prototype, 'status')
  Node.prototype.status = function (this: unknown, status?: Message) {
    shown.push({ by: this, status })
    return setStatus.call(this, status)
  }
}

interface SinonSpy {
  (this: unknown, status?: Message): unknown
  wrappedMethod?: SinonSpy
}

let loaded = false

/** Closes the nodes like a deploy; starting the next flow does so too. */
export async function unload(): Promise<void> {
  if (loaded) await helper.unload()
  loaded = false
}

function inbox(id: string): Inbox {
  const messages: Message[] = []
  const waiting: ((msg: Message) => void)[] = []
  let taken = 0
  const serve = () => {
    while (waiting.length > 0 && taken < messages.length) waiting.shift()?.(messages[taken++] as Message)
  }
  helper.getNode(id).on('input', (msg: Message) => {
    messages.push(msg)
    serve()
  })
  return {
    messages,
    next: () =>
      new Promise((resolve) => {
        waiting.push(resolve)
        serve()
      }),
  }
}

let warm: Promise<void> | undefined

/**
 * One request that causes all late loading, because the first test of a process would otherwise take seconds longer.
 */
async function warmUp(): Promise<void> {
  const simulator = await startSimulator()
  const flow = await startFlow('current', simulator)
  flow.send()
  await flow.completed.next()
  await unload()
  await simulator.close()
}

/** Hooks for a file of node tests: one Node-RED, and a new simulator for each test. */
export function useSimulator(options: () => SimulatorOptions = () => ({})): () => Simulator {
  let simulator: Simulator
  before('starts Node-RED', async function () {
    this.timeout(STARTING_MS)
    await helper.startServer()
    warm ??= warmUp()
    await warm
  })
  after((done) => {
    helper.stopServer(done)
  })
  beforeEach(async () => {
    simulator = await startSimulator(options())
  })
  afterEach(async () => {
    await unload()
    await simulator.close()
  })
  return () => simulator
}
