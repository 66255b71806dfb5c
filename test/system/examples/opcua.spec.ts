import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { type DeviceDefinition, manualClock, type Simulator, startSimulator } from '../../../simulator'
import { ERRORS_FILE, neededBy, rounds, useExamples, withErrorsFile } from '../../support/examples'
import type { DeployType, FlowNode } from '../../support/node-red'
import { connectOpcua, type DataValue, type OpcuaClient } from '../../support/opcua-client'
import { isInPalette } from '../../support/palette'
import { freePort } from '../../support/server-process'
import { until } from '../../support/wait'

const FLOW_MS = 240_000
/** The server starts in seconds, and makes certificates at its first start. */
const STARTED_MS = 120_000

const SERVER = 'Factory OPC UA - needs node-red-contrib-opcua/OPC UA server'
const CHANNELS = 'envlog-opcua.json'

const OBJECTS = 'ns=0;i=85'
const HOSTILE = 'a;datatype=b\r\n"冷"/'
const PLAIN = 'a datatype b  "冷"/'

describe('the example with an OPC UA server', () => {
  const hall = useExamples({ examples: [SERVER] })
  let simulator: Simulator
  let port: number
  let now: number
  let client: OpcuaClient | undefined

  /** What the service says of a channel that a test changes. */
  let reading: { value: number | string; age: number }

  const freezer = (more: Partial<DeviceDefinition> = {}): DeviceDefinition => ({
    serial: '52A10001',
    name: HOSTILE,
    channels: [
      { num: 1, name: 'Inside', unit: 'C' },
      { num: 2, name: HOSTILE, unit: 'C', broken: 'Sensor Error' },
    ],
    records: [],
    current: () => ({ unixtime: now / 1000 - reading.age, values: { 1: reading.value, 2: 'Sensor Error' } }),
    ...more,
  })

  const remote = (serial: string): DeviceDefinition => ({
    serial,
    name: '',
    base: { serial: '5F0A1001', name: 'Hall 1' },
    channels: [{ num: 1, unit: '%' }],
    records: [],
    current: () => ({ unixtime: now / 1000, values: { 1: 55.5 } }),
  })

  const FREEZER = 'ns=1;s=52A10001/52A10001/1'
  const BROKEN = 'ns=1;s=52A10001/52A10001/2'
  const AIR = 'ns=1;s=5F0A1001/52C10002/1'
  const LATER = 'ns=1;s=5F0A1001/52C10003/1'

  beforeEach(async () => {
    now = Math.floor(Date.now() / 1000) * 1000
    reading = { value: -18.4, age: 60 }
    port = await freePort()
    const fleet = [freezer(), remote('52C10002')]
    simulator = await startSimulator({ clock: manualClock(now), limits: 'off', fleet })
    for (const name of [CHANNELS, ERRORS_FILE]) rmSync(join(hall.userDir, name), { force: true })
  })

  afterEach(async () => {
    await client?.close()
    client = undefined
    await simulator.close()
  })

  const deploy = (change = (node: FlowNode): object => node, type?: DeployType) => {
    const more = { 'OpcUa-Server': { port: String(port) } }
    const add = (flow: FlowNode[]) => withErrorsFile(flow).map((node) => ({ ...node, ...change(node) }))
    return hall.deployWith([SERVER], { simulator, more }, add, type)
  }

  /** It does not wait for two minutes until it says that the server has not started. */
  const waiting = (ms: number) => (node: FlowNode) =>
    node.type === 'function'
      ? { func: String(node.func).replace('RESTART_MS = 120000', `RESTART_MS = ${ms}`) }
      : {}

  const errors = () => {
    const file = join(hall.userDir, ERRORS_FILE)
    return existsSync(file) ? readFileSync(file, 'utf8') : ''
  }

  async function connect(): Promise<OpcuaClient> {
    const connected = await connectOpcua(port)
    client = connected
    return connected
  }

  /** What a node has, as soon as it has it. */
  async function has(from: OpcuaClient, nodeId: string, expected: Partial<DataValue>): Promise<void> {
    let found: DataValue | undefined
    const isSo = (value: DataValue) =>
      Object.entries(expected).every(([key, wanted]) => value[key as keyof DataValue] === wanted)
    await until(
      `${nodeId} is as expected`,
      async () => {
        found = await from.read(nodeId).catch(() => undefined)
        return found !== undefined && isSo(found)
      },
      STARTED_MS,
    ).catch(() => assert.deepEqual(found, expected))
  }

  it('needs the package that its folder names', () => {
    assert.ok(isInPalette(String(neededBy(SERVER)), 'opcua'))
  })

  it('has a folder per base unit, an object per device, a variable per channel and its unit; nobody can write', async function () {
    this.timeout(FLOW_MS)
    await deploy()
    const server = await connect()
    await has(server, FREEZER, { status: 'Good', value: Math.fround(-18.4), time: now - 60_000 })
    await has(server, `${FREEZER}/unit`, { status: 'Good', value: '°C' })
    await has(server, BROKEN, { status: 'BadSensorFailure', time: now - 60_000 })
    await has(server, AIR, { status: 'Good', value: 55.5, time: now })
    await has(server, `${AIR}/unit`, { status: 'Good', value: '%' })
    const [object, variable] = [1, 2]
    const below = async (nodeId: string): Promise<object> => {
      const found = await server.browse(nodeId)
      const parts = found.map(async (one) => [`${one.name} (${one.nodeClass})`, await below(one.nodeId)])
      return Object.fromEntries(await Promise.all(parts))
    }
    const leaves = (...names: string[]) =>
      Object.fromEntries(names.map((name) => [`${name} (${variable})`, {}]))
    assert.deepEqual(await below(OBJECTS), {
      [`${PLAIN} (${object})`]: {
        [`${PLAIN} (${object})`]: leaves('Inside', 'Inside unit', PLAIN, `${PLAIN} unit`),
      },
      [`Hall 1 (${object})`]: { [`52C10002 (${object})`]: leaves('ch1', 'ch1 unit') },
    })
    for (const nodeId of [FREEZER, `${FREEZER}/unit`])
      assert.equal(await server.write(nodeId, 1), 'BadNotWritable')
  })

  it('reports changes, what is no number, old, gone or back, to a client that subscribed', async function () {
    this.timeout(FLOW_MS)
    await deploy()
    const server = await connect()
    await has(server, AIR, { status: 'Good' })
    const heard = await server.subscribe([FREEZER, AIR])
    const reports = async (nodeId: string, status: string, value: number) => {
      const is = (report?: DataValue) => report?.status === status && report.value === value
      await until(`${status} ${value}`, () => is(heard.get(nodeId)?.at(-1))).catch(() =>
        assert.deepEqual(heard.get(nodeId)?.at(-1), { status, value }),
      )
    }
    await reports(FREEZER, 'Good', Math.fround(-18.4))
    reading = { value: 0, age: 60 }
    await reports(FREEZER, 'Good', 0)
    reading = { value: 1, age: 4000 }
    await reports(FREEZER, 'UncertainLastUsableValue', 1)
    reading = { value: 'Sensor Error', age: 60 }
    await reports(FREEZER, 'BadSensorFailure', Number.POSITIVE_INFINITY)
    simulator.set({ fleet: [remote('52C10002')] })
    await reports(FREEZER, 'BadNoCommunication', Number.POSITIVE_INFINITY)
    reading = { value: 2, age: 3590 }
    simulator.set({ fleet: [freezer({ channels: [{ num: 1, name: 'Inside', unit: 'F' }] })] })
    await reports(AIR, 'BadNoCommunication', Number.POSITIVE_INFINITY)
    await has(server, `${FREEZER}/unit`, { value: '°F' })
    // Nothing comes from the service any more that would say so.
    simulator.set({ faults: [{ kind: 'status', status: 503 }] })
    await reports(FREEZER, 'UncertainLastUsableValue', 2)
    // What stays as it is, is not reported again and again.
    assert.ok(Number(heard.get(AIR)?.length) < 5, JSON.stringify(heard.get(AIR)))
  })

  it('has all channels after a restart, though the service is away, and those that come later', async function () {
    this.timeout(FLOW_MS)
    await deploy()
    const server = await connect()
    await has(server, AIR, { status: 'Good' })
    const heard = await server.subscribe([AIR])
    simulator.set({ faults: [{ kind: 'status', status: 503 }] })
    await hall.kill()
    writeFileSync(join(hall.userDir, `${CHANNELS}.new`), '[["5F0A')
    await hall.start()
    for (const nodeId of [FREEZER, BROKEN, AIR])
      await has(server, nodeId, { status: 'BadWaitingForInitialData' })
    simulator.set({ faults: [], fleet: [remote('52C10003'), freezer({ name: 'Other' })] })
    await has(server, FREEZER, { status: 'Good' })
    await has(server, AIR, { status: 'BadNoCommunication' })
    await has(server, LATER, { status: 'Good', value: 55.5 })
    assert.deepEqual(
      (await server.browse('ns=1;s=5F0A1001')).map(({ name }) => name),
      ['52C10002', '52C10003'],
    )
    // Of a client that stayed as it was.
    await until(
      'the subscription goes on',
      () => heard.get(AIR)?.at(-1)?.status === 'BadNoCommunication',
      STARTED_MS,
    )

    await deploy()
    await has(server, FREEZER, { status: 'Good' })
    assert.ok((await server.browse(OBJECTS)).some(({ name }) => name === 'Other'))
  })

  it('goes on where its function node alone was deployed', async function () {
    this.timeout(FLOW_MS)
    await deploy()
    const server = await connect()
    await has(server, FREEZER, { status: 'Good', value: Math.fround(-18.4) })
    await deploy(waiting(1000), 'nodes')
    reading = { value: 3, age: 60 }
    await has(server, FREEZER, { status: 'Good', value: 3 })
  })

  it('says that its port is taken, and Node-RED goes on', async function () {
    this.timeout(FLOW_MS)
    const other = createServer().listen(port)
    try {
      await once(other, 'listening')
      await deploy(waiting(10_000))
      await until('the error is reported', () => errors().includes('Is its port in use?'), STARTED_MS)
      await rounds(simulator, 2)
    } finally {
      other.close()
    }
  })

  it('serves 300 devices of four channels in one subscription', async function () {
    this.timeout(FLOW_MS)
    const channels = [1, 2, 3, 4].map((num) => ({ num, name: `ch${num}`, unit: 'C' }))
    let value = 0
    const fleet = Array.from({ length: 300 }, (_, index): DeviceDefinition => {
      const current = () => ({
        unixtime: now / 1000,
        values: Object.fromEntries(channels.map(({ num }) => [num, value + index + num / 8])),
      })
      return { serial: `52B1${String(index).padStart(4, '0')}`, channels, records: [], current }
    })
    simulator.set({ fleet })
    await deploy()
    const server = await connect()
    await has(server, 'ns=1;s=52B10299/52B10299/4', { status: 'Good', value: 299.5 })
    const expected = fleet.flatMap(({ serial }, index) =>
      channels.map(({ num }) => [`ns=1;s=${serial}/${serial}/${num}`, index + num / 8] as const),
    )
    const heard = await server.subscribe(expected.map(([nodeId]) => nodeId))
    value = 1000
    await until(
      'all have changed',
      () => expected.every(([nodeId, first]) => heard.get(nodeId)?.at(-1)?.value === first + 1000),
      STARTED_MS,
    )
  })
})
