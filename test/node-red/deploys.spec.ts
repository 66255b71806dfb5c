import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Simulator, startSimulator } from '../../simulator'
import { defaultsOf } from '../support/built'
import { createRandom, runs } from '../support/chance'
import { accountNode } from '../support/e2e-flow'
import { type DeployType, type FlowNode, type NodeRed, startNodeRed } from '../support/node-red'
import { firstRuntime } from '../support/runtimes'
import { until } from '../support/wait'

const STARTING_MS = 120_000
const RUN_MS = 60_000
const COLLECTED_MS = 20_000
const RECORDS = 3000
const DEVICE = '52A10001'
const place = { z: 'tab', x: 100, y: 100 }

/** A context store for the sink; the nodes of this package use their own files. */
const WRITTEN_EACH_SECOND = {
  default: { module: 'localfilesystem', config: { cache: true, flushInterval: 1 } },
}

/** A sink that behaves like a database: it keeps everything that has reached it, across all deploys. */
const SINK = `
const stored = global.get('stored') || {}
for (const { dataid = 0 } of [].concat(msg.payload)) stored[dataid] = (stored[dataid] || 0) + 1
global.set('stored', stored)`

describe('a deploy or a stop', () => {
  let simulator: Simulator
  let nodeRed: NodeRed

  before('starts Node-RED', async function () {
    this.timeout(STARTING_MS)
    nodeRed = await startNodeRed(firstRuntime, { contextStorage: WRITTEN_EACH_SECOND })
  })
  after('ends Node-RED', () => nodeRed?.stop('SIGKILL'))

  beforeEach(async () => {
    const from = Math.floor(Date.now() / 1000) - 60 * RECORDS
    simulator = await startSimulator({
      limits: 'off',
      fleet: [{ serial: DEVICE, name: 'Freezer', records: { interval: 60, from } }],
    })
  })
  afterEach(() => simulator.close())

  const node = (id: string, type: string, more: object): FlowNode => ({
    id,
    type,
    ...place,
    wires: [],
    ...more,
  })

  /** `go` triggers a node, and `empty` empties the sink behind it. @param id the id by which it keeps its state */
  function flow(id: string, type: string, settings: object): FlowNode[] {
    return [
      { id: 'tab', type: 'tab', label: id },
      node('go', 'inject', { props: [], wires: [[id]] }),
      node(id, type, { ...defaultsOf(type), account: 'account', ...settings, wires: [['sink']] }),
      node('sink', 'function', { func: SINK, outputs: 0 }),
      node('empty', 'inject', { props: [], wires: [['reset']] }),
      node('reset', 'function', { func: "global.set('stored', {})", outputs: 0 }),
      node('ask', 'http in', { url: '/stored', method: 'get', wires: [['response']] }),
      node('response', 'function', {
        func: "msg.payload = global.get('stored') || {}; return msg",
        outputs: 1,
        wires: [['reply']],
      }),
      node('reply', 'http response', {}),
    ]
  }

  const latest = (id: string, send: string) => [
    accountNode(simulator),
    ...flow(id, 'envlog-latest', {
      ...{ output: 'rows', send },
      start: new Date(Date.now() - 60_000 * RECORDS).toISOString(),
    }),
  ]

  /** How often each record has arrived. */
  const stored = async () => Object.values(await nodeRed.json<Record<string, number>>('/stored'))

  async function untilAllStored(): Promise<void> {
    const all = simulator.truth.records(DEVICE).length
    // The newest may have arrived after the last request.
    await until(`all of ${all} records`, async () => (await stored()).length >= all - 1, COLLECTED_MS)
  }

  async function restart(): Promise<void> {
    await nodeRed.stop()
    await nodeRed.start()
  }

  /** Deploys with a changed property of the node and of its receiver, or restarts. */
  async function interrupt(
    nodes: FlowNode[],
    id: string,
    count: number,
    type: DeployType | 'stop',
  ): Promise<void> {
    if (type === 'stop') return restart()
    for (const node of nodes) if ([id, 'sink'].includes(node.id)) node.x = 100 + count
    for (const node of nodes) if (node.id === 'sink') node.name = `sink ${count}`
    await nodeRed.deploy(nodes, type)
  }

  for (const type of ['full', 'flows', 'nodes', 'stop'] as const) {
    it(`while messages are being sent loses no record: ${type}`, async function () {
      this.timeout(RUN_MS)
      const random = createRandom(type)
      for (let round = 0; round < runs(40); round++) {
        const id = `latest-${type}-${round}`
        const nodes = latest(id, 'each')
        await nodeRed.deploy(nodes)
        await nodeRed.inject('empty')
        for (let count = 0; count < 4; count++) {
          await nodeRed.inject('go')
          await new Promise((resolve) => setTimeout(resolve, random.below(120)))
          await interrupt(nodes, id, count, type)
        }
        await nodeRed.inject('go')
        await untilAllStored()
      }
    })
  }

  it('between two triggers repeats no record, even without a named context store; a deleted node is forgotten', async function () {
    this.timeout(RUN_MS)
    await nodeRed.deploy(latest('restarted', 'device'))
    await nodeRed.inject('empty')
    await nodeRed.inject('go')
    await untilAllStored()
    await nodeRed.stop()
    await nodeRed.start()
    // The messages of the first trigger are sent before the second one's request.
    for (const _ of [1, 2]) {
      const { length } = simulator.log
      await nodeRed.inject('go')
      await until('a request', () => simulator.log.length > length)
    }
    assert.deepEqual(new Set(await stored()), new Set([1]))
    const file = join(nodeRed.userDir, 'envlog', 'restarted.json')
    assert.ok(existsSync(file))
    await nodeRed.deploy([])
    await until('the file is removed', () => !existsSync(file))
  })

  describe('of alarms', () => {
    /** The alarms node `chat` writes states of events, and `horn` the summary, each into its file. */
    const file = (name: string) => join(nodeRed.userDir, `${name}.txt`)
    const linesOf = (name: string) =>
      existsSync(file(name)) ? readFileSync(file(name), 'utf8').trim().split('\n') : []
    const untilTold = (...states: string[]) =>
      until(`${states}`, () => `${linesOf('chat')}` === `${states}`, COLLECTED_MS)
    const untilHorn = (state: string) => until(state, () => linesOf('horn').at(-1) === state, COLLECTED_MS)

    const alarms = (id: string, output: string, text: string): FlowNode[] => [
      node(id, 'envlog-alarms', {
        ...{ ...defaultsOf('envlog-alarms'), limits: 'limits', output, wires: [[`${id}-text`]] },
      }),
      node(`${id}-text`, 'function', {
        func: `msg.payload = ${text}; return msg`,
        outputs: 1,
        wires: [[`${id}-file`]],
      }),
      node(`${id}-file`, 'file', {
        ...{ filename: file(id), filenameType: 'str', appendNewline: true, overwriteFile: 'false' },
      }),
    ]
    const reading = (minute: number, value: number) => ({
      props: [{ p: 'payload' }],
      payloadType: 'jsonata',
      payload: `[{"serial": "52A10001", "base": {"serial": "52A10001"}, "timestamp": ${minute * 60_000},
        "channels": [{"number": 1, "unit": "°C", "quantity": "temperature", "value": ${value}}]}]`,
      wires: [['chat']],
    })
    const plant = (): FlowNode[] => [
      { id: 'tab', type: 'tab', label: 'alarms' },
      accountNode(simulator),
      {
        ...{ id: 'limits', type: 'envlog-limits', ...defaultsOf('envlog-limits'), account: 'account' },
        // The measurements are of 1970.
        silentAfter: '',
        limits: [{ name: 'too warm', above: -15 }],
      },
      ...alarms('chat', 'event', 'msg.error?.code || msg.payload.state'),
      ...alarms('horn', 'summary', "msg.payload.unacknowledged > 0 ? 'on' : 'off'"),
      node('catch', 'catch', { wires: [['chat-text']] }),
      node('acknowledge', 'inject', {
        ...{ props: [{ p: 'envlog', v: '{"acknowledge":true}', vt: 'json' }], wires: [['horn']] },
      }),
      ...[-18, -10, -9, -18].map((value, minute) => node(`${minute}`, 'inject', reading(minute, value))),
    ]

    it('leaves the list as it is, with a kill, and a damaged state is reported', async function () {
      this.timeout(RUN_MS)
      const nodes = plant()
      await nodeRed.deploy(nodes)
      await nodeRed.inject('0')
      await untilHorn('off')
      await nodeRed.inject('1')
      await untilTold('alarm')
      await untilHorn('on')
      await nodeRed.stop('SIGKILL')
      writeFileSync(file('horn'), '')
      await nodeRed.start()
      await untilHorn('on')
      await nodeRed.inject('2')
      // Only one of the two nodes, then all.
      for (const each of nodes) if (each.id === 'horn') each.name = 'renamed'
      await nodeRed.deploy(nodes, 'nodes')
      await nodeRed.inject('acknowledge')
      await untilTold('alarm', 'acknowledged')
      await untilHorn('off')
      await nodeRed.deploy(nodes.map((each) => ({ ...each, x: 200 })))
      await nodeRed.inject('3')
      await untilTold('alarm', 'acknowledged', 'normal')
      await nodeRed.stop()
      writeFileSync(join(nodeRed.userDir, 'envlog', 'limits.json'), '{"version": 1')
      await nodeRed.start()
      await nodeRed.inject('1')
      await untilTold('alarm', 'acknowledged', 'normal', 'ENVLOG_CONFIG')
    })

    it('does not tell a node what happened while it had other limits', async function () {
      this.timeout(RUN_MS)
      const other = { ...plant().find(({ id }) => id === 'limits'), id: 'other' } as FlowNode
      const injects = new Set(['0', '1', '3'])
      const withLimits = (limits: string) =>
        [...plant(), other].map((each) => ({
          ...each,
          ...(each.id === 'chat' && { limits }),
          ...(injects.has(each.id) && { wires: [['horn']] }),
        }))
      // Node-RED restarts an account with which credentials are sent, and what uses it.
      const withoutCredentials = ({ credentials: _, ...others }: FlowNode) => others as FlowNode
      await nodeRed.deploy([])
      for (const name of ['chat', 'horn']) writeFileSync(file(name), '')
      await nodeRed.deploy(withLimits('limits'))
      await nodeRed.deploy(withLimits('other').map(withoutCredentials), 'nodes')
      for (const minute of ['0', '1']) await nodeRed.inject(minute)
      await untilHorn('on')
      await nodeRed.deploy(withLimits('limits').map(withoutCredentials), 'nodes')
      await nodeRed.inject('3')
      await untilTold('normal')
    })
  })

  it('of modified nodes may add an account, and a node that Node-RED does not restart uses it', async function () {
    this.timeout(RUN_MS)
    const withoutAccount = flow('current', 'envlog-current', {})
    await nodeRed.deploy(withoutAccount)
    await nodeRed.inject('empty')
    await nodeRed.deploy([...withoutAccount, accountNode(simulator)], 'nodes')
    await nodeRed.inject('go')
    await until('a reading', async () => (await stored()).length === 1)
  })
})
