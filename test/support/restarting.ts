/** A complete Node-RED that is ended in different ways, and restarted with the same user directory. */
import { type DeployType, type FlowNode, type NodeRed, type StartOptions, startNodeRed } from './node-red'
import { firstRuntime } from './runtimes'

/** Settings of a context store that writes immediately. */
export const ON_DISK = { default: { module: 'localfilesystem', config: { cache: false } } }

export class Restarting {
  #running: NodeRed | undefined

  constructor(private readonly options: StartOptions = {}) {}

  /** Starts it, or restarts it with its saved flows; resolves when they run. */
  async start(): Promise<void> {
    const again = this.#running && { userDir: this.#running.userDir }
    this.#running = await startNodeRed(firstRuntime, { ...this.options, ...again })
  }

  get #nodeRed(): NodeRed {
    if (!this.#running) throw new Error('Node-RED was never started')
    return this.#running
  }

  get userDir(): string {
    return this.#nodeRed.userDir
  }

  url = () => this.#nodeRed.url
  /** Its output since the last start. */
  log = () => this.#nodeRed.log()
  json = <T>(path: string) => this.#nodeRed.json<T>(path)
  deploy = (flow: readonly FlowNode[], type?: DeployType) => this.#nodeRed.deploy(flow, type)
  /** Presses the button of an inject node. */
  inject = (id: string) => this.#nodeRed.inject(id)
  /** Kills it (kill -9). */
  kill = async () => void (await this.#running?.stop('SIGKILL'))
  /** Ends it like an operator. */
  end = async () => void (await this.#nodeRed.stop())
}

export async function startRestarting(options: StartOptions = {}): Promise<Restarting> {
  const nodeRed = new Restarting(options)
  await nodeRed.start()
  return nodeRed
}
