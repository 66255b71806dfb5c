import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { type DeviceDefinition, manualClock, type Simulator, startSimulator } from '../../../simulator'
import { useExamples } from '../../support/examples'
import { paletteFolder } from '../../support/palette'
import { temporaryFolder } from '../../support/run'
import { freePort, HOST } from '../../support/server-process'
import { until } from '../../support/wait'

/** The server starts within seconds, and creates certificates at its first start. */
const STARTED_MS = 120_000
const FLOW_MS = 2 * STARTED_MS

const SERVER = 'Factory OPC UA - needs node-red-contrib-opcua/OPC UA server'
const HOSTILE = 'a;datatype=b\r\n"冷"/'

const FREEZER = 'ns=1;s=52A10001/52A10001/1'
const BROKEN = 'ns=1;s=52A10001/52A10001/2'
const AIR = 'ns=1;s=5F0A1001/52C10002/1'

describe('the example with an OPC UA server', () => {
  const examples = useExamples({ examples: [SERVER] })
  let simulator: Simulator
  let client: OpcuaClient | undefined
  const now = Math.floor(Date.now() / 1000) * 1000
  /** The service's data for the freezer. */
  let reading: { value: number | string; age: number } = { value: -18.4, age: 60 }

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

  /** Waits until an OPC UA node has these properties. */
  async function waitForProperties(nodeId: string, expected: Partial<DataValue>): Promise<void> {
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

  it('has a variable for each channel, with quality and time of measurement', async function () {
    this.timeout(FLOW_MS)
    const port = await freePort()
    await examples.deploy([SERVER], { simulator, more: { 'OpcUa-Server': { port: String(port) } } })
    client = await connectOpcua(port)
    await waitForProperties(FREEZER, { status: 'Good', value: -18.4, time: now - 60_000 })
    await waitForProperties(`${FREEZER}/unit`, { status: 'Good', value: '°C' })
    await waitForProperties(BROKEN, { status: 'BadSensorFailure', time: now - 60_000 })
    await waitForProperties(AIR, { status: 'Good', value: 55.5, time: now })
    // A client with a dead band is told of a gap, and of what follows.
    const told = await client.watch(FREEZER, 0.5)
    const isTold = (status: string, value?: number) =>
      until(`${status} ${value} is told`, () =>
        told.some((one) => one.status === status && (value === undefined || one.value === value)),
      )
    await isTold('Good', -18.4)
    reading = { value: 'Sensor Error', age: 40 }
    await isTold('BadSensorFailure')
    reading = { value: -16.4, age: 20 }
    await isTold('Good', -16.4)
    reading = { value: 1, age: 4000 }
    await waitForProperties(FREEZER, { status: 'UncertainLastUsableValue', value: 1 })
    simulator.set({ fleet: [remote] })
    await waitForProperties(FREEZER, { status: 'BadNoCommunication' })
  })
})

interface DataValue {
  /** `Good`, … */
  status: string
  value: unknown
  /** ms */
  time?: number
}

interface OpcuaValue {
  statusCode: { name: string }
  value: { value: unknown }
  sourceTimestamp?: Date
}

interface OpcuaClient {
  read(nodeId: string): Promise<DataValue>
  /** What a subscription with an absolute dead band is told, in order. */
  watch(nodeId: string, deadBand: number): Promise<readonly DataValue[]>
  close(): Promise<void>
}

const VALUE = 13

/** Retries until the server is available, also after a restart. */
async function connectOpcua(port: number): Promise<OpcuaClient> {
  const load = createRequire(join(await paletteFolder('opcua'), 'package.json'))
  const { DataChangeFilter, DataChangeTrigger, DeadbandType, TimestampsToReturn } = load('node-opcua-client')
  const { OPCUACertificateManager } = load('node-opcua-certificate-manager')
  const client = load('node-opcua-client').OPCUAClient.create({
    clientCertificateManager: new OPCUACertificateManager({ rootFolder: temporaryFolder('opcua') }),
    endpointMustExist: false,
    keepSessionAlive: true,
    connectionStrategy: { initialDelay: 100, maxDelay: 500, maxRetry: -1 },
  })
  await client.connect(`opc.tcp://${HOST}:${port}`)
  const session = await client.createSession()
  const toDataValue = ({ statusCode, value, sourceTimestamp }: OpcuaValue): DataValue => ({
    status: statusCode.name,
    value: value.value,
    ...(sourceTimestamp && { time: sourceTimestamp.getTime() }),
  })
  return {
    async read(nodeId) {
      return toDataValue(await session.read({ nodeId, attributeId: VALUE }))
    },
    async watch(nodeId, deadbandValue) {
      const told: DataValue[] = []
      const subscription = await session.createSubscription2({
        publishingEnabled: true,
        requestedPublishingInterval: 100,
      })
      const trigger = DataChangeTrigger.StatusValue
      const filter = new DataChangeFilter({ trigger, deadbandType: DeadbandType.Absolute, deadbandValue })
      const item = await subscription.monitor(
        { nodeId, attributeId: VALUE },
        { samplingInterval: 100, queueSize: 10, filter },
        TimestampsToReturn.Both,
      )
      item.on('changed', (value: OpcuaValue) => told.push(toDataValue(value)))
      return told
    },
    close: () => client.disconnect(),
  }
}
