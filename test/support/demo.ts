/** The demo in a separate process, on free ports and with a separate folder. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { storyFleet } from '../../simulator/fleet/story'
import { root } from './package'
import { temporaryFolder } from './run'
import { freePort } from './server-process'

export type Demo = ReturnType<typeof startDemo>

/** A port whose broker's and service's ports are free too. */
export const demoPort = () => freePort([3, 8])

/** The node that requests current readings. */
const CURRENT = 'envlog-example-dashboard-current'

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
      const [code] = await once(child, 'exit')
      return code
    },
    /** Errors and warnings logged by its flows. */
    loggedErrors: () => text.split('\n').filter((line) => /\[(error|warn)\]/.test(line) && !USUAL.test(line)),
    /** Moves the story of the simulated plant, as if it had begun this many seconds ago. */
    beginStory: (secondsAgo: number) =>
      fetch(`http://127.0.0.1:${port + 8}/simulator/options`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ fleet: storyFleet(Date.now() - secondsAgo * 1000) }),
      }),
  }
}

/**
 * Nodes that the tests add to the demo's flows: they log each error that a Catch node of the demo would only show in
 * the debug sidebar, and `POST /inject/test-trigger` requests current readings immediately.
 */
export function testNodes(flows: readonly { id: string; type: string }[]): object[] {
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
  const trigger = { id: 'test-trigger', type: 'inject', z: tab?.id, props: [], wires: [[CURRENT]], ...place }
  return [...reporting, trigger]
}
