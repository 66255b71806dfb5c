import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { connectAsync, type MqttClient } from 'mqtt'
import {
  type CurrentDefinition,
  type DeviceDefinition,
  manualClock,
  type Simulator,
  startSimulator,
} from '../../../simulator'
import { useBroker } from '../../support/broker'
import { rounds, useExamples } from '../../support/examples'
import { paletteFolder } from '../../support/palette'
import { until } from '../../support/wait'

const STARTING_MS = 300_000
const FLOW_MS = 180_000
/** As in the flow. */
const STALE_SECONDS = 3600

const SPARKPLUG = 'Factory - needs sparkplug-payload/Sparkplug B'
const HOSTILE = 'a/+#"\n<b> 冷'
const FIRST = '52A10001'
const REMOTE = '52C10003'
/** Two remote units have this serial number. */
const TWICE = '52C10004'
const HALLS = ['5F0A1001', '5F0A1002']

interface Metric {
  name: string
  type: string
  value: unknown
  timestamp?: number
  properties?: Record<string, { type: string; value: unknown }>
}

interface Heard {
  /** `DDATA 52A10001` */
  what: string
  seq?: number
  metrics: Metric[]
}

describe('the example Sparkplug B', () => {
  const harness = useExamples()
  const broker = useBroker()
  let simulator: Simulator
  /** The client of a host application. */
  let client: MqttClient
  let codec: { encodePayload(payload: object): Uint8Array; decodePayload(bytes: Uint8Array): object }
  /** Everything that was published, oldest first. */
  let heard: Heard[]
  /** The service's data for the devices, by serial. */
  let states: Record<string, CurrentDefinition>
  const now = () => Math.floor(Date.now() / 1000)

  before('finds the codec', async function () {
    this.timeout(STARTING_MS)
    codec = createRequire(join(await paletteFolder(), 'package.json'))('sparkplug-payload').get('spBv1.0')
  })

  const device = (serial: string, more: Partial<DeviceDefinition>): DeviceDefinition => ({
    serial,
    name: HOSTILE,
    records: [],
    ...more,
    current: () => states[serial] ?? {},
  })

  beforeEach(async () => {
    states = {
      [FIRST]: { unixtime: now() - 60, values: { 1: -18.5, 3: 'Sensor Error' } },
      [REMOTE]: { unixtime: now() - 60, values: { 1: 4.25 } },
    }
    const fleet = [
      device(FIRST, {
        channels: [
          { num: 1, name: HOSTILE, unit: 'C' },
          { num: 3, unit: 'F', broken: 'Sensor Error' },
        ],
      }),
      device(REMOTE, { base: { serial: '5F0A1001' }, channels: [{ num: 1, name: 'Inside', unit: 'C' }] }),
      ...HALLS.map((serial, index) => ({
        serial: TWICE,
        base: { serial },
        channels: [{ num: 1, unit: 'C' }],
        records: [],
        current: { unixtime: now() - 60, values: { 1: index === 0 ? 'Sensor Error' : -18 } },
      })),
    ]
    simulator = await startSimulator({ clock: manualClock(Date.now()), limits: 'off', fleet })
    heard = []
    client = await connectAsync(`mqtt://127.0.0.1:${broker().node.port}`)
    client.on('message', (topic: string, bytes: Buffer) => {
      const [, , type, , serial] = topic.split('/')
      // 64-bit numbers arrive as objects.
      const plain = (_key: string, value: object | null) =>
        typeof value === 'object' && value !== null && 'unsigned' in value ? Number(String(value)) : value
      const payload = JSON.parse(JSON.stringify(codec.decodePayload(bytes), plain))
      heard.push({ what: [type, serial].filter(Boolean).join(' '), metrics: [], ...payload })
    })
    await client.subscribeAsync(['NBIRTH', 'NDEATH', 'DBIRTH', 'DDATA', 'DDEATH'].map(filter), { qos: 1 })
  })

  afterEach(async () => {
    await Promise.all([client?.endAsync(), simulator?.close()])
  })

  const filter = (type: string) => `spBv1.0/Factory/${type}/#`
  const count = (what: string) => heard.filter((one) => one.what === what).length
  const last = (what: string) => heard.findLast((one) => one.what === what)
  const waitForCount = (what: string, wanted: number) =>
    until(`${what}: ${wanted}`, () => count(what) >= wanted)
  const valuesOf = (what: string) =>
    Object.fromEntries((last(what)?.metrics ?? []).map(({ name, value }) => [name, value]))
  const set = (serial: string, values: CurrentDefinition['values'], age = 0) => {
    states[serial] = { unixtime: now() - age, values: values ?? {} }
  }

  it('announces births and changes of its devices, obeys commands, and is reported dead after a kill', async function () {
    this.timeout(FLOW_MS)
    await harness.deploy([SPARKPLUG], { simulator, broker: broker().node })
    await waitForCount(`DBIRTH ${REMOTE}`, 1)
    await rounds(simulator, 2)
    assert.deepEqual(
      heard.map(({ what }) => what),
      ['NBIRTH', ...[FIRST, REMOTE, ...HALLS.map((base) => `${base}_${TWICE}`)].map((id) => `DBIRTH ${id}`)],
    )
    assert.deepEqual(
      HALLS.map((base) => valuesOf(`DBIRTH ${base}_${TWICE}`).ch1),
      [null, -18],
    )
    const [inside] = last(`DBIRTH ${FIRST}`)?.metrics ?? []
    const text = (value: string) => ({ type: 'String', value })
    assert.deepEqual(inside, {
      name: 'ch1',
      type: 'Double',
      value: -18.5,
      timestamp: Number(states[FIRST]?.unixtime) * 1000,
      properties: {
        engUnit: text('°C'),
        label: text(HOSTILE),
        error: text(''),
        Quality: { type: 'Int32', value: 192 },
      },
    })
    assert.equal(valuesOf(`DBIRTH ${FIRST}`).ch3, null)

    // A new time alone is not a change.
    set(FIRST, { 1: -18.5, 3: 'Sensor Error' })
    await rounds(simulator, 2)
    set(REMOTE, { 1: 5 })
    await waitForCount(`DDATA ${REMOTE}`, 1)
    assert.deepEqual(valuesOf(`DDATA ${REMOTE}`), { ch1: 5 })
    assert.equal(count(`DDATA ${FIRST}`), 0)

    // While the service fails, the node cannot report that the device is silent, so the flow must notice it.
    set(FIRST, { 1: -17, 3: 'Sensor Error' }, STALE_SECONDS - 5)
    await waitForCount(`DDATA ${FIRST}`, 1)
    simulator.set({ faults: [{ kind: 'status', status: 503 }] })
    await waitForCount(`DDEATH ${FIRST}`, 1)
    simulator.set({ faults: [] })
    set(FIRST, { 1: -16, 3: 'Sensor Error' })
    await harness.press('ask')
    await waitForCount(`DBIRTH ${FIRST}`, 2)

    const rebirth = { name: 'Node Control/Rebirth', type: 'Boolean', value: true }
    const command = codec.encodePayload({ timestamp: Date.now(), metrics: [rebirth] })
    await client.publishAsync('spBv1.0/Factory/NCMD/envlog', Buffer.from(command))
    await waitForCount(`DBIRTH ${FIRST}`, 3)
    assert.equal(valuesOf('NBIRTH').bdSeq, 0)

    await harness.nodeRed.stop('SIGKILL')
    await waitForCount('NDEATH', 1)
    assert.deepEqual(valuesOf('NDEATH'), { bdSeq: 0 })
    await harness.nodeRed.start()
    await waitForCount(`DBIRTH ${FIRST}`, 4)
    assert.equal(valuesOf('NBIRTH').bdSeq, 1)

    const numbered = heard.filter(({ what }) => what !== 'NDEATH')
    for (const [at, { what, seq }] of numbered.entries())
      assert.equal(seq, what === 'NBIRTH' ? 0 : (numbered[at - 1]?.seq ?? 0) + 1, what)
  })
})
