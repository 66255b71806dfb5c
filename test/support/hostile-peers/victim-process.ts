/** The handle of a victim: a Node-RED in a process of its own, see `victim.ts`. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import type { FlowNode } from '../node-red'
import { packageJson, root } from '../package'
import { temporaryFolder } from '../run'
import type { Order, State, Triggered } from './victim'

export interface Posted {
  ms: number
  status: number
  text: string
}

export interface Victim {
  trigger(node: string, msg?: object): Promise<Triggered>
  /** An admin route: a body is posted. */
  ask(path: string, body?: object): Promise<Posted>
  /** Longest stop of the event loop since this was asked last. */
  stop(): Promise<number>
  state(): Promise<State>
  /** What it wrote. */
  log(): string
  /** How it ended, if it did. */
  ended(): string | undefined
  end(): Promise<void>
}

type Without<T> = T extends unknown ? Omit<T, 'id'> : never

export async function startVictim(
  flow: readonly FlowNode[],
  credentials: Record<string, object>,
): Promise<Victim> {
  const userDir = temporaryFolder('victim')
  const modules = join(userDir, 'node_modules', ...packageJson.name.split('/').slice(0, -1))
  mkdirSync(modules, { recursive: true })
  symlinkSync(root, join(userDir, 'node_modules', packageJson.name))
  writeFileSync(join(userDir, 'package.json'), JSON.stringify({ name: 'victim', private: true }))
  writeFileSync(join(userDir, 'flows.json'), JSON.stringify(flow))
  writeFileSync(join(userDir, 'flows_cred.json'), JSON.stringify(credentials))
  const settings = {
    userDir,
    flowFile: 'flows.json',
    credentialSecret: false,
    disableEditor: true,
    telemetry: { enabled: false, updateNotification: false },
    externalModules: { autoInstall: false, palette: { allowInstall: false, allowUpdate: false } },
    logging: { console: { level: 'debug', metrics: false, audit: false } },
  }
  const child = fork(require.resolve('./victim.ts'), [JSON.stringify(settings)], {
    execArgv: ['--expose-gc', '--unhandled-rejections=strict', '--require', 'tsx/cjs'],
    // No proxy of whoever runs the tests.
    env: { PATH: process.env.PATH, HOME: userDir, TZ: 'UTC' },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let log = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (piece: string) => {
      log += piece
    })
  }
  return handle(child, () => log)
}

async function handle(child: ChildProcess, log: () => string): Promise<Victim> {
  let orders = 0
  let ended: string | undefined
  const waiting = new Map<number, { resolve(told: unknown): void; reject(error: Error): void }>()
  const await_ = <T>(id: number) =>
    new Promise<T>((resolve, reject) =>
      waiting.set(id, { resolve: resolve as (told: unknown) => void, reject }),
    )
  child.on('message', ({ id, ...told }: { id: number }) => {
    waiting.get(id)?.resolve(told)
    waiting.delete(id)
  })
  child.once('exit', (code, signal) => {
    ended = `code ${code}, signal ${signal}\n${log().slice(-3000)}`
    for (const { reject } of waiting.values()) reject(new Error(`Node-RED ended: ${ended}`))
  })
  const order = <T>(what: Without<Order>): Promise<T> => {
    if (ended !== undefined) return Promise.reject(new Error(`Node-RED ended: ${ended}`))
    const id = ++orders
    child.send({ id, ...what })
    return await_<T>(id)
  }
  const { port } = await await_<{ port: number }>(0)
  return {
    trigger: (node, msg = {}) => order({ what: 'trigger', node, msg }),
    ask: (path, body) => ask(port, path, body),
    stop: async () => (await order<{ longest: number }>({ what: 'loop' })).longest,
    state: () => order({ what: 'state' }),
    log,
    ended: () => ended,
    async end() {
      const exit = once(child, 'exit')
      if (child.exitCode === null && child.signalCode === null) {
        child.disconnect()
        await exit
      }
    },
  }
}

function ask(port: number, path: string, body?: object): Promise<Posted> {
  const start = performance.now()
  const method = body ? 'POST' : 'GET'
  const headers = { 'content-type': 'application/json' }
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path, method, headers, agent: false }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (piece: string) => {
        text += piece
      })
      response.once('error', reject)
      response.once('end', () =>
        resolve({ ms: performance.now() - start, status: response.statusCode ?? 0, text }),
      )
    })
    asked.once('error', reject)
    asked.end(body && JSON.stringify(body))
  })
}
