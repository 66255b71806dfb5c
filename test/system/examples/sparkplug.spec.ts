import assert from 'node:assert/strict'
import {
  type CurrentDefinition,
  type DeviceDefinition,
  manualClock,
  type Simulator,
  startSimulator,
} from '../../../simulator'
import { type Broker, startMosquitto } from '../../support/broker'
import { rounds, useExamples } from '../../support/examples'
import type { FlowNode } from '../../support/node-red'
import { type Host, type Line, type Metric, startHost, startLine } from '../../support/sparkplug'
import { until } from '../../support/wait'

const STARTING_MS = 120_000
const FLOW_MS = 90_000
/** After which a host that was not answered repeats its command. */
const REPEATED_MS = 2000
/** Stands in the flow. */
const STALE = 3600

const SPARKPLUG = 'Factory - needs sparkplug-payload/Sparkplug B'
const HOSTILE = 'a/+#"\n<b> 冷'
const FIRST = '52A10001'
const BROKEN = '52A10002'
const REMOTE = '52C10003'

const REBIRTH: Metric = { name: 'Node Control/Rebirth', type: 'Boolean', value: true }

/** Each test looks at it as a host application does, which holds it to the specification. */
describe('the example Sparkplug B', () => {
  const hall = useExamples()
  let broker: Broker
  let simulator: Simulator
  let line: Line
  let host: Host
  let fleet: Record<string, DeviceDefinition>
  /** What current tells of them, by serial. */
  let states: Record<string, CurrentDefinition>
  const now = () => Math.floor(Date.now() / 1000)

  before('starts a broker', async function () {
    this.timeout(STARTING_MS)
    broker = await startMosquitto()
  })

  after('ends it', () => broker?.close())

  const device = (serial: string, more: Partial<DeviceDefinition> = {}): DeviceDefinition => ({
    serial,
    name: `Device ${serial}`,
    channels: [{ num: 1, name: 'Inside', unit: 'C' }],
    records: [],
    current: () => states[serial] ?? { unixtime: now(), values: { 1: 20 } },
    ...more,
  })

  const change = (changes: Record<string, DeviceDefinition | undefined>) => {
    Object.assign(fleet, changes)
    simulator.set({ fleet: Object.values(fleet).filter((one) => one !== undefined) })
  }

  beforeEach(async () => {
    fleet = {
      first: device(FIRST, { name: HOSTILE, rssi: null, channels: [{ num: 1, name: HOSTILE, unit: 'C' }] }),
      broken: device(BROKEN, {
        channels: [
          { num: 1, name: 'Air', unit: '%' },
          { num: 3, name: 'Probe', unit: 'F', broken: 'Sensor Error' },
        ],
      }),
      remote: device(REMOTE, { base: { serial: '5F0A1001', name: 'Hall 1' }, battery: 2 }),
    }
    const at = now() - 60
    states = {
      [FIRST]: { unixtime: at, values: { 1: -18.5 } },
      [BROKEN]: { unixtime: at, values: { 1: 40, 3: 'Sensor Error' } },
      [REMOTE]: { unixtime: at, values: { 1: 4.25 } },
    }
    simulator = await startSimulator({
      clock: manualClock(Date.now()),
      limits: 'off',
      fleet: Object.values(fleet),
    })
    const port = Number(broker.node.port)
    line = await startLine(port)
    host = await startHost(port, 'Factory', 'envlog')
  })

  afterEach(async () => {
    await Promise.all([host?.end(), line?.close(), simulator?.close()])
    assert.deepEqual(host.violations, [])
    const numbers = line.connections.map(({ will }) => Number(will?.payload.metrics?.[0]?.value))
    assert.deepEqual(
      numbers,
      numbers.map((_number, index) => (Number(numbers[0]) + index) % 256),
    )
  })

  const deploy = () => hall.deploy([SPARKPLUG], { simulator, broker: { ...broker.node, port: line.port } })
  const deployChanged = async (type: string) => {
    const flow = await hall.json<FlowNode[]>('/flows')
    const changed = flow.map((node) => (node.type === type ? { ...node, name: `${node.name} again` } : node))
    const headers = { 'content-type': 'application/json', 'node-red-deployment-type': 'nodes' }
    await fetch(`${hall.url()}/flows`, { method: 'POST', headers, body: JSON.stringify(changed) })
  }
  const alive = () => [...host.devices].flatMap(([id, { isAlive }]) => (isAlive ? [id] : [])).toSorted()
  const isAlive = (...ids: string[]) =>
    until(`${ids.join()} are alive`, () => alive().join() === ids.toSorted().join())
  const metric = (id: string, name: string) => host.devices.get(id)?.metrics.get(name)
  const reset = (serial: string, values: CurrentDefinition['values'], age = 0) => {
    states[serial] = { unixtime: now() - age, values: values ?? {} }
  }

  it('bears its devices with types, units and times, and then tells what has changed, and nothing else', async function () {
    this.timeout(FLOW_MS)
    // The same remote unit under another base unit: an older reading.
    const moved = device(REMOTE, {
      base: { serial: '5F0A1002' },
      current: () => ({ unixtime: now() - 600, values: { 1: 99 } }),
    })
    change({ moved, silent: device('52A10004', { current: () => ({}) }) })
    await deploy()
    await isAlive(FIRST, BROKEN, REMOTE)
    const at = (serial: string) => Number(states[serial]?.unixtime) * 1000
    const double = (name: string, serial: string, value: number | null, engUnit: string, label: string) => {
      const error = value === null ? 'Sensor Error' : ''
      const text = (of: string) => ({ value: of, type: 'String' })
      const Quality = { value: value === null ? 0 : 192, type: 'Int32' }
      const properties = { engUnit: text(engUnit), label: text(label), Quality, error: text(error) }
      return { value, type: 'Double', name, timestamp: at(serial), properties }
    }
    assert.deepEqual(metric(FIRST, 'ch1'), double('ch1', FIRST, -18.5, '°C', HOSTILE))
    assert.deepEqual(metric(BROKEN, 'ch1'), double('ch1', BROKEN, 40, '%', 'Air'))
    assert.deepEqual(metric(BROKEN, 'ch3'), double('ch3', BROKEN, null, '°F', 'Probe'))
    assert.deepEqual(metric(REMOTE, 'ch1'), double('ch1', REMOTE, 4.25, '°C', 'ch1'))
    const others = (id: string) =>
      ['battery', 'rssi', 'Properties/Name', 'Properties/Base unit'].map((name) => {
        const { type, value, timestamp } = metric(id, name) ?? {}
        assert.equal(timestamp, at(id))
        return `${type} ${value}`
      })
    assert.deepEqual(others(FIRST), ['Int32 5', 'Int32 null', `String ${HOSTILE}`, `String ${FIRST}`])
    assert.deepEqual(others(REMOTE), ['Int32 2', 'Int32 4', `String Device ${REMOTE}`, 'String 5F0A1001'])

    // The same again, and with a new time alone.
    const count = host.heard.length
    await rounds(simulator, 2)
    reset(FIRST, { 1: -18.5 })
    await rounds(simulator, 2)
    assert.equal(host.heard.length, count)

    reset(FIRST, { 1: 'Sensor Error' })
    reset(BROKEN, { 1: 41, 3: 'Sensor Error' })
    await until('both are told', () => host.heard.length >= count + 2)
    assert.deepEqual(
      host.heard.slice(count).map(({ type, device: id, payload: { metrics = [] } }) => ({
        is: `${type} ${id}`,
        of: metrics.map(({ name, value, timestamp }) => ({ name, value, timestamp })),
      })),
      [
        { is: `DDATA ${FIRST}`, of: [{ name: 'ch1', value: null, timestamp: at(FIRST) }] },
        { is: `DDATA ${BROKEN}`, of: [{ name: 'ch1', value: 41, timestamp: at(BROKEN) }] },
      ],
    )
    assert.deepEqual(metric(FIRST, 'ch1')?.properties?.error, { value: 'Sensor Error', type: 'String' })
    reset(FIRST, { 1: -19 })
    await until('it is good again', () => metric(FIRST, 'ch1')?.properties?.Quality?.value === 192)
  })

  it('numbers more than 256 messages without a gap, and begins again when a host asks for it', async function () {
    this.timeout(FLOW_MS)
    const many = Array.from({ length: 140 }, (_, index) => `52A2${String(index).padStart(4, '0')}`)
    for (const serial of many) states[serial] = { unixtime: now(), values: { 1: 1 } }
    change(Object.fromEntries(many.map((serial) => [serial, device(serial)])))
    await deploy()
    await isAlive(FIRST, BROKEN, REMOTE, ...many)
    for (const serial of many) reset(serial, { 1: 2 })
    await until('all have new values', () => many.every((serial) => metric(serial, 'ch1')?.value === 2))
    assert.ok(host.heard.filter(({ payload }) => payload.seq === 0).length > 1)

    // What is no command to be born again changes nothing.
    const count = host.heard.length
    await host.command([{ ...REBIRTH, value: false }])
    await host.command([{ name: 'Node Control/Reboot', type: 'Boolean', value: true }])
    await host.command(Buffer.from('no payload of Sparkplug'))
    await host.command(Buffer.alloc(0))
    await rounds(simulator, 3)
    assert.equal(host.heard.length, count)

    const { bdSeq } = host
    await host.command([REBIRTH])
    await until('it is born again', () => host.count('NBIRTH') === 2)
    await isAlive(FIRST, BROKEN, REMOTE, ...many)
    assert.deepEqual(
      [host.bdSeq, host.count('DBIRTH'), host.count('DDEATH')],
      [bdSeq, 2 * (many.length + 3), 0],
    )
    // It goes on from there.
    reset(FIRST, { 1: -17 })
    await until('it goes on', () => metric(FIRST, 'ch1')?.value === -17)
    assert.equal(line.connections.length, 1)
  })

  it('tells of devices that fall silent, go, come back and change, also while the service is away', async function () {
    this.timeout(FLOW_MS)
    await deploy()
    await isAlive(FIRST, BROKEN, REMOTE)
    reset(FIRST, { 1: -18 }, STALE + 1)
    change({ remote: undefined })
    await isAlive(BROKEN)
    assert.deepEqual([host.count('DDEATH', FIRST), host.count('DDEATH', REMOTE)], [1, 1])
    // Silent and gone devices are not born again by a command either.
    await host.command([REBIRTH])
    await until('it is born again', () => host.count('DBIRTH', BROKEN) === 2)
    await rounds(simulator, 1)
    assert.deepEqual(alive(), [BROKEN])

    reset(FIRST, { 1: -17.5 })
    change({ remote: device(REMOTE), added: device('52A10005') })
    await isAlive(FIRST, BROKEN, REMOTE, '52A10005')
    assert.equal(metric(FIRST, 'ch1')?.value, -17.5)

    // Another unit, and a channel more: what a host knows of the device is replaced.
    const births = host.count('DBIRTH', FIRST)
    reset(FIRST, { 1: 0.5, 2: 30 })
    change({
      first: device(FIRST, {
        channels: [
          { num: 1, name: 'Inside', unit: 'F' },
          { num: 2, name: 'Air', unit: '%' },
        ],
      }),
    })
    await until('it is born again', () => host.count('DBIRTH', FIRST) > births)
    assert.equal(metric(FIRST, 'ch1')?.properties?.engUnit?.value, '°F')
    assert.equal(metric(FIRST, 'ch2')?.value, 30)
    assert.equal(host.count('DDEATH', FIRST), 1)

    // Nobody says any more that it is silent.
    const seconds = 10
    reset(FIRST, { 1: 1, 2: 30 }, STALE - seconds)
    await until('it has the last reading', () => metric(FIRST, 'ch1')?.value === 1)
    simulator.set({ faults: [{ kind: 'status', status: 503 }] })
    await isAlive(BROKEN, REMOTE, '52A10005')
    simulator.set({ faults: [] })
    reset(FIRST, { 1: 2, 2: 30 })
    await isAlive(FIRST, BROKEN, REMOTE, '52A10005')
  })

  it('is dead when its connection ends, however it ends, and born again with the next one', async function () {
    this.timeout(2 * FLOW_MS)
    await deploy()
    const isBack = async (why: string) => {
      await until(`it is born again: ${why}`, () => host.isOnline && alive().length === 3)
      const { clientId, isClean, will } = line.connections.at(-1) ?? {}
      assert.deepEqual([clientId, isClean], ['envlog-Factory-envlog', true])
      const { topic, qos, isRetained, payload } = will ?? {}
      assert.deepEqual([topic, qos, isRetained], ['spBv1.0/Factory/NDEATH/envlog', 1, false])
      assert.deepEqual(
        payload?.metrics?.map(({ name, type }) => [name, type]),
        [['bdSeq', 'Int64']],
      )
      assert.equal(payload?.metrics?.[0]?.value, host.bdSeq)
      reset(FIRST, { 1: line.connections.length })
      await until('it goes on', () => metric(FIRST, 'ch1')?.value === line.connections.length)
    }
    /** Broker and edge node may both say so. */
    const isDead = (why: string, bdSeq: number) =>
      until(`it is dead: ${why}`, () =>
        host.heard.some(({ type, payload }) => type === 'NDEATH' && payload.metrics?.[0]?.value === bdSeq),
      )
    await isBack('at first')

    line.cut()
    await isDead('the line was cut', 0)
    await isBack('the line was cut')

    await hall.kill()
    await isDead('it was killed', 1)
    assert.deepEqual(alive(), [])
    await hall.start()
    await isBack('it was killed')

    await hall.end()
    await isDead('it was ended', 2)
    assert.deepEqual(alive(), [])
    await hall.start()
    await isBack('it was ended')

    // As the button Deploy does.
    await deploy()
    await isDead('all was deployed', 3)
    await isBack('all was deployed')

    await broker.stop()
    await rounds(simulator, 2)
    await broker.startAgain()
    await isBack('the broker was away')
  })

  it('goes on when single nodes are changed and deployed, and hears commands again', async function () {
    this.timeout(FLOW_MS)
    await deploy()
    await isAlive(FIRST, BROKEN, REMOTE)
    for (const type of ['function', 'mqtt out', 'mqtt in', 'mqtt-broker', 'status', 'complete', 'inject']) {
      const value = -host.heard.length
      await deployChanged(type)
      reset(FIRST, { 1: value })
      // What is sent to a node that is closed just then is sent again.
      await until(`it goes on: ${type}`, () => metric(FIRST, 'ch1')?.value === value)
      const births = host.count('NBIRTH')
      // A command is lost before the mqtt in node has subscribed again: hosts repeat it.
      await until(`it is born again: ${type}`, async () => {
        await host.command([REBIRTH])
        return until('a birth', () => host.count('NBIRTH') > births, REPEATED_MS).catch(() => false)
      })
      await isAlive(FIRST, BROKEN, REMOTE)
    }
  })
})
