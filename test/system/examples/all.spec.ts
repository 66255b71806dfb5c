import assert from 'node:assert/strict'
import { type EndpointName, type Simulator, startSimulator } from '../../../simulator'
import { type Broker, startBroker } from '../../support/broker'
import { exampleNames, functionModules, neededBy, readExample, useExamples } from '../../support/examples'
import { packageJson } from '../../support/package'
import { freePort } from '../../support/server-process'
import { until } from '../../support/wait'
import { type Chat, startChat } from './chat'

const RUN_MS = 90_000

/** Short, and few enough that all examples together use them up. */
const LIMITS: Record<EndpointName, { limit: number; window: number }> = {
  current: { limit: 3, window: 2 },
  'latest-data': { limit: 8, window: 2 },
  'latest-data-relay': { limit: 6, window: 2 },
  data: { limit: 3, window: 2 },
  'data-relay': { limit: 2, window: 2 },
  alert: { limit: 5, window: 2 },
}

/** One of these is large and has a separate test; the other one is useless without SQL Server. */
const NOT_HERE = ['node-red-contrib-opcua', 'node-red-contrib-mssql-plus']
const here = exampleNames.filter((name) => !NOT_HERE.includes(neededBy(name) ?? ''))

describe('the examples together', () => {
  const hall = useExamples({ speed: 1, examples: here })
  let simulator: Simulator
  let broker: Broker
  let chat: Chat

  before('starts a service, a broker and a chat', async () => {
    simulator = await startSimulator({ limits: LIMITS, windowPhase: 0.7 })
    broker = await startBroker()
    chat = await startChat()
  })

  after('ends them', async () => {
    await Promise.all([simulator?.close(), broker?.close(), chat?.close()])
  })

  it('are listed by the import dialog, which returns them unchanged', async () => {
    const address = `/library/examples/flows/${packageJson.name}`
    for (const name of exampleNames) {
      const path = name.split('/').map(encodeURIComponent).join('/')
      assert.deepEqual(await hall.json(`${address}/${path}`), readExample(name), name)
    }
  })

  it('need exactly the packages that their folders name', async () => {
    const modules = await hall.json<{ module: string; types: string[] }[]>('/nodes')
    const moduleOf = new Map(modules.flatMap(({ module, types }) => types.map((type) => [type, module])))
    const workspace = ['tab', 'group', 'junction']
    for (const name of here) {
      const flow = readExample(name)
      const types = flow.map(({ type }) => type).filter((type) => !workspace.includes(type))
      const used = [...types.map((type) => moduleOf.get(type)), ...functionModules(flow)]
      const others = new Set(used.filter((module) => module !== 'node-red' && module !== packageJson.name))
      const needed = neededBy(name)
      assert.deepEqual([...others], needed ? [needed] : [], name)
    }
  })

  it('stay within the quota of one account', async function () {
    this.timeout(RUN_MS)
    // Databases and the mail server are away: what they do not receive is kept.
    const more = { 'modbus-server': { serverPort: String(await freePort()) } }
    await hall.deploy(here, { simulator, broker: broker.node, chat, more })
    for (const button of ['write it', 'every night at 2', 'at 8']) await hall.press(button)
    const counts = () => Object.entries(simulator.counts())
    const few = () => counts().filter(([name, { total }]) => total <= LIMITS[name as EndpointName].limit)
    await until('all limits are used up', () => few().length === 0, RUN_MS / 2).catch(() => {
      assert.deepEqual(few(), [])
    })
    for (const [name, { over, refused }] of counts())
      assert.deepEqual({ over, refused }, { over: 0, refused: 0 }, name)
  })
})
