/** The handle of a Node-RED that records visible texts, see `recorder-process.ts`. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { forkNodeRed } from '../forked-node-red'
import type { FlowNode } from '../node-red'
import type { RecordedResult, RecorderCommand } from './recorder-process'

type Without<T> = T extends unknown ? Omit<T, 'id'> : never

export interface Recorder {
  trigger(node: string, msg?: object): Promise<RecordedResult>
  /** An admin route: a body is posted. What it answered. */
  request(path: string, body?: object): Promise<string>
  /** What it wrote. */
  log(): string
  /** Stops the flows, so that everything is written; resolves with the texts since the last trigger. */
  stop(): Promise<string[]>
  /** Files of the user directory by name, except the file of credentials. */
  files(): Record<string, string>
  end(): Promise<void>
}

/** The core nodes of these flows. */
const CORE = /^(?:20-inject|21-debug|24-complete|25-catch|25-status|05-tls|06-httpproxy)/

export async function startRecorder(
  flow: readonly FlowNode[],
  credentials: Record<string, object>,
  env: Record<string, string>,
): Promise<Recorder> {
  const { TMPDIR } = process.env
  const { port, userDir, command, log, end } = await forkNodeRed({
    name: 'recorder',
    script: require.resolve('./recorder-process.ts'),
    flow,
    credentials,
    settings: {
      nodesExcludes: coreNodes().filter((name) => !CORE.test(name)),
      contextStorage: { default: { module: 'localfilesystem' } },
      logging: { console: { level: 'trace', metrics: false, audit: true } },
    },
    env: { TMPDIR, ...env },
  })
  const send = <T>(what: Without<RecorderCommand>) => command<T>(what)

  return {
    trigger: (node, msg = {}) => send<RecordedResult>({ what: 'trigger', node, msg }),
    async request(path, body) {
      const headers = { 'content-type': 'application/json', accept: 'application/json', connection: 'close' }
      const options = body ? { method: 'POST', body: JSON.stringify(body), headers } : { headers }
      const response = await fetch(`http://127.0.0.1:${port}${path}`, options)
      // Not the hash of the body, in which any six letters may be by chance.
      const shown = [...response.headers].filter(([name]) => name !== 'etag')
      return `${response.status} ${JSON.stringify(shown)} ${await response.text()}`
    },
    log,
    stop: async () => (await send<{ texts: string[] }>({ what: 'stop' })).texts,
    files: () => contentsOf(userDir),
    end,
  }
}

function coreNodes(): string[] {
  const folder = join(require.resolve('node-red'), '../../../@node-red/nodes/core')
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).flatMap((path) => {
    const name = path.split('/').at(-1) ?? ''
    return /^\d\d-.*\.js$/.test(name) ? [name] : []
  })
}

function contentsOf(folder: string): Record<string, string> {
  const found: Record<string, string> = {}
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const isOurs = entry.isFile() && !path.includes('node_modules') && !entry.name.includes('flows_cred')
    if (isOurs) found[path.slice(folder.length + 1)] = readFileSync(path, 'utf8')
  }
  return found
}
