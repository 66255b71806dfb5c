import assert from 'node:assert/strict'
import { type Simulator, startSimulator } from '../../../simulator'
import { demoFleet } from '../../../simulator/fleet/demo'
import { type Broker, startBroker } from '../../support/broker'
import { exampleNames, functionModules, neededBy, readExample, useExamples } from '../../support/examples'
import type { FlowNode } from '../../support/node-red'
import { packageJson } from '../../support/package'
import { freePort, HOST, type ServerProcess } from '../../support/server-process'
import { until } from '../../support/wait'
import { type Chat, startChat } from './chat'
import { type SqlServer, startInflux, startMariaDb, startPostgres } from './database-servers'
import { type MailServer, startMailServer } from './mail'
import { type Plc, startPlc } from './plc'

const STARTING_MS = 300_000
/** Ends only a test that hangs. */
const GREEN_MS = 600_000
/** Rounds of each node that sends requests repeatedly: the first one, and one that continues. */
const ROUNDS = 2

/** Their status shows alarms of the fleet, of which some are on purpose. */
const NOT_REQUESTING = ['envlog-limits', 'envlog-alarms']
const isRequesting = ({ type }: FlowNode) => type.startsWith('envlog-') && !NOT_REQUESTING.includes(type)

/** This palette cannot be installed here, so SQLite's nodes replace its nodes. Everything but the statements runs. */
const SQL_SERVER = 'node-red-contrib-mssql-plus'
const SQLITE = 'SQLite - needs node-red-node-sqlite/newest records to SQLite'
const here = exampleNames.filter((name) => neededBy(name) !== SQL_SERVER)

/** As in the example's instructions. */
const DATA_BLOCK_BYTES = 1664

/** It ends Node-RED if it is removed before it runs. */
const OPC_UA = 'OpcUa-Server'
const S7 = 's7 out'
const CONNECTED = [OPC_UA, S7, 'mysql']
/** They are red until they are connected. */
const RED_BEFORE = [OPC_UA, S7]

/** This node reports devices that the service refuses, each time. */
const NIGHT = 'envlog-example-night-range'
const REFUSED = ['31D10012', '41E10013', '52C10011']

/** This button shows an error on purpose, with the first idle node. The second one only requests records for callers. */
const NOT_PRESSED = 'try it'
/** At the first check of a month this node answers with an error, which the flow handles. */
const ANSWERS = 'is there a list of this month?'
const IDLE = ['envlog-example-errors-node', 'envlog-example-http-range']

function withSqlite(flow: readonly FlowNode[]): FlowNode[] {
  const named = new Map(readExample(SQLITE).map(({ id: _, g: _group, ...node }) => [node.name, node]))
  return flow.flatMap((node) => {
    const { id, type, name, z, mssqlCN: mydb, wires } = node
    // A file for each flow, because SQLite fails if another flow writes for longer than a second.
    if (type === 'MSSQL-CN' || type === 'sqlitedb')
      return [{ id, type: 'sqlitedb', mode: 'RWC', db: `${id}.sqlite` }]
    if (type !== 'MSSQL') return [node]
    const next = `${id}-sqlite`
    return [
      { ...(named.get('parameter') as FlowNode), id, z, wires: [[next]] },
      { ...(named.get(name) as FlowNode), id: next, z, mydb, wires },
    ]
  })
}

/**
 * Logs each error and red status as a warning, and the id of each node that is green: of ours, of those that must be
 * connected, and of those that create a table. A report is done, too, if it shows in red or yellow what it has found.
 */
function withReports(flow: readonly FlowNode[]): FlowNode[] {
  const func = `const { error, status } = msg
    if (error && error.source.name === '${ANSWERS}') return
    if (error) return void node.warn(error.source.name + ': ' + error.message)
    const isVerdict = status.source.type === 'envlog-report' && status.shape === 'dot' && /red|yellow/.test(status.fill)
    if (status.fill === 'red' && !isVerdict && !${JSON.stringify(RED_BEFORE)}.includes(status.source.type)) node.warn(status.source.name + ': ' + status.text)
    else if (status.fill === 'green' || isVerdict) node.log('green ' + status.source.id)`
  const tabs = flow.filter(({ type }) => type === 'tab')
  const reports = tabs.flatMap(({ id: z }) => {
    const place = { z, x: 0, y: 0, wires: [[`test-${z}`]] }
    const scope = flow
      .filter((node) => node.z === z && (isRequesting(node) || CONNECTED.includes(node.type)))
      .map(({ id }) => id)
    return [
      { ...place, id: `test-caught-${z}`, type: 'catch', scope: null },
      { ...place, id: `test-status-${z}`, type: 'status', scope },
      { ...place, id: `test-${z}`, type: 'function', func, outputs: 0, wires: [] },
    ]
  })
  const tables = tablesIn(flow)
  const others = flow.filter((node) => !tables.includes(node))
  const wired = tables.map((table) => ({ ...table, wires: [[createdBy(table).id]] }))
  return [...others, ...wired, ...tables.map(createdBy), ...reports]
}

const tablesIn = (flow: readonly FlowNode[]) => flow.filter(({ name }) => name === 'create the table')

/** Reports that a node has created its table. */
const createdBy = ({ id, z }: FlowNode): FlowNode => ({
  id: `test-created-${id}`,
  type: 'function',
  z,
  x: 0,
  y: 0,
  func: "node.log('green ' + node.id)",
  outputs: 0,
  wires: [],
})

/** Requests a round. */
const buttonOf = ({ id, z }: FlowNode): FlowNode => ({
  id: `test-ask-${id}`,
  type: 'inject',
  z,
  x: 0,
  y: 0,
  props: [],
  wires: [[id]],
})

describe('all examples in one Node-RED', () => {
  // All state is in memory: a busy machine may take long to write files, and a flow's next message would not find what
  // the previous one has stored.
  const harness = useExamples({ examples: here, speed: 1, contextStorage: {} })
  let simulator: Simulator
  let broker: Broker
  let chat: Chat
  let mail: MailServer
  let influx: ServerProcess
  let postgres: SqlServer
  let mariaDb: SqlServer
  let plc: Plc

  before('starts what the examples are connected to', async function () {
    this.timeout(STARTING_MS)
    // Periods are complete, so that no node warns of losses.
    const fleet = demoFleet(Date.now()).map((device) => ({ ...device, capacity: 200_000 }))
    simulator = await startSimulator({ limits: 'off', fleet })
    ;[broker, chat, mail] = await Promise.all([startBroker(), startChat(), startMailServer()])
    ;[influx, postgres, mariaDb] = await Promise.all([startInflux(), startPostgres(), startMariaDb()])
    plc = await startPlc(DATA_BLOCK_BYTES)
  })

  after('ends it', () =>
    Promise.all([
      ...[simulator, chat, mail].map((each) => each?.close()),
      ...[broker, influx, postgres, mariaDb, plc].map((server) => server?.stop()),
    ]),
  )

  /** Where the servers of the test are. */
  async function addresses(): Promise<Record<string, object>> {
    const { user, password, database } = mariaDb
    const modbusPort = String(await freePort())
    return {
      'envlog-account': { store: 'memory' },
      'e-mail': {
        server: HOST,
        port: String(mail.port),
        credentials: { userid: 'envlog@localhost', password: 'secret' },
      },
      'modbus-server': { serverPort: modbusPort },
      // The server's process is busy with all the other flows.
      'modbus-client': { tcpPort: modbusPort, clientTimeout: '60000' },
      'OpcUa-Server': { port: String(await freePort()) },
      's7 endpoint': { port: String(plc.port) },
      influxdb: { hostname: HOST, port: String(influx.port), database: 'envlog' },
      MySQLdatabase: {
        host: HOST,
        port: String(mariaDb.port),
        db: database,
        credentials: { user, password },
      },
      postgresDB: {
        host: HOST,
        port: postgres.port,
        user: postgres.user,
        password: postgres.password,
        database: postgres.database,
      },
    }
  }

  it('are listed by the import dialog, which returns them unchanged', async () => {
    const address = `/library/examples/flows/${packageJson.name}`
    for (const name of exampleNames) {
      const path = name.split('/').map(encodeURIComponent).join('/')
      assert.deepEqual(await harness.nodeRed.json(`${address}/${path}`), readExample(name), name)
    }
  })

  it('need exactly the packages that their folders name', async () => {
    const modules = await harness.nodeRed.json<{ module: string; types: string[] }[]>('/nodes')
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

  it('work in a normal plant without an error or a warning, with each node that sends requests', async function () {
    this.timeout(GREEN_MS + STARTING_MS)
    const more = await addresses()
    const started = harness.nodeRed.log().length
    const flow = withSqlite(exampleNames.flatMap(readExample))
    const tables = tablesIn(flow)
    const ofType = (type: string) => flow.filter((node) => node.type === type)
    const waiting = [...tables, ...ofType(S7)]
    const isStart = ({ type, once, z }: FlowNode) =>
      type === 'inject' && once === true && waiting.some((node) => node.z === z)
    const asking = flow.filter((node) => isRequesting(node) && node.z && !IDLE.includes(node.id))
    const repeating = asking.filter(({ repeat }) => Number(repeat) > 0)
    // What depends on time begins when the test asks for it, one after the other: a busy machine only takes longer.
    await harness.deploy(exampleNames, { simulator, broker: broker.node, chat, more }, (filled) => {
      const paused = withSqlite(filled).map((node) => ({
        ...node,
        ...(isStart(node) && { once: false, repeat: '' }),
        ...(isRequesting(node) && { repeat: 0 }),
        ...(node.id === NIGHT && { exclude: REFUSED }),
      }))
      return [...withReports(paused), ...repeating.map(buttonOf)]
    })
    const log = () => harness.nodeRed.log().slice(started)
    const complaints = () =>
      log()
        .split('\n')
        .filter((line) => / - \[(?:error|warn)\]/.test(line))
    /** Nodes that have been green less often. */
    const behind = (nodes: readonly { id: string }[], times: number) => {
      const green = [...log().matchAll(/ green (\S+)$/gm)].map(([, id]) => id)
      return nodes.map(({ id }) => id).filter((id) => green.filter((one) => one === id).length < times)
    }
    async function areGreen(what: string, nodes: readonly { id: string }[], times = 1): Promise<void> {
      const isOver = () => complaints().length > 0 || behind(nodes, times).length === 0
      await until(what, isOver, GREEN_MS).catch(() => assert.deepEqual(behind(nodes, times), []))
      assert.deepEqual(complaints(), [])
    }
    async function press(nodes: readonly FlowNode[]): Promise<void> {
      for (const { id } of nodes) await harness.nodeRed.inject(id)
    }
    // Also if another node has failed: what ends Node-RED would hide the reason.
    await until('the OPC UA server runs', () => behind(ofType(OPC_UA), 1).length === 0, STARTING_MS)
    await areGreen('MariaDB and the PLC are connected', [...ofType('mysql'), ...ofType(S7)])
    await press(flow.filter(isStart))
    await areGreen('the tables are there', tables.map(createdBy))
    await press(flow.filter(({ type, once, name }) => type === 'inject' && !once && name !== NOT_PRESSED))
    for (let round = 1; round <= ROUNDS; round++)
      for (const node of repeating) {
        await press([buttonOf(node)])
        await areGreen(`round ${round} of ${node.id}`, [node], round)
      }
    await areGreen('the others have sent', asking)
  })
})
