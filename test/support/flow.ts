import helper from 'node-red-node-test-helper'
import { type Simulator, startSimulator } from '../../simulator'
import type { SimulatorOptions } from '../../simulator/options'
import account from '../../src/nodes/account/account'
import alerts from '../../src/nodes/alerts/alerts'
import current from '../../src/nodes/current/current'
import latest from '../../src/nodes/latest/latest'
import range from '../../src/nodes/range/range'

helper.init(require.resolve('node-red'))

const catchNode = require('@node-red/nodes/core/common/25-catch.js')
const completeNode = require('@node-red/nodes/core/common/24-complete.js')
const statusNode = require('@node-red/nodes/core/common/25-status.js')

export type ActionName = 'current' | 'latest' | 'range' | 'alerts'

/** What arrived at a node of the flow, and who waits for the next. */
export interface Inbox {
  messages: Message[]
  /** The next `count` messages that have not been taken yet. */
  take(count: number): Promise<Message[]>
}

// biome-ignore lint/suspicious/noExplicitAny: messages are whatever a flow makes of them
export type Message = Record<string, any>

export interface Flow {
  /** Triggers the node under test. */
  send(msg?: Message): void
  output: Inbox
  errors: Inbox
  completed: Inbox
  statuses: Inbox
  /** Closes the node as a deploy does. */
  close(): Promise<void>
}

interface Setup {
  /** Properties of the action node over its defaults. */
  node?: Message
  account?: Message
  credentials?: Message
  flow?: Message[]
}

/** A flow of one action node with its account, and all that Node-RED tells of it. */
export async function startFlow(action: ActionName, simulator: Simulator, setup: Setup = {}): Promise<Flow> {
  const { apiKey, loginId, loginPass } = simulator.account
  const place = { z: 'tab', x: 100, y: 100 }
  await helper.load(
    [account, current, latest, range, alerts, catchNode, completeNode, statusNode],
    [
      { id: 'tab', type: 'tab', label: 'test' },
      {
        id: 'account',
        type: 'envlog-account',
        name: 'Plant A',
        baseUrl: simulator.url,
        retries: 0,
        ...setup.account,
      },
      {
        id: 'node',
        type: `envlog-${action}`,
        account: 'account',
        wires: [['output']],
        ...place,
        ...setup.node,
      },
      { id: 'output', type: 'helper', ...place },
      { id: 'catch', type: 'catch', scope: ['node'], wires: [['errors']], ...place },
      { id: 'errors', type: 'helper', ...place },
      { id: 'complete', type: 'complete', scope: ['node'], wires: [['completed']], ...place },
      { id: 'completed', type: 'helper', ...place },
      { id: 'status', type: 'status', scope: ['node'], wires: [['statuses']], ...place },
      { id: 'statuses', type: 'helper', ...place },
      ...(setup.flow ?? []),
    ] as never,
    { account: { apiKey, loginId, loginPass, ...setup.credentials } } as never,
  )
  const node = helper.getNode('node')
  return {
    send: (msg = {}) => node.receive(msg),
    output: inbox('output'),
    errors: inbox('errors'),
    completed: inbox('completed'),
    statuses: inbox('statuses'),
    close: () => node.close(false),
  }
}

function inbox(id: string): Inbox {
  const messages: Message[] = []
  const waiting: { count: number; resolve(taken: Message[]): void }[] = []
  let taken = 0
  const serve = () => {
    while (waiting[0] && messages.length - taken >= waiting[0].count) {
      const { count, resolve } = waiting.shift() as (typeof waiting)[number]
      resolve(messages.slice(taken, (taken += count)))
    }
  }
  helper.getNode(id).on('input', (msg: Message) => {
    messages.push(msg)
    serve()
  })
  return {
    messages,
    take: (count) =>
      new Promise((resolve) => {
        waiting.push({ count, resolve })
        serve()
      }),
  }
}

/** Hooks for a file of node tests: one Node-RED and one simulator, fresh for each test. */
export function useSimulator(options: () => SimulatorOptions = () => ({})): () => Simulator {
  let simulator: Simulator
  before((done) => void helper.startServer(done))
  after((done) => void helper.stopServer(done))
  beforeEach(async () => {
    simulator = await startSimulator(options())
  })
  afterEach(async () => {
    await helper.unload()
    await simulator.close()
  })
  return () => simulator
}
