import assert from 'node:assert/strict'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { type DeviceDefinition, manualClock, type Simulator, startSimulator } from '../../../simulator'
import { readExample, useExamples } from '../../support/examples'
import type { FlowNode } from '../../support/node-red'
import { until } from '../../support/wait'
import { unitWithBrokenProbe } from './broken-probe'
import { type Plc, startPlc } from './plc'

const STARTING_MS = 300_000
const FLOW_MS = 180_000

const BLOCK = 'Factory S7 - needs node-red-contrib-s7/data block'
const TABLE = 'envlog-s7.csv'
const HOSTILE = '=SUM(A1),"冷"\r\n8,"forged",DBD8'
const [NO_RESPONSE, OK, STALE, ERROR, MISSING] = [0, 1, 2, 3, 4]
/** Elements of the parts that are written. */
const PART = 26
const ELEMENT = 8

interface Row {
  id: string
  offset: number
  value: number
  age: number
  status: number
}

describe('the example with an S7 PLC', () => {
  const harness = useExamples({ examples: [BLOCK] })
  let simulator: Simulator
  let plc: Plc
  /** What the freezer measures, and how long ago (s). */
  let freezing = { value: -18.4, age: 60 }

  const inside = { num: 1, name: 'Inside', unit: 'C' }
  const freezer: DeviceDefinition = {
    serial: '52A10001',
    name: 'Freezer',
    channels: [inside],
    records: [],
    current: () => ({
      unixtime: Math.floor(Date.now() / 1000) - freezing.age,
      values: { 1: freezing.value },
    }),
  }
  const remote = unitWithBrokenProbe(HOSTILE)
  const others = Array.from(
    { length: PART },
    (_, at): DeviceDefinition => ({
      serial: `52D1${(0x1000 + at).toString(16).toUpperCase()}`,
      name: `Room ${at}`,
      channels: [inside],
      records: [],
      current: () => ({ unixtime: Math.floor(Date.now() / 1000), values: { 1: at + 0.5 } }),
    }),
  )

  before('starts the PLC', async function () {
    this.timeout(STARTING_MS)
    // Two parts: nothing is written behind them.
    plc = await startPlc(2 * PART * ELEMENT)
  })

  after(() => plc?.stop())

  beforeEach(async () => {
    rmSync(join(harness.nodeRed.userDir, TABLE), { force: true })
    freezing = { value: -18.4, age: 60 }
    const fleet = [freezer, remote, ...others]
    simulator = await startSimulator({ clock: manualClock(Date.now()), limits: 'off', fleet })
  })

  afterEach(() => simulator?.close())

  const table = () => readFileSync(join(harness.nodeRed.userDir, TABLE), 'utf8')

  /** What the PLC has at the addresses of the table. */
  const rows = async (): Promise<Row[]> => {
    const data = await plc.data()
    return [...table().matchAll(/^(\d+),"([^"]+)",(\w+),(\w+),(\w+),/gm)].map(
      ([, first, id = '', ...addresses]) => {
        const offset = Number(first)
        assert.deepEqual(addresses, [`DBD${offset}`, `DBW${offset + 4}`, `DBW${offset + 6}`])
        return {
          id,
          offset,
          value: data.readFloatBE(offset),
          age: data.readUInt16BE(offset + 4),
          status: data.readUInt16BE(offset + 6),
        }
      },
    )
  }

  /** Waits until the first rows are so. */
  const rowsAre = async (...expected: [id: string, status: number, value?: number][]) => {
    const wanted = expected.map(([id, status, value = Number.NaN], at) => ({
      id,
      offset: ELEMENT * (at + 1),
      value: Math.fround(value),
      status,
    }))
    const found = async () => (await rows()).slice(0, wanted.length).map(({ age: _, ...row }) => row)
    await until('the data block is as expected', async () =>
      isDeepStrictEqual(await found().catch(() => []), wanted),
    ).catch(async () => assert.deepEqual(await found(), wanted))
  }

  const FREEZER = '52A10001/52A10001/1/°C'
  const AIR = '5F0A1001/52C10002/1/°C'
  const PROBE = '5F0A1001/52C10002/4/°C'

  it('has as many parts, and the description as many bytes and channels, as the data block of the instructions', () => {
    const flow = readExample(BLOCK)
    const endpoint = flow.find(({ type }) => type === 's7 endpoint')
    const parts = endpoint?.vartable as { addr: string; name: string }[]
    assert.deepEqual(
      parts.map(({ addr, name }) => [addr, name]),
      parts.map((_, at) => [`DB100,BYTE${at * PART * ELEMENT}.${PART * ELEMENT}`, `part ${at + 1}`]),
    )
    const rules = flow.find(({ name }) => name === 'settings')?.rules as { p: string; to: string }[]
    assert.equal(rules.find(({ p }) => p === 'parts')?.to, String(parts.length))
    const elements = parts.length * PART
    for (const { info } of flow.filter(({ type }) => type === 'comment'))
      for (const number of [elements, elements - 1, elements * ELEMENT, parts.length])
        assert.match(String(info), new RegExp(`\\b${number.toLocaleString('en-US')}\\b`))
  })

  it('says how many channels find no place', async function () {
    this.timeout(FLOW_MS)
    const more = { 's7 endpoint': { port: String(plc.port) } }
    const withOnePart = (flow: FlowNode[]) =>
      flow.map((node) => {
        if (node.name !== 'settings') return node
        const rules = node.rules as { p: string; to: string }[]
        return { ...node, rules: rules.map((rule) => (rule.p === 'parts' ? { ...rule, to: '1' } : rule)) }
      })
    await harness.deploy([BLOCK], { simulator, more }, withOnePart)
    const left = 3 + others.length - (PART - 1)
    await until('it says so', () => harness.nodeRed.log().includes(`there is no place for ${left} channels`))
    await rowsAre([FREEZER, OK, -18.4], [AIR, OK, 0.1], [PROBE, ERROR])
    assert.equal((await rows()).length, PART - 1)
  })

  it('writes value, age and status of each channel to the documented addresses, also after the PLC was away', async function () {
    this.timeout(FLOW_MS)
    const more = { 's7 endpoint': { port: String(plc.port) } }
    await harness.deploy([BLOCK], { simulator, more })
    await rowsAre([FREEZER, OK, -18.4], [AIR, OK, 0.1], [PROBE, ERROR])
    // The second part is written after the first.
    const measured = others.map((_, at) => [at + 0.5, OK])
    const all = await until('all are written', async () => {
      const found = await rows()
      return (
        isDeepStrictEqual(
          found.slice(3).map(({ value, status }) => [value, status]),
          measured,
        ) && found
      )
    })
    const [{ age = 0 } = {}] = all
    assert.ok(age >= 60 && age < 90, String(age))
    assert.ok(table().includes(`,"'=SUM(A1),""冷"" 8,""forged"",DBD8",`), table())
    const data = await plc.data()
    const [beat, sinceResponse, count, layout] = [0, 2, 4, 6].map((at) => data.readUInt16BE(at))
    assert.deepEqual([count, layout], [all.length, 1])
    assert.ok(Number(sinceResponse) < 60, String(sinceResponse))
    await until('the heart beats', async () => (await plc.data()).readUInt16BE(0) !== beat)

    const errors = () => harness.nodeRed.log().split('[debug:what went wrong]').length
    const before = errors()
    await plc.stop()
    await until('it is an error', () => errors() > before)
    freezing = { value: -17.3, age: 4000 }
    await plc.startAgain()
    await rowsAre([FREEZER, STALE, -17.3], [AIR, OK, 0.1])

    // A removed device keeps its place, before and after a restart during which the service does not respond.
    simulator.set({ fleet: [remote] })
    await rowsAre([FREEZER, MISSING], [AIR, OK, 0.1])
    simulator.set({ faults: [{ kind: 'status', status: 503 }] })
    await harness.restart()
    await rowsAre([FREEZER, NO_RESPONSE], [AIR, NO_RESPONSE])
  })
})
