/**
 * A complete Node-RED with chains of nodes: inject → an action node → other nodes → the test.
 *
 *     const harness = useNodeRed()
 *     before(() => harness.deploy([chain('joined', 'range', { output: 'rows', send: 'each' }, [{ type: 'join' }])]))
 *     const [msg] = await harness.run('joined')
 */

import { manualClock, type Simulator, startSimulator } from '../../simulator'
import { defaultsOf } from './built'
import { type Collector, startCollector } from './collector'
import { collectorNode, position } from './e2e-flow'
import type { ActionName, Message } from './flow-types'
import { HOSTILE_NOW, hostileFleet } from './hostile'
import { limitsOf } from './no-limits'
import { type FlowNode, type NodeRed, startNodeRed } from './node-red'
import { firstRuntime } from './runtimes'
import { until } from './wait'

const STARTING_MS = 300_000
const ANSWER_MS = 20_000
const ENDING_MS = 20_000

export type AnyNode = { type: string } & Record<string, unknown>

export interface NodeChain {
  name: string
  /** if absent, the inject node is wired to the other nodes */
  action?: ActionName
  /** properties that override the node's defaults */
  settings: Record<string, unknown>
  /** nodes before and after the action node */
  before?: readonly AnyNode[]
  after: readonly AnyNode[]
  /** The last node has no output: its completion is reported instead. */
  sink?: boolean
  /** properties of the triggering message, as in an inject node */
  props?: readonly { p: string; v: string; vt: string }[]
}

export function chain(
  name: string,
  action: ActionName,
  settings: NodeChain['settings'],
  after: readonly AnyNode[] = [],
  more: Pick<NodeChain, 'sink' | 'props' | 'before'> = {},
): NodeChain {
  return { name, action, settings, after, ...more }
}

export interface FlowHarness {
  readonly nodeRed: NodeRed
  readonly simulator: Simulator
  /** Stops a server after Node-RED, because some nodes crash when their server ends. */
  stopAfterwards(server: { stop(): Promise<void> }): void
  deploy(chains: readonly NodeChain[], config?: readonly FlowNode[]): Promise<void>
  trigger(name: string): Promise<void>
  /** The next messages of a chain. @throws Error received by a Catch node */
  receive(name: string, count?: number): Promise<Message[]>
  /** `trigger`, then `receive`. */
  run(name: string, count?: number): Promise<Message[]>
  /** Messages of a Catch node since the last call. */
  errors(): Message[]
}

interface Running {
  nodeRed: NodeRed
  simulator: Simulator
  collector: Collector
}

async function start(packages: readonly string[]): Promise<Running> {
  const simulator = await startSimulator({
    clock: manualClock(HOSTILE_NOW),
    limits: 'off',
    fleet: hostileFleet(),
  })
  const collector = await startCollector()
  const nodeRed = await startNodeRed(firstRuntime, { packages })
  return { simulator, collector, nodeRed }
}

/** Call this in a `describe`; `packages` contain third-party nodes. */
export function useNodeRed(packages: readonly string[] = []): FlowHarness {
  let current: Running
  let reportedErrors = 0
  const received = new Map<string, number>()
  const servers: { stop(): Promise<void> }[] = []

  before('starts Node-RED with the package installed', async function () {
    this.timeout(STARTING_MS)
    current = await start(packages)
  })

  after('ends Node-RED', async function () {
    this.timeout(ENDING_MS)
    await current?.nodeRed.stop('SIGKILL')
    const others = servers.map((server) => server.stop())
    await Promise.all([current?.simulator.close(), current?.collector.close(), ...others])
  })

  const harness: FlowHarness = {
    get nodeRed() {
      return current.nodeRed
    },
    get simulator() {
      return current.simulator
    },
    stopAfterwards: (server) => void servers.push(server),
    async deploy(chains, config = []) {
      const { nodeRed, collector } = current
      await nodeRed.deploy(chainsFlow(current, chains, config))
      reportedErrors = collector.box('errors').length
      for (const { name } of chains) received.set(name, collector.box(name).length)
    },
    trigger: (name) => current.nodeRed.inject(`trigger-${name}`),
    async receive(name, count = 1) {
      const { collector } = current
      const from = received.get(name) ?? 0
      const hasReceived = () => {
        const [error] = harness.errors()
        if (error) throw new Error(`${error.error.source?.name}: ${error.error.message}`)
        return collector.box(name).length - from >= count
      }
      await until(`${count} messages of ${name}`, hasReceived, ANSWER_MS)
      received.set(name, from + count)
      return sortByIndex(collector.box(name).slice(from, from + count))
    },
    async run(name, count) {
      await harness.trigger(name)
      return harness.receive(name, count)
    },
    errors() {
      const errors = current.collector.box('errors').slice(reportedErrors)
      reportedErrors += errors.length
      return errors
    },
  }
  return harness
}

function chainsFlow(
  { simulator, collector }: Running,
  chains: readonly NodeChain[],
  config: readonly FlowNode[],
): FlowNode[] {
  const { apiKey, loginId, loginPass } = simulator.account
  return [
    { id: 'tab', type: 'tab', label: 'chains' },
    {
      id: 'account',
      type: 'envlog-account',
      ...defaultsOf('envlog-account'),
      name: 'Plant A',
      baseUrl: simulator.url,
      retries: 0,
      limits: limitsOf(simulator),
      credentials: { apiKey, loginId, loginPass },
    },
    ...config,
    ...chains.flatMap((each) => [...nodesOf(each), collectorNode(collector, each.name)]),
    { id: 'catch', type: 'catch', z: 'tab', scope: null, ...position, wires: [['collect-errors']] },
    collectorNode(collector, 'errors'),
    { id: 'post', type: 'http request', z: 'tab', method: 'use', ret: 'txt', ...position, wires: [[]] },
  ]
}

/** Wired in this order. */
function nodesOf({ name, action, settings, before = [], after, sink, props = [] }: NodeChain): FlowNode[] {
  const type = `envlog-${action}`
  const acting = action ? [{ type, ...defaultsOf(type), account: 'account', ...settings }] : []
  const nodes: AnyNode[] = [{ type: 'inject', props }, ...before, ...acting, ...after]
  const idOf = (index: number) => (index === 0 ? `trigger-${name}` : `${name}-${index}`)
  const last = nodes.length - 1
  const wired = nodes.map((node, index) => ({
    ...node,
    id: idOf(index),
    z: 'tab',
    name,
    ...position,
    wires: index < last ? [[idOf(index + 1)]] : sink ? [] : [[`collect-${name}`]],
  }))
  if (!sink) return wired
  const complete = { id: `${name}-complete`, type: 'complete', z: 'tab', scope: [idOf(last)], ...position }
  return [...wired, { ...complete, wires: [[`collect-${name}`]] }]
}

/** Messages of a sequence are posted concurrently, and may arrive in another order. */
function sortByIndex(messages: Message[]): Message[] {
  const ids = new Set(messages.map(({ parts }) => parts?.id))
  if (ids.size > 1 || ids.has(undefined)) return messages
  return messages.toSorted((a, b) => a.parts.index - b.parts.index)
}
