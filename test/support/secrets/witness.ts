/** The handle of a Node-RED that keeps what anybody could see of it: see `witness-process.ts`. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FlowNode } from '../node-red'
import { packageJson, root } from '../package'
import { temporaryFolder } from '../run'
import type { Ended, Order } from './witness-process'

type Without<T> = T extends unknown ? Omit<T, 'id'> : never

export interface Witness {
  trigger(node: string, msg?: object): Promise<Ended>
  /** An admin route: a body is posted. What it answered. */
  ask(path: string, body?: object): Promise<string>
  /** What it wrote. */
  log(): string
  /** Ends the flows, so that all is written; what was seen since the last trigger. */
  stop(): Promise<string[]>
  /** Contents by name: what the user directory holds but for the file of credentials. */
  files(): Record<string, string>
  end(): Promise<void>
}

/** Of the core only what these flows are made of. */
const CORE = /^(?:20-inject|21-debug|24-complete|25-catch|25-status|05-tls|06-httpproxy)/

export async function startWitness(
  flow: readonly FlowNode[],
  credentials: Record<string, object>,
  env: Record<string, string>,
): Promise<Witness> {
  const userDir = temporaryFolder('witness')
  const modules = join(userDir, 'node_modules', ...packageJson.name.split('/').slice(0, -1))
  mkdirSync(modules, { recursive: true })
  symlinkSync(root, join(userDir, 'node_modules', packageJson.name))
  writeFileSync(join(userDir, 'package.json'), JSON.stringify({ name: 'witness', private: true }))
  writeFileSync(join(userDir, 'flows.json'), JSON.stringify(flow))
  writeFileSync(join(userDir, 'flows_cred.json'), JSON.stringify(credentials))
  const settings = {
    userDir,
    flowFile: 'flows.json',
    credentialSecret: false,
    nodesExcludes: coreNodes().filter((name) => !CORE.test(name)),
    contextStorage: { default: { module: 'localfilesystem' } },
    telemetry: { enabled: false, updateNotification: false },
    externalModules: { autoInstall: false, palette: { allowInstall: false, allowUpdate: false } },
    logging: { console: { level: 'trace', metrics: false, audit: true } },
  }
  const { PATH, TMPDIR } = process.env
  const child = fork(require.resolve('./witness-process.ts'), [JSON.stringify(settings)], {
    execArgv: ['--unhandled-rejections=strict', '--require', 'tsx/cjs'],
    env: { PATH, TMPDIR, HOME: userDir, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let log = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (piece: string) => {
      log += piece
    })
  }
  let orders = 0
  let isOver = false
  const waiting = new Map<number, { resolve(told: never): void; reject(error: Error): void }>()
  const answerTo = <T>(id: number) =>
    new Promise<T>((resolve, reject) => waiting.set(id, { resolve: resolve as never, reject }))
  child.on('message', ({ id, ...told }: { id: number }) => {
    waiting.get(id)?.resolve(told as never)
    waiting.delete(id)
  })
  child.once('exit', () => {
    isOver = true
    for (const { reject } of waiting.values()) reject(new Error(`Node-RED ended:\n${log.slice(-3000)}`))
  })
  const order = <T>(what: Without<Order>): Promise<T> => {
    if (isOver) return Promise.reject(new Error(`Node-RED ended:\n${log.slice(-3000)}`))
    const id = ++orders
    child.send({ id, ...what })
    return answerTo<T>(id)
  }
  const { port } = await answerTo<{ port: number }>(0)

  return {
    trigger: (node, msg = {}) => order<Ended>({ what: 'trigger', node, msg }),
    async ask(path, body) {
      const headers = { 'content-type': 'application/json', accept: 'application/json', connection: 'close' }
      const options = body ? { method: 'POST', body: JSON.stringify(body), headers } : { headers }
      const response = await fetch(`http://127.0.0.1:${port}${path}`, options)
      return `${response.status} ${JSON.stringify([...response.headers])} ${await response.text()}`
    },
    log: () => log,
    stop: async () => (await order<{ texts: string[] }>({ what: 'stop' })).texts,
    files: () => contentsOf(userDir),
    async end() {
      if (isOver) return
      const exit = once(child, 'exit')
      child.disconnect()
      await exit
    },
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
