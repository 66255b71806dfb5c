import assert from 'node:assert/strict'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { type Simulator, startSimulator } from '../../../simulator'
import { type Broker, startBroker } from '../../support/broker'
import { exampleNames, neededBy, type Surroundings, useExamples } from '../../support/examples'
import type { FlowNode } from '../../support/node-red'
import { freePort } from '../../support/server-process'
import { until } from '../../support/wait'
import { type Chat, startChat } from './chat'
import { type Database, databases } from './databases'
import { type MailServer, startMailServer } from './mail'

const FLOW_MS = 240_000
const GREEN_MS = 120_000
/** For each node that sends requests. */
const ROUNDS = 3

/** SQLite replaces it. */
const SQL_SERVER = 'node-red-contrib-mssql-plus'

const REPORTS = 'test-reports.txt'
/** Shows an error on purpose. */
const NOT_PRESSED = 'try it'

const accepts = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })

const place = { x: 0, y: 0, z: 'test-healthy' }

/** Also writes each status of an envlog node, and each error of any node, to a file. */
function reporting(flow: FlowNode[]): FlowNode[] {
  const wires = [['test-line']]
  const ours = flow.filter(({ type, z }) => type.startsWith('envlog-') && z).map(({ id }) => id)
  const caught = flow
    .filter(({ type }) => type === 'tab')
    .map(({ id: z }) => ({
      ...place,
      id: `test-caught-${z}`,
      type: 'catch',
      z,
      scope: null,
      wires: [[`test-out-${z}`]],
    }))
  const links = caught.map(({ z }) => ({
    ...place,
    id: `test-out-${z}`,
    type: 'link out',
    z,
    links: ['test-in'],
  }))
  const states = flow
    .filter(({ type }) => type === 'tab')
    .map(({ id: z }) => ({
      ...place,
      ...{ id: `test-state-${z}`, type: 'status', z, scope: ours, wires: [[`test-out-${z}`]] },
    }))
  const line =
    '$exists(error) ? "error " & error.source.name & ": " & error.message : status.source.id & " " & status.fill & " " & status.shape & " " & status.text'
  return [
    ...flow,
    ...caught,
    ...states,
    ...links,
    { id: 'test-healthy', type: 'tab', label: 'test' },
    { ...place, id: 'test-in', type: 'link in', links: links.map(({ id }) => id), wires },
    {
      ...{ ...place, id: 'test-line', type: 'change', wires: [['test-file']] },
      rules: [{ t: 'set', p: 'payload', pt: 'msg', to: line, tot: 'jsonata' }],
    },
    {
      ...{ ...place, id: 'test-file', type: 'file', filename: REPORTS, filenameType: 'str', wires: [[]] },
      ...{ appendNewline: true, overwriteFile: 'false', createDir: false, encoding: 'utf8' },
    },
  ]
}

describe('in a normal plant', () => {
  const here = exampleNames.filter((name) => neededBy(name) !== SQL_SERVER)
  const hall = useExamples({ examples: here })
  let simulator: Simulator
  let broker: Broker
  let chat: Chat
  let mail: MailServer
  let database: Database | undefined

  before('starts what the examples are connected to', async () => {
    ;[broker, chat, mail] = await Promise.all([startBroker(), startChat(), startMailServer()])
  })

  after('ends it', async () => {
    await Promise.all([broker?.close(), chat?.close(), mail?.close()])
  })

  beforeEach(async () => {
    simulator = await startSimulator({ limits: 'off' })
    rmSync(join(hall.userDir, REPORTS), { force: true })
  })

  afterEach(async function () {
    this.timeout(GREEN_MS)
    await hall.deployWith([], { simulator }, () => [])
    await Promise.all([simulator?.close(), database?.end()])
    database = undefined
  })

  /** Each line once, with its count. */
  const summary = () => [...new Set(reports())].map((line) => line).join('\n')

  const reports = () => {
    const file = join(hall.userDir, REPORTS)
    return existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
  }

  for (const name of exampleNames)
    it(`nothing fails: ${name}`, async function () {
      this.timeout(FLOW_MS)
      database = await databases.find(({ example }) => example === name)?.start(hall.userDir)
      const { nodes = {}, adapt = (flow: FlowNode[]) => flow } = database ?? {}
      const opcuaPort = await freePort()
      const more = {
        ...nodes,
        // The time runs faster here, and the machine may be busy.
        'envlog-account': { timeout: 300 },
        'e-mail': { server: '127.0.0.1', port: String(mail.port) },
        'modbus-server': { serverPort: String(await freePort()) },
        'OpcUa-Server': { port: String(opcuaPort) },
      }
      const surroundings: Surroundings = { simulator, broker: broker.node, chat, more }
      const before = hall.log().length
      let buttons: FlowNode[] = []
      let asking: FlowNode[] = []
      await hall.deployWith([name], surroundings, (flow) => {
        const deployed = adapt(flow)
        buttons = deployed.filter(
          ({ type, name: label, once }) => type === 'inject' && !once && label !== NOT_PRESSED,
        )
        asking = deployed.filter(({ type, z }) => type.startsWith('envlog-') && z)
        return reporting(deployed)
      })
      for (const { id } of buttons) await hall.inject(id)
      const idle = name.endsWith('all errors in one place') || name.startsWith('Factory/HTTP')
      const isDone = ({ id, repeat }: FlowNode) =>
        reports().filter((line) => line.startsWith(`${id} green`)).length >= (Number(repeat) > 0 ? ROUNDS : 1)
      const log = () => hall.log().slice(before)
      const complaints = () =>
        log()
          .split('\n')
          .filter((line) => / - \[(error|warn)\]/.test(line))
      const failures = () => reports().filter((line) => /^error | red /.test(line))
      await until(
        'each node has received something',
        () =>
          complaints().length + failures().length > 0 ||
          asking.every((node) => (idle && !Number(node.repeat)) || isDone(node)),
        GREEN_MS,
      ).catch((error) => {
        throw new Error(`${error.message}\n${summary()}\n${log().slice(-2000)}`)
      })
      // Its node ends Node-RED if it is removed while its server starts.
      if (name.includes('opcua'))
        await until('the OPC UA server accepts connections', () => accepts(opcuaPort))
      assert.deepEqual({ failures: failures(), complaints: complaints() }, { failures: [], complaints: [] })
    })
})
