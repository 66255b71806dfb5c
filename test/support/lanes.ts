/**
 * A whole Node-RED, and lanes through it: inject → an action node → other nodes → the test.
 *
 *     const hall = useNodeRed()
 *     before(() => hall.deploy([lane('joined', 'range', { output: 'rows', send: 'each' }, [{ type: 'join' }])]))
 *     const [msg] = await hall.ask('joined')
 */
import { manualClock, type Simulator, startSimulator } from '../../simulator'
import { defaultsOf } from './built'
import { type Collector, type Message, startCollector } from './collector'
import { type ActionName, place, teller } from './e2e-flow'
import { hostileFleet, NOW } from './hostile'
import { type FlowNode, type NodeRed, startNodeRed } from './node-red'
import { paletteFolder } from './palette'
import { firstRuntime } from './runtimes'
import { until } from './wait'

const STARTING_MS = 300_000
const ANSWER_MS = 20_000
const ENDING_MS = 20_000

export type AnyNode = { type: string } & Record<string, unknown>

export interface Lane {
  name: string
  /** none: the inject node is wired to the others */
  action?: ActionName
  /** properties over those of a dropped node */
  settings: Record<string, unknown>
  /** nodes before the action node, and after it */
  first?: readonly AnyNode[]
  through: readonly AnyNode[]
  /** The last node has no output: its completion is told. */
  sink?: boolean
  /** properties of the message that triggers, as an inject node has them */
  props?: readonly { p: string; v: string; vt: string }[]
}

export function lane(
  name: string,
  action: ActionName,
  settings: Lane['settings'],
  through: readonly AnyNode[] = [],
  more: Pick<Lane, 'sink' | 'props' | 'first'> = {},
): Lane {
  return { name, action, settings, through, ...more }
}

/** A lane without an action node. */
export function plainLane(name: string, ...through: AnyNode[]): Lane {
  return { name, settings: {}, through }
}

export interface Hall {
  readonly nodeRed: NodeRed
  readonly simulator: Simulator
  /** What nodes are connected to must not end before Node-RED: some do not survive it. */
  endLater(server: { stop(): Promise<void> }): void
  deploy(lanes: readonly Lane[], config?: readonly FlowNode[]): Promise<void>
  trigger(name: string): Promise<void>
  /** The next messages of a lane. @throws what a Catch node was told */
  take(name: string, count?: number): Promise<Message[]>
  /** `trigger`, then `take`. */
  ask(name: string, count?: number): Promise<Message[]>
  /** What a Catch node was told since the last time. */
  errors(): Message[]
}

interface Running {
  nodeRed: NodeRed
  simulator: Simulator
  collector: Collector
}

async function start(): Promise<Running> {
  const simulator = await startSimulator({ clock: manualClock(NOW), limits: 'off', fleet: hostileFleet() })
  const collector = await startCollector()
  const nodeRed = await startNodeRed(firstRuntime, { nodesDir: await paletteFolder() })
  return { simulator, collector, nodeRed }
}

/** In a `describe`. */
export function useNodeRed(): Hall {
  let current: Running
  let errorsTold = 0
  const taken = new Map<string, number>()
  const servers: { stop(): Promise<void> }[] = []

  before('starts Node-RED with the package installed', async function () {
    this.timeout(STARTING_MS)
    current = await start()
  })

  after('ends Node-RED', async function () {
    this.timeout(ENDING_MS)
    await current?.nodeRed.stop('SIGKILL')
    const others = servers.map((server) => server.stop())
    await Promise.all([current?.simulator.close(), current?.collector.close(), ...others])
  })

  const hall: Hall = {
    get nodeRed() {
      return current.nodeRed
    },
    get simulator() {
      return current.simulator
    },
    endLater: (server) => void servers.push(server),
    async deploy(lanes, config = []) {
      const { nodeRed, collector } = current
      await nodeRed.deploy(flowOf(current, lanes, config))
      errorsTold = collector.box('errors').length
      for (const { name } of lanes) taken.set(name, collector.box(name).length)
    },
    trigger: (name) => current.nodeRed.inject(`ask-${name}`),
    async take(name, count = 1) {
      const { collector } = current
      const from = taken.get(name) ?? 0
      const came = () => {
        const [error] = hall.errors()
        if (error) throw new Error(`${error.error.source?.name}: ${error.error.message}`)
        return collector.box(name).length - from >= count
      }
      await until(`${count} messages of ${name}`, came, ANSWER_MS)
      taken.set(name, from + count)
      return inOrder(collector.box(name).slice(from, from + count))
    },
    async ask(name, count) {
      await hall.trigger(name)
      return hall.take(name, count)
    },
    errors() {
      const told = current.collector.box('errors').slice(errorsTold)
      errorsTold += told.length
      return told
    },
  }
  return hall
}

function flowOf(
  { simulator, collector }: Running,
  lanes: readonly Lane[],
  config: readonly FlowNode[],
): FlowNode[] {
  const { apiKey, loginId, loginPass } = simulator.account
  return [
    { id: 'tab', type: 'tab', label: 'lanes' },
    {
      id: 'account',
      type: 'envlog-account',
      ...defaultsOf('envlog-account'),
      name: 'Plant A',
      baseUrl: simulator.url,
      retries: 0,
      credentials: { apiKey, loginId, loginPass },
    },
    ...config,
    ...lanes.flatMap((each) => [...nodesOf(each), teller(collector, each.name)]),
    { id: 'catch', type: 'catch', z: 'tab', scope: null, ...place, wires: [['tell-errors']] },
    teller(collector, 'errors'),
    { id: 'post', type: 'http request', z: 'tab', method: 'use', ret: 'txt', ...place, wires: [[]] },
  ]
}

/** Wired one after another. */
function nodesOf({ name, action, settings, first = [], through, sink, props = [] }: Lane): FlowNode[] {
  const type = `envlog-${action}`
  const acting = action ? [{ type, ...defaultsOf(type), account: 'account', ...settings }] : []
  const nodes: AnyNode[] = [{ type: 'inject', props }, ...first, ...acting, ...through]
  const idOf = (index: number) => (index === 0 ? `ask-${name}` : `${name}-${index}`)
  const last = nodes.length - 1
  const wired = nodes.map((node, index) => ({
    ...node,
    id: idOf(index),
    z: 'tab',
    name,
    ...place,
    wires: index < last ? [[idOf(index + 1)]] : sink ? [] : [[`tell-${name}`]],
  }))
  if (!sink) return wired
  const complete = { id: `${name}-complete`, type: 'complete', z: 'tab', scope: [idOf(last)], ...place }
  return [...wired, { ...complete, wires: [[`tell-${name}`]] }]
}

/** Posted side by side, the messages of a sequence may have overtaken each other. */
function inOrder(messages: Message[]): Message[] {
  const ids = new Set(messages.map(({ parts }) => parts?.id))
  if (ids.size > 1 || ids.has(undefined)) return messages
  return messages.toSorted((a, b) => a.parts.index - b.parts.index)
}
