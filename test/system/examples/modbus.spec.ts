import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { type DeviceDefinition, manualClock, type Simulator, startSimulator } from '../../../simulator'
import { useExamples } from '../../support/examples'
import { paletteFolder } from '../../support/palette'
import { freePort, HOST } from '../../support/server-process'
import { until } from '../../support/wait'

const FLOW_MS = 90_000

const REGISTERS = 'Factory Modbus - needs node-red-contrib-modbus/holding registers'
const TABLE = 'envlog-modbus.csv'
const HEAD = 'register,id,value,age,status,device,channel,unit,base unit'

const HOSTILE = '=SUM(A1),"冷"\r\n4,"forged",400005'
const [NO_RESPONSE, OK, STALE, ERROR, MISSING] = [0, 1, 2, 3, 4]
/** As in the flow. */
const STALE_AFTER = 3600

const FREEZER = '52A10001/52A10001/1/°C'
const INSIDE = '5F0A1001/52C10002/1/°C'
const PROBE = '5F0A1001/52C10002/4/°C'
const ADDED = '52A10000/52A10000/1/°C'

interface Client {
  connectTCP(host: string, options: { port: number }): Promise<void>
  setID(id: number): void
  readHoldingRegisters(register: number, count: number): Promise<{ buffer: Buffer }>
  close(done: () => void): void
}

interface Row {
  register: number
  id: string
  device: string
  value: number
  age: number
  status: number
}

describe('the example with Modbus registers', () => {
  let simulator: Simulator
  let client: Client | undefined

  // Before the flow is removed, because the server waits for connected clients.
  afterEach(async () => {
    client?.close(() => {})
    await simulator?.close()
  })

  const hall = useExamples({ examples: [REGISTERS] })
  let now: number
  /** The service's data for the freezer. */
  let reading: { value: number; age: number }

  const freezer = (serial: string, name: string): DeviceDefinition => ({
    serial,
    name,
    channels: [{ num: 1, name: 'Inside', unit: 'C' }],
    records: [],
    current: () => ({ unixtime: now / 1000 - reading.age, values: { 1: reading.value } }),
  })

  const remote: DeviceDefinition = {
    serial: '52C10002',
    name: HOSTILE,
    base: { serial: '5F0A1001', name: 'Hall 1' },
    channels: [
      { num: 1, unit: 'C' },
      { num: 4, unit: 'C', broken: 'Sensor Error' },
    ],
    records: [],
    current: () => ({ unixtime: now / 1000 - 90, values: { 1: 0.1, 4: 'Sensor Error' } }),
  }

  beforeEach(async () => {
    now = Math.floor(Date.now() / 1000) * 1000
    reading = { value: -18.4, age: 60 }
    const fleet = [freezer('52A10001', 'Freezer'), remote]
    simulator = await startSimulator({ clock: manualClock(now), limits: 'off', fleet })
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

  async function read(register: number): Promise<Buffer> {
    assert.ok(client)
    return (await client.readHoldingRegisters(register, 4)).buffer
  }

  /** Everything named in the table, read from the documented addresses. */
  async function rows(): Promise<Row[]> {
    const file = join(hall.nodeRed.userDir, TABLE)
    if (!existsSync(file)) return []
    const [head, ...lines] = readFileSync(file, 'utf8').replace('\ufeff', '').trimEnd().split('\r\n')
    assert.equal(head, HEAD)
    const found = lines.map(async (line): Promise<Row> => {
      const cells = [...line.matchAll(/("(?:[^"]|"")*"|[^,]+)(?:,|$)/g)].map(([, cell = '']) =>
        cell.replace(/^"|"$/g, '').replaceAll('""', '"'),
      )
      const [id = '', device = ''] = [cells[1], cells[5]]
      const [register = 0, ...addresses] = [0, 2, 3, 4].map((column) => Number(cells[column]))
      assert.deepEqual(
        addresses,
        [400001, 400003, 400004].map((first) => first + register),
      )
      const buffer = await read(register)
      const [value, age, status] = [buffer.readFloatBE(), buffer.readUInt16BE(4), buffer.readUInt16BE(6)]
      return { register, id, device, value, age, status }
    })
    return Promise.all(found)
  }

  /** The rows, once each has its expected status. */
  async function rowsAre(expected: Record<string, number>): Promise<Row[]> {
    let found: Row[] = []
    const states = () => Object.fromEntries(found.map(({ id, status }) => [id, status]))
    await until('all have their expected status', async () => {
      found = await rows()
      return JSON.stringify(states()) === JSON.stringify(expected)
    }).catch(() => assert.deepEqual(states(), expected))
    return found
  }

  it('serves value, age and status of each channel at the documented addresses, which stay the same', async function () {
    this.timeout(2 * FLOW_MS)
    const port = await freePort()
    await hall.deploy([REGISTERS], { simulator, more: { 'modbus-server': { serverPort: String(port) } } })
    client = await connect(port)
    const found = await rowsAre({ [FREEZER]: OK, [INSIDE]: OK, [PROBE]: ERROR })
    const forged = `'=SUM(A1),"冷"  4,"forged",400005`
    assert.deepEqual(
      found.map(({ register, device, value }) => [register, device, value]),
      [
        [4, 'Freezer', Math.fround(-18.4)],
        [8, forged, Math.fround(0.1)],
        [12, forged, Number.NaN],
      ],
    )
    assert.ok(found[0] && found[0].age >= 60 && found[0].age < 90, String(found[0]?.age))
    const beat = (await read(0)).readUInt16BE()
    await until('the heartbeat changes', async () => (await read(0)).readUInt16BE() !== beat)

    // One device is added before it, and others are removed.
    simulator.set({ fleet: [freezer('52A10000', 'Added'), freezer('52A10001', 'Other')] })
    const left = { [FREEZER]: OK, [INSIDE]: MISSING, [PROBE]: MISSING, [ADDED]: OK }
    const registers = (await rowsAre(left)).map(({ register }) => register)
    assert.deepEqual(registers, [4, 8, 12, 16])

    // Soon old; and the service is away, which would otherwise report it.
    now = Math.floor(Date.now() / 1000) * 1000
    reading = { value: 5, age: STALE_AFTER - 3 }
    await until('it is read', async () => (await rows())[0]?.value === 5)
    simulator.set({ faults: [{ kind: 'status', status: 503 }] })
    await rowsAre({ [FREEZER]: STALE, [INSIDE]: MISSING, [PROBE]: MISSING, [ADDED]: STALE })
    await until('the failure is reported', () => hall.nodeRed.log().includes('[debug:what went wrong]'))

    client.close(() => {})
    await hall.nodeRed.kill()
    await hall.nodeRed.start()
    client = await connect(port)
    const all = [FREEZER, INSIDE, PROBE, ADDED]
    await until('the table is served', async () => (await read(0)).readUInt16BE(4) === all.length)
    const unknown = await rowsAre(Object.fromEntries(all.map((id) => [id, NO_RESPONSE])))
    assert.ok(unknown.every(({ value }) => Number.isNaN(value)))
    reading = { value: 6, age: 0 }
    simulator.set({ faults: [] })
    const again = await rowsAre(left)
    assert.deepEqual(
      again.map(({ register, value }) => [register, value]),
      [
        [4, 6],
        [8, Number.NaN],
        [12, Number.NaN],
        [16, 6],
      ],
    )
  })
})
