import assert from 'node:assert/strict'
import { type DeviceDefinition, manualClock, type Simulator, startSimulator } from '../../../simulator'
import { neededBy, useExamples } from '../../support/examples'
import { isInPalette } from '../../support/palette'
import { freePort } from '../../support/server-process'
import { until } from '../../support/wait'
import { connectOpcua, type DataValue, type OpcuaClient } from './opcua-client'

const FLOW_MS = 240_000
/** The server starts within seconds, and creates certificates at its first start. */
const STARTED_MS = 120_000

const SERVER = 'Factory OPC UA - needs node-red-contrib-opcua/OPC UA server'
const OBJECTS = 'ns=0;i=85'
const HOSTILE = 'a;datatype=b\r\n"冷"/'
const PLAIN = 'a datatype b  "冷"/'

const FREEZER = 'ns=1;s=52A10001/52A10001/1'
const BROKEN = 'ns=1;s=52A10001/52A10001/2'
const AIR = 'ns=1;s=5F0A1001/52C10002/1'

describe('the example with an OPC UA server', () => {
  const hall = useExamples({ examples: [SERVER] })
  let simulator: Simulator
  let client: OpcuaClient | undefined
  const now = Math.floor(Date.now() / 1000) * 1000
  /** The service's data for the freezer. */
  let reading = { value: -18.4, age: 60 }

  const freezer: DeviceDefinition = {
    serial: '52A10001',
    name: HOSTILE,
    channels: [
      { num: 1, name: 'Inside', unit: 'C' },
      { num: 2, name: HOSTILE, unit: 'C', broken: 'Sensor Error' },
    ],
    records: [],
    current: () => ({ unixtime: now / 1000 - reading.age, values: { 1: reading.value, 2: 'Sensor Error' } }),
  }
  const remote: DeviceDefinition = {
    serial: '52C10002',
    name: '',
    base: { serial: '5F0A1001', name: 'Hall 1' },
    channels: [{ num: 1, unit: '%' }],
    records: [],
    current: () => ({ unixtime: now / 1000, values: { 1: 55.5 } }),
  }

  beforeEach(async () => {
    simulator = await startSimulator({ clock: manualClock(now), limits: 'off', fleet: [freezer, remote] })
  })

  afterEach(async () => {
    await client?.close()
    await simulator?.close()
  })

  /** Waits until a node has these properties. */
  async function has(nodeId: string, expected: Partial<DataValue>): Promise<void> {
    let found: Partial<DataValue> | undefined
    const isSo = () =>
      Object.entries(expected).every(([key, wanted]) => found?.[key as keyof DataValue] === wanted)
    await until(
      `${nodeId} is as expected`,
      async () => {
        found = await client?.read(nodeId).catch(() => undefined)
        return isSo()
      },
      STARTED_MS,
    ).catch(() => assert.deepEqual(found, expected))
  }

  it('needs the package named by its folder', () => {
    assert.ok(isInPalette(String(neededBy(SERVER)), 'opcua'))
  })

  it('has a variable per channel, reports changes, and has all variables again after a crash', async function () {
    this.timeout(FLOW_MS)
    const port = await freePort()
    await hall.deploy([SERVER], { simulator, more: { 'OpcUa-Server': { port: String(port) } } })
    client = await connectOpcua(port)
    await has(FREEZER, { status: 'Good', value: Math.fround(-18.4), time: now - 60_000 })
    await has(`${FREEZER}/unit`, { status: 'Good', value: '°C' })
    await has(BROKEN, { status: 'BadSensorFailure', time: now - 60_000 })
    await has(AIR, { status: 'Good', value: 55.5, time: now })
    assert.deepEqual(Object.values(await client.browse(OBJECTS)), [PLAIN, 'Hall 1'])
    assert.deepEqual(await client.browse('ns=1;s=52A10001/52A10001'), {
      [FREEZER]: 'Inside',
      [`${FREEZER}/unit`]: 'Inside unit',
      [BROKEN]: PLAIN,
      [`${BROKEN}/unit`]: `${PLAIN} unit`,
    })

    const heard = await client.subscribe(FREEZER)
    const reports = (status: string, value: number) =>
      until(`${status} ${value}`, () => heard.at(-1)?.status === status && heard.at(-1)?.value === value)
    await reports('Good', Math.fround(-18.4))
    reading = { value: 1, age: 4000 }
    await reports('UncertainLastUsableValue', 1)
    simulator.set({ fleet: [remote] })
    await reports('BadNoCommunication', Number.POSITIVE_INFINITY)

    simulator.set({ faults: [{ kind: 'status', status: 503 }], fleet: [remote, freezer] })
    await hall.kill()
    await hall.start()
    for (const nodeId of [FREEZER, BROKEN, AIR]) await has(nodeId, { status: 'BadWaitingForInitialData' })
    reading = { value: 2, age: 60 }
    simulator.set({ faults: [] })
    await has(AIR, { status: 'Good', value: 55.5 })
    // To a client that stayed connected.
    await until('the subscription continues', () => heard.at(-1)?.value === 2, STARTED_MS)
  })
})
