/** The demo in a separate process, on free ports and with a separate folder. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { storyFleet } from '../../simulator/fleet/story'
import type { FlowNode } from './node-red'
import { root } from './package'
import { temporaryFolder } from './run'
import { freePort } from './server-process'

export type Demo = ReturnType<typeof startDemo>

/** A port whose broker's and service's ports are free too. */
export const demoPort = () => freePort([3, 8])

/** The node that requests current readings. */
const CURRENT = 'envlog-example-dashboard-current'

/** The node that sends alarms as text, and the topic on which a test node publishes them. */
const LIMITS = 'start-limits'
export const ALARMS_TOPIC = 'test/alarms'

/** Normal messages of Node-RED for a new user directory. */
const USUAL = /Projects disabled|Encrypted credentials not found/

export function startDemo(port: number) {
  const folder = temporaryFolder('demo')
  const env = { ...process.env, PORT: `${port}`, ENVLOG_DEMO_DIR: folder }
  const child = spawn(process.execPath, ['--require', 'tsx/cjs', 'demo/start.ts'], { cwd: root, env })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += chunk))
  return {
    port,
    folder,
    child,
    /** Its output so far. */
    text: () => text,
    /** Resolves when the output contains this. */
    printed: (pattern: RegExp) =>
      new Promise<void>((resolve, reject) => {
        const look = () => pattern.test(text) && resolve()
        for (const stream of [child.stdout, child.stderr]) stream.on('data', look)
        child.once('exit', () => reject(new Error(`ended before ${pattern}: ${text}`)))
        look()
      }),
    /** Ends it like Ctrl-C. @returns its exit code */
    async interrupt(): Promise<number | null> {
      child.kill('SIGINT')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
      return child.exitCode
    },
    /** Errors and warnings logged by its flows. */
    loggedErrors: () => text.split('\n').filter((line) => /\[(error|warn)\]/.test(line) && !USUAL.test(line)),
    flows: async () => (await (await fetch(`http://127.0.0.1:${port}/flows`)).json()) as FlowNode[],
    async deploy(flows: readonly object[]): Promise<void> {
      const headers = { 'content-type': 'application/json' }
      const address = `http://127.0.0.1:${port}/flows`
      const response = await fetch(address, { method: 'POST', headers, body: JSON.stringify(flows) })
      if (response.status !== 204) throw new Error(`The flows were not deployed: ${response.status}`)
    },
    /**
     * Moves the story of the simulated plant, as if it had begun this many seconds ago. The devices then send every
     * second, so that the next readings are new, and any number of requests is allowed.
     */
    beginStory: (secondsAgo: number) => {
      const fleet = storyFleet(Date.now() - secondsAgo * 1000).map((device) => ({
        ...device,
        transmission: 1,
      }))
      return fetch(`http://127.0.0.1:${port + 8}/simulator/options`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ fleet, limits: 'off' }),
      })
    },
  }
}

/** The demo's flows, which then request current readings every second. */
export const hurried = (flows: readonly FlowNode[]): FlowNode[] =>
  flows.map((node) => ({
    ...node,
    ...(node.id === CURRENT && { repeat: 1 }),
    ...(node.type === 'envlog-account' && { limits: JSON.stringify({ current: { limit: 1000 } }) }),
  }))

/**
 * The demo's flows with nodes that the tests add: they log each error and publish each alarm that the demo would only
 * show in the debug sidebar, and `POST /inject/test-trigger` requests current readings immediately.
 */
export function withTestNodes(flows: readonly FlowNode[]): FlowNode[] {
  const place = { x: 100, y: 100 }
  const reporting = flows
    .filter(({ type }) => type === 'tab')
    .flatMap(({ id: z }) => [
      {
        id: `${z}-caught`,
        type: 'catch',
        z,
        scope: null,
        uncaught: false,
        wires: [[`${z}-logged`]],
        ...place,
      },
      {
        id: `${z}-logged`,
        type: 'function',
        z,
        func: 'node.warn(JSON.stringify(msg.error))',
        ...place,
        outputs: 0,
        wires: [],
      },
    ])
  const [tab] = flows
  const z = tab?.id
  const trigger = { id: 'test-trigger', type: 'inject', z, props: [], wires: [[CURRENT]], ...place }
  const alarms = {
    id: 'test-alarms',
    type: 'mqtt out',
    z,
    topic: ALARMS_TOPIC,
    broker: 'demo-broker',
    ...place,
  }
  const wired = flows.map((node) => (node.id === LIMITS ? { ...node, wires: [[alarms.id]] } : node))
  return [...wired, ...reporting, trigger, alarms]
}
