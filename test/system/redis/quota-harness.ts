/** A complete Node-RED that can be killed and restarted, and its simulators. */
import { type Simulator, type SimulatorOptions, startSimulator } from '../../../simulator'
import { type Collector, startCollector } from '../../support/collector'
import { type FlowNode, type NodeRed, type StartOptions, startNodeRed } from '../../support/node-red'
import type { Runtime } from '../../support/runtimes'

const STARTING_MS = 300_000
const ENDING_MS = 20_000

export interface QuotaHarness {
  readonly runtime: Runtime
  readonly nodeRed: NodeRed
  readonly collector: Collector
  /** Starts a service for a test; it is closed with the harness. */
  simulate(options: SimulatorOptions): Promise<Simulator>
  /** A full deploy; waits until the flows have started. */
  deploy(flow: readonly FlowNode[]): Promise<void>
  /** Presses the buttons of these nodes. */
  trigger(...ids: readonly string[]): Promise<void>
  /** Kills Node-RED like a power cut, and restarts it in the same user directory. */
  restart(): Promise<void>
}

/** Call this in a `describe`. */
export function useQuotaHarness(runtime: Runtime): QuotaHarness {
  let nodeRed: NodeRed
  let collector: Collector
  const simulators: Simulator[] = []
  const start = (options: StartOptions = {}) => startNodeRed(runtime, options)

  before(`starts ${runtime.title} with the package installed`, async function () {
    this.timeout(STARTING_MS)
    collector = await startCollector()
    nodeRed = await start()
  })

  after('ends everything', async function () {
    this.timeout(ENDING_MS)
    await nodeRed?.stop('SIGKILL')
    await Promise.all([collector?.close(), ...simulators.map((simulator) => simulator.close())])
  })

  return {
    runtime,
    get nodeRed() {
      return nodeRed
    },
    get collector() {
      return collector
    },
    async simulate(options) {
      const simulator = await startSimulator(options)
      simulators.push(simulator)
      return simulator
    },
    deploy: (flow) => nodeRed.deploy(flow),
    async trigger(...ids) {
      for (const id of ids) await nodeRed.inject(`trigger-${id}`)
    },
    async restart() {
      const { userDir } = nodeRed
      await nodeRed.stop('SIGKILL')
      nodeRed = await start({ userDir })
    },
  }
}
