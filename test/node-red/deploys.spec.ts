import { type Simulator, startSimulator } from '../../simulator'
import { defaultsOf } from '../support/built'
import { createRandom, runs } from '../support/chance'
import { accountNode } from '../support/e2e-flow'
import type { DeployType, FlowNode } from '../support/node-red'
import { type Restarting, startRestarting } from '../support/restarting'
import { until } from '../support/wait'

const STARTING_MS = 120_000
const RUN_MS = 60_000
const COLLECTED_MS = 20_000
const RECORDS = 3000
const DEVICE = '52A10001'
const place = { z: 'tab', x: 100, y: 100 }

const WRITTEN_EACH_SECOND = {
  default: { module: 'localfilesystem', config: { cache: true, flushInterval: 1 } },
}

/** A sink that behaves like a database: it keeps everything that has reached it, across all deploys. */
const SINK = `
const stored = global.get('stored') || {}
for (const { dataid } of [].concat(msg.payload)) stored[dataid] = (stored[dataid] || 0) + 1
global.set('stored', stored)`

describe('a deploy or a stop while messages are being sent', () => {
  let simulator: Simulator
  let nodeRed: Restarting

  before('starts Node-RED', async function () {
    this.timeout(STARTING_MS)
    nodeRed = await startRestarting({ contextStorage: WRITTEN_EACH_SECOND })
  })
  after('ends Node-RED', () => nodeRed?.kill())

  beforeEach(async () => {
    const from = Math.floor(Date.now() / 1000) - 60 * RECORDS
    simulator = await startSimulator({
      limits: 'off',
      fleet: [{ serial: DEVICE, name: 'Freezer', records: { interval: 60, from } }],
    })
  })
  afterEach(() => simulator.close())

  /** @param id the id of the node, which remembers what it has delivered */
  function flow(send: string, id: string): FlowNode[] {
    return [
      { id: 'tab', type: 'tab', label: send },
      accountNode(simulator),
      { id: 'go', type: 'inject', ...place, props: [], wires: [[id]] },
      { id: 'empty', type: 'inject', ...place, props: [], wires: [['reset']] },
      { id: 'reset', type: 'function', ...place, func: "global.set('stored', {})", outputs: 0, wires: [] },
      {
        id,
        type: 'envlog-latest',
        ...defaultsOf('envlog-latest'),
        ...place,
        account: 'account',
        output: 'rows',
        send,
        start: new Date(Date.now() - 60_000 * RECORDS).toISOString(),
        repeat: 0,
        wires: [['sink']],
      },
      { id: 'sink', type: 'function', ...place, func: SINK, outputs: 0, wires: [] },
      { id: 'ask', type: 'http in', ...place, url: '/stored', method: 'get', wires: [['answer']] },
      {
        id: 'answer',
        type: 'function',
        ...place,
        func: "msg.payload = global.get('stored') || {}; return msg",
        outputs: 1,
        wires: [['reply']],
      },
      { id: 'reply', type: 'http response', ...place, wires: [] },
    ]
  }

  const stored = async () => Object.keys(await nodeRed.json<Record<string, number>>('/stored')).length

  for (const send of ['each', 'device'])
    for (const type of ['full', 'flows', 'nodes', 'stop'] as const) {
      it(`loses no record: ${type}, send ${send}`, async function () {
        this.timeout(RUN_MS)
        const random = createRandom(`${type} ${send}`)
        for (let round = 0; round < runs(40); round++) {
          const id = `latest-${type}-${send}-${round}`
          const nodes = flow(send, id)
          await nodeRed.deploy(nodes)
          await nodeRed.inject('empty')
          for (let count = 0; count < 4; count++) {
            await nodeRed.inject('go')
            await new Promise((resolve) => setTimeout(resolve, random.below(120)))
            if (type === 'stop') {
              await nodeRed.end()
              await nodeRed.start()
            } else {
              // A property of the node or of its receiver has changed.
              for (const node of nodes) if ([id, 'sink'].includes(node.id)) node.x = 100 + count
              for (const node of nodes) if (node.id === 'sink') node.name = `sink ${count}`
              await nodeRed.deploy(nodes, type as DeployType)
            }
          }
          await nodeRed.inject('go')
          const all = simulator.truth.records(DEVICE).length
          // The newest may have arrived after the last request.
          await until(`all of ${all} records`, async () => (await stored()) >= all - 1, COLLECTED_MS)
        }
      })
    }
})

describe('an account that a deploy of modified nodes adds, for example because its deletion was undone', () => {
  let simulator: Simulator
  let nodeRed: Restarting

  before('starts Node-RED', async function () {
    this.timeout(STARTING_MS)
    simulator = await startSimulator({ limits: 'off', fleet: [{ serial: DEVICE, name: 'Freezer' }] })
    nodeRed = await startRestarting()
  })
  after('ends Node-RED', async () => {
    await nodeRed?.kill()
    await simulator?.close()
  })

  it('is used by a node that Node-RED does not restart', async function () {
    this.timeout(RUN_MS)
    const type = 'envlog-current'
    const withoutAccount: FlowNode[] = [
      { id: 'tab', type: 'tab', label: 'added' },
      { id: 'go', type: 'inject', ...place, props: [], wires: [['node']] },
      { id: 'node', type, ...defaultsOf(type), ...place, account: 'account', wires: [['sink']] },
      { id: 'sink', type: 'function', ...place, func: "global.set('count', msg.payload.length)", wires: [] },
      { id: 'ask', type: 'http in', ...place, url: '/count', method: 'get', wires: [['answer']] },
      {
        ...{ id: 'answer', type: 'function', ...place, outputs: 1, wires: [['reply']] },
        func: "msg.payload = { count: global.get('count') || 0 }; return msg",
      },
      { id: 'reply', type: 'http response', ...place, wires: [] },
    ]
    await nodeRed.deploy(withoutAccount)
    await nodeRed.deploy([...withoutAccount, accountNode(simulator)], 'nodes')
    await nodeRed.inject('go')
    await until('a reading', async () => (await nodeRed.json<{ count: number }>('/count')).count === 1)
  })
})
