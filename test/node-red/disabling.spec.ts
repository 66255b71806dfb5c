/** What a node remembers of its devices while it is disabled, without a persistent store. */
import assert from 'node:assert/strict'
import { manualClock, type Simulator, startSimulator } from '../../simulator'
import { type Collector, startCollector } from '../support/collector'
import { type FlowNode, type NodeRed, startNodeRed } from '../support/node-red'
import { quotaFlow } from '../support/quota-flow'
import { runtimesOfTier } from '../support/runtimes'
import { until } from '../support/wait'

const RUN_MS = 300_000

for (const runtime of runtimesOfTier) {
  describe(`a node that is disabled in ${runtime.title}`, function () {
    this.timeout(RUN_MS)
    let simulator: Simulator
    let collector: Collector
    let nodeRed: NodeRed

    before(async () => {
      // No device measures while the test runs.
      simulator = await startSimulator({ devices: 6, limits: 'off', clock: manualClock(Date.now()) })
      collector = await startCollector()
      nodeRed = await startNodeRed(runtime)
    })
    after(async () => {
      await nodeRed?.stop()
      await collector?.close()
      await simulator?.close()
    })

    const flow = () => {
      const device = simulator.truth.devices().find(({ serial, base }) => serial === base)
      const devices = [{ serial: device?.serial ?? '', base: device?.base ?? '' }]
      const nodes = [{ id: 'n', action: 'latest' as const, devices, settings: { onlyNew: true } }]
      return quotaFlow({ simulator, collector, nodes })
    }
    const withTab = (over: object) =>
      flow().map((node) => (node.type === 'tab' ? { ...node, ...over } : node))
    const withNode = (over: object) => flow().map((node) => (node.id === 'n' ? { ...node, ...over } : node))

    const receivedCount = () => collector.box('n').length
    async function bringsRecords(what: string): Promise<void> {
      const before = receivedCount()
      await nodeRed.inject('trigger-n')
      await until(what, () => receivedCount() > before)
    }
    async function bringsNothing(what: string): Promise<void> {
      const [requests, before] = [simulator.log.length, receivedCount()]
      await nodeRed.inject('trigger-n')
      await until('it has sent a request', () => simulator.log.length > requests)
      // Without new records nothing is sent: an answer is processed before the next request.
      await nodeRed.inject('trigger-n')
      await until('it has sent another request', () => simulator.log.length > requests + 1)
      assert.equal(receivedCount(), before, what)
    }
    async function deploy(...flows: FlowNode[][]): Promise<void> {
      for (const each of flows) await nodeRed.deploy(each)
    }

    it('continues where it stopped when it or its tab is enabled; a deleted one starts over', async () => {
      await deploy(flow())
      await bringsRecords('the first answer came')
      for (const [what, disabled] of [
        ['the tab', withTab({ disabled: true })],
        ['the node', withNode({ d: true })],
      ] as const) {
        await deploy(disabled, flow())
        await bringsNothing(`${what} was disabled`)
      }
      await deploy([], flow())
      await bringsRecords('it was deleted')
      await deploy(withTab({ disabled: true }), [], flow())
      await bringsRecords('it was deleted while it was disabled')
    })
  })
}
