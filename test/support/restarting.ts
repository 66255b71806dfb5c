/** A whole Node-RED that is ended, however, and started again on the same user directory. */
import { type DeployType, type FlowNode, type NodeRed, type StartOptions, startNodeRed } from './node-red'
import { firstRuntime } from './runtimes'

export interface Restarting {
  readonly userDir: string
  deploy(flow: readonly FlowNode[], type?: DeployType): Promise<void>
  url(): string
  /** Presses the button of an inject node. */
  inject(id: string): Promise<void>
  json<T>(path: string): Promise<T>
  /** What it wrote since its last start. */
  log(): string
  /** Ends it without a word (kill -9). */
  kill(): Promise<void>
  /** Ends it as an operator does. */
  end(): Promise<void>
  /** Starts it again with its saved flows; resolves when they run. */
  start(): Promise<void>
}

/** Settings of a context store that is written immediately. */
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
