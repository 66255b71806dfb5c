import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { type DeviceDefinition, manualClock, type Simulator, startSimulator } from '../../../simulator'
import { useExamples } from '../../support/examples'
import type { FlowNode } from '../../support/node-red'
import { paletteFolder } from '../../support/palette'
import { freePort, HOST } from '../../support/server-process'
import { until } from '../../support/wait'
import { unitWithBrokenProbe } from './broken-probe'

const FLOW_MS = 180_000

const REGISTERS = 'Factory Modbus - needs node-red-contrib-modbus/holding registers'
const COILS = 'Factory Modbus - needs node-red-contrib-modbus/lamp and horn'
const TABLE = 'envlog-modbus.csv'
const HOSTILE = '=SUM(A1),"冷"\r\n4,"forged",400005'
const [NO_RESPONSE, OK, ERROR, MISSING] = [0, 1, 3, 4]

const FREEZER = '52A10001/52A10001/1/°C'
const INSIDE = '5F0A1001/52C10002/1/°C'
const PROBE = '5F0A1001/52C10002/4/°C'
const ADDED = '52A10000/52A10000/1/°C'

interface Client {
  connectTCP(host: string, options: { port: number }): Promise<void>
  setID(id: number): void
  readCoils(coil: number, count: number): Promise<{ data: boolean[] }>
  readHoldingRegisters(register: number, count: number): Promise<{ buffer: Buffer }>
  close(done: () => void): void
}

describe('examples with Modbus', () => {
  let simulator: Simulator
  let client: Client | undefined

  // Before the flow is removed, because the server waits for connected clients.
  afterEach(async () => {
    client?.close(() => {})
    await simulator?.close()
  })

  const harness = useExamples({ examples: [REGISTERS] })
  /** What the freezer measures. */
  let value = -18.4
  const freezer = (serial: string): DeviceDefinition => ({
    serial,
    name: 'Freezer',
    channels: [{ num: 1, name: 'Inside', unit: 'C' }],
    records: [],
    current: () => ({ unixtime: Math.floor(Date.now() / 1000) - 60, values: { 1: value } }),
  })

  const remote = unitWithBrokenProbe(HOSTILE)

  beforeEach(async () => {
    value = -18.4
    const fleet = [freezer('52A10001'), remote]
    simulator = await startSimulator({ clock: manualClock(Date.now()), limits: 'off', fleet })
  })

  async function connect(port: number): Promise<Client> {
    const Modbus = createRequire(join(await paletteFolder(), 'package.json'))('modbus-serial')
    const connected: Client = new Modbus()
    await until('it accepts connections', () =>
      connected.connectTCP(HOST, { port }).then(
        () => true,
        () => false,
      ),
    )
    connected.setID(1)
    return connected
  }

  const table = () => readFileSync(join(harness.nodeRed.userDir, TABLE), 'utf8')

  /** Id, value, age and status of everything named in the table, read from its addresses. */
  const rows = () =>
    Promise.all(
      [...table().matchAll(/^(\d+),"([^"]+)",(\d+),(\d+),(\d+),/gm)].map(
        async ([, first, id, ...addresses]) => {
          const register = Number(first)
          const documented = [400001, 400003, 400004].map((address) => String(address + register))
          assert.deepEqual(addresses, documented)
          const { buffer } = (await client?.readHoldingRegisters(register, 4)) ?? { buffer: Buffer.alloc(8) }
          return {
            register,
            id,
            value: buffer.readFloatBE(),
            age: buffer.readUInt16BE(4),
            status: buffer.readUInt16BE(6),
          }
        },
      ),
    )

  /** Waits until register, id, status and value are these. */
  async function rowsAre(expected: [register: number, id: string, status: number, value?: number][]) {
    const wanted = expected.map(([register, id, status, value = Number.NaN]) => {
      return { register, id, value: Math.fround(value), status }
    })
    const found = async () => (await rows()).map(({ age: _, ...row }) => row)
    await until('the registers are as expected', async () =>
      isDeepStrictEqual(await found().catch(() => []), wanted),
    ).catch(async () => assert.deepEqual(await found(), wanted))
  }

  it('serves value, age and status of each channel at the documented addresses, which stay the same', async function () {
    this.timeout(2 * FLOW_MS)
    const port = await freePort()
    await harness.deploy([REGISTERS], { simulator, more: { 'modbus-server': { serverPort: String(port) } } })
    client = await connect(port)
    await rowsAre([
      [4, FREEZER, OK, -18.4],
      [8, INSIDE, OK, 0.1],
      [12, PROBE, ERROR],
    ])
    const [{ age = 0 } = {}] = await rows()
    assert.ok(age >= 60 && age < 90, String(age))
    assert.ok(table().includes(`,"'=SUM(A1),""冷"" 4,""forged"",400005",`), table())

    // One device is added before the first, and others are removed.
    simulator.set({ fleet: [freezer('52A10000'), freezer('52A10001')] })
    await rowsAre([
      [4, FREEZER, OK, -18.4],
      [8, INSIDE, MISSING],
      [12, PROBE, MISSING],
      [16, ADDED, OK, -18.4],
    ])

    simulator.set({ faults: [{ kind: 'status', status: 503 }] })
    client.close(() => {})
    await harness.nodeRed.stop('SIGKILL')
    await harness.nodeRed.start()
    client = await connect(port)
    await rowsAre([FREEZER, INSIDE, PROBE, ADDED].map((id, at) => [4 * (at + 1), id, NO_RESPONSE]))
  })

  it('writes lamp and horn to the coils of the same server, and to one that was away', async function () {
    this.timeout(2 * FLOW_MS)
    const port = String(await freePort())
    simulator.set({ fleet: [freezer('52A10001')] })
    const more = {
      'modbus-server': { serverPort: port },
      'modbus-client': { tcpPort: port },
    }
    // Each periodic write ends a test, which is shown for three seconds.
    const seldom = (node: FlowNode) => {
      if (node.name === 'every 10 seconds') return { ...node, repeat: '25' }
      return node.name === 'for 3 seconds' ? { ...node, duration: '15' } : node
    }
    await harness.deploy([REGISTERS, COILS], { simulator, more }, (flow) => flow.map(seldom))
    const shows = (lamp: boolean, horn: boolean) =>
      until(`lamp ${lamp}, horn ${horn}`, async () => {
        const { data } = (await client?.readCoils(0, 2)) ?? { data: [] }
        return isDeepStrictEqual(data.slice(0, 2), [lamp, horn])
      })
    client = await connect(Number(port))
    await shows(false, false)
    value = -4
    await shows(true, true)
    await harness.press('acknowledge all')
    await shows(true, false)
    await harness.press('test alarm')
    await shows(true, true)
    await shows(true, false)

    // A power cut does not change who has acknowledged it.
    client.close(() => {})
    await harness.nodeRed.stop('SIGKILL')
    await harness.nodeRed.start()
    client = await connect(Number(port))
    await shows(true, false)
    value = -18.4
    await shows(false, false)
  })
})
