/** A complete Node-RED that is ended in different ways, and restarted with the same user directory. */
import { type DeployType, type FlowNode, type NodeRed, type StartOptions, startNodeRed } from './node-red'
import { firstRuntime } from './runtimes'

export interface Restarting {
  readonly userDir: string
  deploy(flow: readonly FlowNode[], type?: DeployType): Promise<void>
  url(): string
  /** Presses the button of an inject node. */
  inject(id: string): Promise<void>
  json<T>(path: string): Promise<T>
  /** Its output since the last start. */
  log(): string
  /** Kills it (kill -9). */
  kill(): Promise<void>
  /** Ends it like an operator. */
  end(): Promise<void>
  /** Restarts it with its saved flows; resolves when they run. */
  start(): Promise<void>
}

/** Settings of a context store that writes immediately. */
export const ON_DISK = { default: { module: 'localfilesystem', config: { cache: false } } }

export async function startRestarting(options: StartOptions = {}): Promise<Restarting> {
  let nodeRed: NodeRed = await startNodeRed(firstRuntime, options)
  const { userDir } = nodeRed
  return {
    userDir,
    deploy: (flow, type) => nodeRed.deploy(flow, type),
    url: () => nodeRed.url,
    inject: (id) => nodeRed.inject(id),
    json: (path) => nodeRed.json(path),
    log: () => nodeRed.log(),
    async kill() {
      await nodeRed.stop('SIGKILL')
    },
    async end() {
      await nodeRed.stop()
    },
    async start() {
      nodeRed = await startNodeRed(firstRuntime, { ...options, userDir })
    },
  }
}
