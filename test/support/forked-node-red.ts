/** A Node-RED in a separate process that executes commands: it replies to each with a message of the same id. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FlowNode } from './node-red'
import { packageJson, root } from './package'
import { temporaryFolder } from './run'

export interface ForkedNodeRed {
  port: number
  userDir: string
  command<T>(what: object): Promise<T>
  /** Its standard output and errors. */
  log(): string
  /** How it ended, if it did. */
  ended(): string | undefined
  end(): Promise<void>
}

export interface ForkOptions {
  /** Of its user directory. */
  name: string
  /** The script of the process; its argument is the settings. */
  script: string
  flow: readonly FlowNode[]
  credentials: Record<string, object>
  settings: object
  /** Further variables; others of this process, such as proxies, are not inherited. */
  env?: Record<string, string | undefined>
  execArgv?: readonly string[]
}

export async function forkNodeRed(options: ForkOptions): Promise<ForkedNodeRed> {
  const { name, script, flow, credentials, env = {}, execArgv = [] } = options
  const userDir = temporaryFolder(name)
  const modules = join(userDir, 'node_modules', ...packageJson.name.split('/').slice(0, -1))
  mkdirSync(modules, { recursive: true })
  symlinkSync(root, join(userDir, 'node_modules', packageJson.name))
  writeFileSync(join(userDir, 'package.json'), JSON.stringify({ name, private: true }))
  writeFileSync(join(userDir, 'flows.json'), JSON.stringify(flow))
  writeFileSync(join(userDir, 'flows_cred.json'), JSON.stringify(credentials))
  const settings = {
    userDir,
    flowFile: 'flows.json',
    credentialSecret: false,
    telemetry: { enabled: false, updateNotification: false },
    externalModules: { autoInstall: false, palette: { allowInstall: false, allowUpdate: false } },
    ...options.settings,
  }
  const child = fork(script, [JSON.stringify(settings)], {
    execArgv: [...execArgv, '--unhandled-rejections=strict', '--require', 'tsx/cjs'],
    env: { PATH: process.env.PATH, HOME: userDir, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let log = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (piece: string) => {
      log += piece
    })
  }
  let commands = 0
  let ended: string | undefined
  const waiting = new Map<number, { resolve(data: never): void; reject(error: Error): void }>()
  const answerTo = <T>(id: number) =>
    new Promise<T>((resolve, reject) => waiting.set(id, { resolve: resolve as never, reject }))
  child.on('message', ({ id, ...data }: { id: number }) => {
    waiting.get(id)?.resolve(data as never)
    waiting.delete(id)
  })
  child.once('exit', (code, signal) => {
    ended = `code ${code}, signal ${signal}\n${log.slice(-3000)}`
    for (const { reject } of waiting.values()) reject(new Error(`Node-RED ended: ${ended}`))
  })
  const { port } = await answerTo<{ port: number }>(0)

  return {
    port,
    userDir,
    command<T>(what: object): Promise<T> {
      if (ended !== undefined) return Promise.reject(new Error(`Node-RED ended: ${ended}`))
      const id = ++commands
      child.send({ id, ...what })
      return answerTo<T>(id)
    },
    log: () => log,
    ended: () => ended,
    async end() {
      if (ended !== undefined) return
      const exit = once(child, 'exit')
      child.disconnect()
      await exit
    },
  }
}
