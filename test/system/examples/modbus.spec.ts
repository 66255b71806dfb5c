import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { type DeviceDefinition, manualClock, type Simulator, startSimulator } from '../../../simulator'
import { ERRORS_FILE, rounds, useExamples, withErrorsFile } from '../../support/examples'
import type { FlowNode } from '../../support/node-red'
import { paletteFolder } from '../../support/palette'
import { freePort, HOST } from '../../support/server-process'
import { until } from '../../support/wait'

const FLOW_MS = 90_000

const REGISTERS = 'Factory Modbus - needs node-red-contrib-modbus/holding registers'
const TABLE = 'envlog-modbus.csv'

const HOSTILE = '=SUM(A1),"冷"\r\n4,"forged",400005'
const AIR_UNIT = '%, "rel"'
const BASE = { serial: '5F0A1001', name: 'Hall 1' }
const [NO_ANSWER, OK, STALE, ERROR, MISSING] = [0, 1, 2, 3, 4]
const UNKNOWN_AGE = 65535

interface Client {
  connectTCP(host: string, options: { port: number }): Promise<void>
  setID(id: number): void
  setTimeout(ms: number): void
  readHoldingRegisters(register: number, count: number): Promise<{ buffer: Buffer }>
  close(done: () => void): void
}

interface Row {
  register: number
  id: string
  value: number
  age: number
  status: number
  device: string
  channel: string
  unit: string
  base: string
}

describe('the example with Modbus registers', () => {
  let simulator: Simulator
  let open: Client[] = []

  const disconnect = () => {
    for (const client of open) client.close(() => {})
    open = []
  }

  // Before the flow is taken away: the server waits for those who are connected.
  afterEach(async () => {
    disconnect()
    await simulator.close()
  })

  const hall = useExamples({ examples: [REGISTERS] })
  let port: number
  let now: number

  /** What the service says of a channel that a test changes. */
  let reading: { value: number | string; age: number }

  const freezer = (serial: string, more: Partial<DeviceDefinition> = {}): DeviceDefinition => ({
    serial,
    name: `Freezer ${serial}`,
    channels: [{ num: 1, name: HOSTILE, unit: 'C' }],
    records: [],
    current: () => ({ unixtime: now / 1000 - reading.age, values: { 1: reading.value } }),
    ...more,
  })

  const remote = (serial: string): DeviceDefinition => ({
    serial,
    name: HOSTILE,
    base: BASE,
    channels: [
      { num: 1, unit: 'C' },
      { num: 2, unit: AIR_UNIT },
      { num: 4, unit: 'C', broken: 'Sensor Error' },
    ],
    records: [],
    current: () => ({ unixtime: now / 1000 - 90, values: { 1: 0.1, 2: 55.5, 4: 'Sensor Error' } }),
  })

  beforeEach(async () => {
    now = Math.floor(Date.now() / 1000) * 1000
    reading = { value: -18.4, age: 60 }
    port = await freePort()
    const fleet = [freezer('52A10001'), remote('52C10002'), freezer('52A10003', { channels: [] })]
    simulator = await startSimulator({ clock: manualClock(now), limits: 'off', fleet })
    for (const name of [TABLE, ERRORS_FILE]) rmSync(join(hall.userDir, name), { force: true })
  })

  const deploy = (change = (node: FlowNode): object => node) =>
    hall.deployWith([REGISTERS], { simulator, modbus: port }, (flow) =>
      withErrorsFile(flow).map((node) => ({ ...node, ...change(node) })),
    )

  const settings = (name: string, value: string) => (node: FlowNode) =>
    node.name === 'settings'
      ? {
          rules: (node.rules as { p: string }[]).map((rule) =>
            rule.p === name ? { ...rule, to: value } : rule,
          ),
        }
      : {}

  const errors = () =>
    existsSync(join(hall.userDir, ERRORS_FILE)) ? readFileSync(join(hall.userDir, ERRORS_FILE), 'utf8') : ''

  async function connect(): Promise<Client> {
    const Modbus = createRequire(join(await paletteFolder(), 'package.json'))('modbus-serial')
    const client: Client = new Modbus()
    client.setTimeout(30_000)
    await until('it can be connected to', () =>
      client.connectTCP(HOST, { port }).then(
        () => true,
        () => false,
      ),
    )
    client.setID(1)
    open.push(client)
    return client
  }

  const table = () => readFileSync(join(hall.userDir, TABLE), 'utf8')
  const tableRows = () => {
    const [head = '', ...lines] = table().replace('\ufeff', '').trimEnd().split('\r\n')
    assert.equal(head, 'register,id,value,age,status,device,channel,unit,base unit')
    return lines.map((line) =>
      [...line.matchAll(/("(?:[^"]|"")*"|[^,]+)(?:,|$)/g)].map(([, cell = '']) =>
        cell.replace(/^"|"$/g, '').replaceAll('""', '"'),
      ),
    )
  }

  /** All that the table names, read where it says. */
  async function rows(client: Client, float = (bytes: Buffer) => bytes.readFloatBE()): Promise<Row[]> {
    const found: Row[] = []
    for (const [
      register,
      id = '',
      value,
      age,
      status,
      device = '',
      channel = '',
      unit = '',
      base = '',
    ] of tableRows()) {
      const place = Number(value) - 400001
      assert.deepEqual([register, age, status].map(Number), [place, 400001 + place + 2, 400001 + place + 3])
      const { buffer } = await client.readHoldingRegisters(place, 4)
      found.push({
        ...{ register: place, id, device, channel, unit, base },
        value: float(buffer),
        age: buffer.readUInt16BE(4),
        status: buffer.readUInt16BE(6),
      })
    }
    return found
  }

  /** The rows, as soon as each has the status that is expected of it. */
  async function rowsAre(client: Client, expected: Record<string, number>): Promise<Row[]> {
    let found: Row[] = []
    const states = () => Object.fromEntries(found.map(({ id, status }) => [id, status]))
    await until('all have their status', async () => {
      found = existsSync(join(hall.userDir, TABLE)) ? await rows(client) : []
      return JSON.stringify(states()) === JSON.stringify(expected)
    }).catch(() => assert.deepEqual(states(), expected))
    return found
  }

  const header = async (client: Client) => {
    const { buffer } = await client.readHoldingRegisters(0, 4)
    return [0, 2, 4, 6].map((place) => buffer.readUInt16BE(place)) as [number, number, number, number]
  }

  const FREEZER = '52A10001/52A10001/1/°C'
  const INSIDE = '5F0A1001/52C10002/1/°C'
  const AIR = `5F0A1001/52C10002/2/${AIR_UNIT}`
  const PROBE = '5F0A1001/52C10002/4/°C'
  const ALL = { [FREEZER]: OK, [INSIDE]: OK, [AIR]: OK, [PROBE]: ERROR }

  it('holds value, age and status of each channel where its table says', async function () {
    this.timeout(FLOW_MS)
    await deploy()
    const client = await connect()
    const found = await rowsAre(client, ALL)
    const old = { [FREEZER]: 60, [INSIDE]: 90, [AIR]: 90, [PROBE]: 90 }
    const late = (Date.now() - now) / 1000
    for (const { id, age } of found) {
      const least = old[id as keyof typeof old]
      assert.ok(age >= least && age <= least + late + 2, `${id}: ${age}`)
    }
    const name = `'=SUM(A1),"冷"  4,"forged",400005`
    const of = (id: string, register: number, value: number, device: string, channel: string) => ({
      ...{ id, register, value: Math.fround(value), device, channel },
      unit: id.split('/')[3],
      base: id.startsWith('5F0A') ? 'Hall 1' : device,
    })
    assert.deepEqual(
      found.map(({ age: _age, status: _status, ...row }) => row),
      [
        of(FREEZER, 4, -18.4, 'Freezer 52A10001', name),
        of(INSIDE, 8, 0.1, name, 'ch1'),
        of(AIR, 12, 55.5, name, 'ch2'),
        of(PROBE, 16, Number.NaN, name, 'ch4'),
      ],
    )
    const [beat, sinceResponse, count, version] = await header(client)
    assert.ok(sinceResponse < 30, String(sinceResponse))
    assert.deepEqual([count, version], [4, 1])
    await until('the heart beats', async () => (await header(client))[0] !== beat)
    assert.equal(errors(), '')
  })

  it('moves no address, whatever comes, leaves, is renamed, measured in another unit, or restarted', async function () {
    this.timeout(FLOW_MS)
    await deploy()
    await rowsAre(await connect(), ALL)
    const addresses = () => new Map(tableRows().map(([register, id = '']) => [id, Number(register)]))
    const given = addresses()
    const assertKept = () => {
      for (const [id, register] of addresses()) {
        if (!given.has(id)) {
          assert.ok(register > Math.max(...given.values()), id)
          given.set(id, register)
        }
        assert.equal(register, given.get(id), id)
      }
      assert.equal(addresses().size, given.size)
    }

    // Before those that were there, with a new name and a channel more.
    const added = freezer('52A10000')
    const renamed = freezer('52A10001', {
      name: 'Other',
      channels: [
        { num: 1, name: 'Inside', unit: 'C' },
        { num: 2, name: 'Door', unit: 'V' },
      ],
    })
    simulator.set({ fleet: [added, renamed] })
    const client = await connect()
    const gone = { [INSIDE]: MISSING, [AIR]: MISSING, [PROBE]: MISSING }
    const more = { '52A10000/52A10000/1/°C': OK, '52A10001/52A10001/2/V': ERROR }
    const missing = await rowsAre(client, { [FREEZER]: OK, ...gone, ...more })
    assert.equal(missing[0]?.device, 'Other')
    for (const { status, value, age } of missing.filter((row) => row.status === MISSING))
      assert.deepEqual([status, value, age], [MISSING, Number.NaN, UNKNOWN_AGE])
    assertKept()

    // As an operator ends it, and without a word, beside a table that was half written.
    await hall.restart()
    await rowsAre(await connect(), { [FREEZER]: OK, ...gone, ...more })
    await hall.kill()
    writeFileSync(join(hall.userDir, `${TABLE}.new`), table().slice(0, 100))
    await hall.start()
    await rowsAre(await connect(), { [FREEZER]: OK, ...gone, ...more })
    assertKept()

    const inFahrenheit = freezer('52A10001', { channels: [{ num: 1, name: 'Inside', unit: 'F' }] })
    simulator.set({ fleet: [remote('52C10002'), inFahrenheit, added] })
    await rowsAre(await connect(), {
      ...ALL,
      [FREEZER]: MISSING,
      '52A10000/52A10000/1/°C': OK,
      '52A10001/52A10001/2/V': MISSING,
      '52A10001/52A10001/1/°F': OK,
    })
    assertKept()
    assert.equal(errors(), '')
  })

  it('says what is old, while the service is away too, and what is no number', async function () {
    this.timeout(FLOW_MS)
    await deploy(settings('staleAfter', '1000'))
    const client = await connect()
    await rowsAre(client, ALL)
    const only = async (state: typeof reading, status: number) => {
      reading = state
      return (await rowsAre(client, { ...ALL, [FREEZER]: status }))[0] as Row
    }
    assert.equal((await only({ value: 4, age: 1001 }, STALE)).value, 4)
    assert.equal((await only({ value: 4, age: -500 }, OK)).age, 0)
    assert.equal((await only({ value: 4, age: 100_000 }, STALE)).age, UNKNOWN_AGE)
    assert.ok(Number.isNaN((await only({ value: 1e300, age: 0 }, ERROR)).value))

    // Soon old; and nothing comes from the service any more that would say so.
    now = Math.floor(Date.now() / 1000) * 1000
    reading = { value: 5, age: 995 }
    await rounds(simulator, 1)
    simulator.set({ faults: [{ kind: 'status', status: 503 }] })
    const old = (await rowsAre(client, { ...ALL, [FREEZER]: STALE }))[0] as Row
    assert.ok(old.value === 5 && old.age > 1000, JSON.stringify(old))
    await until('the failure is reported', () => errors().includes('service'))

    await hall.restart()
    const again = await connect()
    await until('the table is served', async () => (await header(again))[2] === 4)
    const found = await rowsAre(again, Object.fromEntries(Object.keys(ALL).map((id) => [id, NO_ANSWER])))
    for (const { value, age } of found) assert.deepEqual([value, age], [Number.NaN, UNKNOWN_AGE])
    reading = { value: 6, age: 0 }
    simulator.set({ faults: [] })
    await rowsAre(again, ALL)
  })

  const swapped = { ABCD: [0, 1, 2, 3], CDAB: [2, 3, 0, 1], BADC: [1, 0, 3, 2], DCBA: [3, 2, 1, 0] }
  for (const [order, places] of Object.entries(swapped)) {
    it(`orders words and bytes as ${order}, where the settings say so`, async function () {
      this.timeout(FLOW_MS)
      await deploy(settings('wordOrder', order))
      const client = await connect()
      await rowsAre(client, ALL)
      const float = (bytes: Buffer) => Buffer.from(places.map((place) => bytes[place] ?? 0)).readFloatBE()
      assert.deepEqual(
        (await rows(client, float)).map(({ value }) => value),
        [-18.4, 0.1, 55.5, Number.NaN].map(Math.fround),
      )
    })
  }

  it('gives a client that stays connected over a deploy no value that grows old unseen', async function () {
    this.timeout(FLOW_MS)
    await deploy()
    const client = await connect()
    await rowsAre(client, ALL)
    await deploy()
    const memory = async (from: Client) => (await from.readHoldingRegisters(0, 20)).buffer
    assert.ok((await memory(client)).equals(Buffer.alloc(40)))
    const later = await connect()
    await rowsAre(later, ALL)
    assert.ok((await memory(client)).equals(Buffer.alloc(40)))
  })

  it('serves nothing and gives no address while its table is damaged, and says which line is', async function () {
    this.timeout(FLOW_MS)
    await deploy()
    await rowsAre(await connect(), ALL)
    const whole = table()
    const [head, ...lines] = whole.split('\r\n')
    for (const [damaged, line] of [
      ['', 1],
      [whole.slice(0, -3), 5],
      [[head, lines[0], 'x', ...lines.slice(2)].join('\r\n'), 3],
      [[head, lines[0], lines[0], ...lines.slice(2)].join('\r\n'), 3],
    ] as const) {
      rmSync(join(hall.userDir, ERRORS_FILE), { force: true })
      writeFileSync(join(hall.userDir, TABLE), damaged)
      disconnect()
      await deploy()
      await until('the error is reported', () => errors().includes(`Line ${line} of ${TABLE} is damaged`))
      const client = await connect()
      await rounds(simulator, 2)
      assert.equal(table(), damaged)
      assert.deepEqual((await header(client)).slice(2), [0, 1])
      assert.ok((await client.readHoldingRegisters(4, 16)).buffer.equals(Buffer.alloc(32)))
      writeFileSync(join(hall.userDir, TABLE), whole)
      await rowsAre(client, ALL)
    }
  })

  it('serves a channel when its address is written, and writes the table again if it is gone', async function () {
    this.timeout(FLOW_MS)
    await deploy()
    const client = await connect()
    await rowsAre(client, ALL)
    const obstacle = join(hall.userDir, `${TABLE}.new`)
    mkdirSync(obstacle)
    reading = { value: 7, age: 60 }
    simulator.set({ fleet: [freezer('52A10001'), remote('52C10002'), freezer('52A10009')] })
    await until('the error is reported', () => errors().includes(`${TABLE}.new`))
    await until('others go on', async () => (await rows(client))[0]?.value === 7)
    assert.equal((await header(client))[2], 4)
    rmdirSync(obstacle)
    await rowsAre(client, { ...ALL, '52A10009/52A10009/1/°C': OK })
    const whole = table()
    rmSync(join(hall.userDir, TABLE))
    await until('it is there again', () => existsSync(join(hall.userDir, TABLE)) && table() === whole)
  })

  it('reads a table that a spreadsheet has saved, serves the last register, and says when there is no other', async function () {
    this.timeout(FLOW_MS)
    const last = [
      'register,id,value,age,status,device,channel,unit,base unit',
      `65532,${FREEZER},465533,465535,465536,,,°C,`,
    ]
    writeFileSync(join(hall.userDir, TABLE), `${last.join('\n')}\n`)
    await deploy()
    await until('it is written again', () => table().startsWith('\ufeff'))
    const [row] = await rowsAre(await connect(), { [FREEZER]: OK })
    assert.equal(row?.value, Math.fround(-18.4))
    await until('the error is reported', () => errors().includes('there is none for 3 channels'))
  })

  it('serves 300 devices of four channels, read as a PLC reads them', async function () {
    this.timeout(FLOW_MS)
    const channels = [1, 2, 3, 4].map((num) => ({ num, name: `ch${num}`, unit: 'C' }))
    const fleet = Array.from({ length: 300 }, (_, index): DeviceDefinition => {
      const values = Object.fromEntries(channels.map(({ num }) => [num, index + num / 8]))
      const current = () => ({ unixtime: now / 1000, values })
      return { serial: `52B1${String(index).padStart(4, '0')}`, channels, records: [], current }
    })
    simulator.set({ fleet })
    await deploy()
    const client = await connect()
    await until('all are there', async () => (await header(client))[2] === 1200)
    const found: number[] = []
    for (let register = 4; register < 4 + 4800; register += 120) {
      const { buffer } = await client.readHoldingRegisters(register, 120)
      for (let at = 0; at < buffer.length; at += 8) {
        assert.equal(buffer.readUInt16BE(at + 6), OK)
        found.push(buffer.readFloatBE(at))
      }
    }
    assert.deepEqual(
      found,
      fleet.flatMap((_, index) => channels.map(({ num }) => index + num / 8)),
    )
  })

  it('says that the port is taken', async function () {
    this.timeout(FLOW_MS)
    port = simulator.port
    await deploy()
    await until('the error is reported', () => errors().includes('The Modbus server cannot listen'))
  })
})
