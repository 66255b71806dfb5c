import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import {
  type CurrentDefinition,
  type DeviceDefinition,
  manualClock,
  type Simulator,
  startSimulator,
} from '../../../simulator'
import type { BatteryLevel } from '../../../src/lib/readings/battery'
import { type Received, useBroker } from '../../support/broker'
import { rounds, useExamples } from '../../support/examples'
import { assertSame } from '../../support/same'
import { currentValues, type ReportedValue } from '../../support/truth'
import { until } from '../../support/wait'

const FLOW_MS = 180_000
const MINUTE = 60_000
const HOUR = 60 * MINUTE

const CHANNELS = 'MQTT/a topic per channel'
const HOME = 'MQTT/Home Assistant discovery'

const HOSTILE = 'a/+#"\n<b> 冷'
const FRIDGE = '52A10002'
const SILENT = '52A10003'
/** As in the flow: seconds after which Home Assistant considers a value that is not published again as lost. */
const EXPIRE_AFTER = 900

const BATTERY_LEVELS = Object.keys({
  'replace-now': null,
  'replace-soon': null,
  half: null,
  low: null,
  sufficient: null,
  unknown: null,
} satisfies Record<BatteryLevel, null>)

/** Records of each minute except for one device, with the time `newest`, and an unused probe. */
function fleet(now: number, newest: () => CurrentDefinition): DeviceDefinition[] {
  const records = { interval: 60, from: now / 1000 - 3600 }
  const inside = { num: 1, name: 'Inside', unit: 'C' }
  return [
    {
      serial: '52A10001',
      name: HOSTILE,
      group: { num: 1, name: 'Cold/store' },
      channels: [
        { num: 1, name: HOSTILE, unit: 'C' },
        { num: 2, name: 'Probe', unit: 'C', broken: 'Sensor Error' },
      ],
      records,
    },
    { serial: FRIDGE, name: '冷蔵庫', channels: [{ num: 1, name: '庫内', unit: '℃' }], records },
    { serial: SILENT, name: 'Silent', channels: [inside], records: [], current: newest },
    {
      serial: '52C10004',
      name: 'Remote',
      base: { serial: '5F0A1001', name: 'Hall 1' },
      channels: [
        { num: 1, unit: '%' },
        { num: 3, name: 'Air', unit: 'ppm' },
        { num: 4, name: 'Warmth', unit: 'C' },
      ],
      records,
    },
    {
      serial: '52A10005',
      name: 'Lamp',
      channels: [
        { num: 1, name: 'Light', unit: 'lx' },
        { num: 2, name: 'Sun', unit: 'klx' },
        { num: 3, name: 'Sum', unit: 'klxh' },
        { num: 4, name: 'Filling', unit: '%' },
      ],
      records,
    },
  ]
}

describe('examples to MQTT', () => {
  const harness = useExamples()
  const broker = useBroker()
  let simulator: Simulator
  /** Time of the last measurement of the device that may be silent. */
  let heard: number

  const newest = () => ({ unixtime: heard / 1000, values: { 1: 4.5 } })

  beforeEach(async () => {
    const now = Math.floor(Date.now() / MINUTE) * MINUTE
    heard = now
    simulator = await startSimulator({ clock: manualClock(now), limits: 'off', fleet: fleet(now, newest) })
  })

  afterEach(() => simulator?.close())

  const rows = () => currentValues(simulator)
  const topicOf = ({ base, serial, channel }: ReportedValue) => `envlog/${base}/${serial}/${channel}`
  const numbers = () =>
    rows().flatMap((row) => (row.value === null ? [] : { topic: topicOf(row), text: String(row.value) }))

  const stateOf = (row: ReportedValue) => {
    const { value, time, unit, error } = row
    const isSilent = Date.parse(time ?? '') < simulator.clock.now() - HOUR
    const state = isSilent ? 'silent' : value === null ? 'no value' : 'ok'
    const text = JSON.stringify({ state, time, unit, ...(error !== null && { error }) })
    return { topic: `${topicOf(row)}/state`, text }
  }
  const published = () => [...numbers(), ...rows().map(stateOf)]

  /** Waits for what a subscriber receives, and returns what a new subscriber then receives immediately. */
  async function retained(
    filter: string,
    done: (known: Map<string, string>) => boolean,
  ): Promise<Received[]> {
    const settled = async () => {
      const { received, end } = await broker().subscribe(filter)
      const known = () => new Map(received.map(({ topic, text }) => [topic, text]))
      await until(`the messages on ${filter}`, () => done(known())).catch(() => {})
      await end()
      return received
    }
    await settled()
    return (await settled()).filter((message) => message.retained)
  }

  /** A subscriber receives this, and so does a new one. */
  async function assertRetained(expected: { topic: string; text: string }[]): Promise<Received[]> {
    const all = await retained('envlog/#', (known) =>
      expected.every(({ topic, text }) => known.get(topic) === text),
    )
    const topics = expected.map(({ topic }) => topic)
    assertSame(
      all.filter(({ topic }) => topics.includes(topic)),
      expected.map((message) => ({ ...message, retained: true })),
    )
    return all
  }

  it('publish each channel on its own topic with its state and time, retained, only what changed, and all to a broker that was away', async function () {
    this.timeout(FLOW_MS)
    const service = (text = 'ok') => ({ topic: 'envlog/service', text })
    const status = (text = 'online') => ({ topic: 'envlog/status', text })
    const { received, end } = await broker().subscribe('envlog/#')
    const messages = () => received.map(({ topic, text }) => ({ topic, text }))
    const first = [...published(), service(), status()]
    await harness.deploy([CHANNELS], { simulator, broker: broker().node })
    await until('all channels are published', () => received.length >= first.length)
    // Messages sent before the broker was connected are sent again.
    await rounds(simulator, 2)
    const count = received.length
    for (const message of messages()) assert.ok(first.some((one) => isDeepStrictEqual(one, message)))
    await rounds(simulator, 2)
    assert.equal(received.length, count)

    simulator.clock.advance(3 * MINUTE)
    const second = published().filter((message) => !message.topic.includes(SILENT))
    await until('the new values are published', () => received.length >= count + second.length)
    await rounds(simulator, 2)
    assertSame(messages().slice(count), second)
    const all = await assertRetained([...published(), service(), status()])
    assert.equal(all.length, first.length)

    // A device is silent, and its value stays.
    heard -= 2 * HOUR
    await rounds(simulator, 2)
    await assertRetained([...published(), service(), status()])
    assert.ok(published().some(({ text }) => text.includes('silent')))

    // The service does not respond.
    simulator.set({ faults: [{ kind: 'status', status: 503 }] })
    const isOut = ({ topic, text }: Received) => topic === 'envlog/service' && text !== 'ok'
    await until('the service is reported', () => received.some(isOut))
    simulator.set({ faults: [] })
    await harness.press('ask')
    await until('it is back', () => messages().at(-1)?.topic === 'envlog/service')
    await end()

    // A broker that was away receives everything again.
    await broker().stop()
    simulator.clock.advance(MINUTE)
    await rounds(simulator, 2)
    await broker().startAgain()
    await assertRetained([...published(), service(), status()])
  })

  it('say of a service that accepts requests and does not answer them, before these fail', async function () {
    this.timeout(FLOW_MS)
    const { received, end } = await broker().subscribe('envlog/service')
    const said = (wanted: string) => until(wanted, () => received.at(-1)?.text === wanted)
    // Two seconds, instead of two minutes.
    const more = { 'envlog-account': { timeout: 600 }, trigger: { duration: '10', units: 's' } }
    await harness.deploy([CHANNELS], { simulator, broker: broker().node, more })
    await said('ok')
    simulator.set({ faults: [{ kind: 'silence' }] })
    await said('no response for 2 minutes')
    simulator.set({ faults: [] })
    // Nor does a start of Node-RED leave the text of earlier times.
    await harness.restart()
    await said('ok')
    await harness.nodeRed.stop()
    simulator.set({ faults: [{ kind: 'silence' }] })
    await harness.nodeRed.start()
    await said('no response for 2 minutes')
    await end()
  })

  it('mark the state of what is no longer read, also if its device has left the account while Node-RED was stopped', async function () {
    this.timeout(FLOW_MS)
    // Two seconds, instead of five minutes.
    const more = { trigger: { duration: '10', units: 's' } }
    await harness.deploy([CHANNELS], { simulator, broker: broker().node, more })
    await assertRetained(published())
    const [gone] = rows().filter(({ serial }) => serial === FRIDGE) as [ReportedValue]
    await harness.nodeRed.stop()
    const all = fleet(heard, newest)
    simulator.set({ fleet: all.filter(({ serial }) => serial !== FRIDGE) })
    await harness.nodeRed.start()
    const { topic, text } = stateOf(gone)
    await assertRetained([...published(), { topic, text: text.replace('"ok"', '"unknown"') }])
    simulator.set({ fleet: all })
    await assertRetained(published())
  })

  it('create sensors in Home Assistant, with names, units and availability', async function () {
    this.timeout(FLOW_MS)
    await harness.deploy([HOME], { simulator, broker: broker().node })
    const devices = [...new Set(rows().map(({ serial }) => serial))]
    const total = rows().length + 2 * devices.length
    const configs = await retained('homeassistant/#', (known) => known.size >= total)
    const all = configs.map(({ topic, text }) => ({ topic, ...JSON.parse(text) }))
    assert.equal(all.length, total)
    const sensors = all.filter(({ entity_category }) => entity_category === undefined)
    for (const serial of devices) {
      const [battery, measured] = ['battery', 'measured'].map((key) =>
        all.find(({ unique_id }) => unique_id === `envlog_${serial}_${key}`),
      )
      assert.deepEqual([battery.device_class, measured.device_class], ['enum', 'timestamp'])
      assert.deepEqual(battery.options.toSorted(), BATTERY_LEVELS.toSorted())
      assert.deepEqual(battery.device.identifiers, [`envlog_${serial}`])
    }
    const ofSilent = () => [
      { topic: `envlog/${SILENT}/${SILENT}/battery`, text: 'sufficient' },
      { topic: `envlog/${SILENT}/${SILENT}/measured`, text: new Date(heard).toISOString() },
      { topic: `envlog/${SILENT}/${SILENT}/measured/availability`, text: 'online' },
    ]
    for (const row of rows()) {
      const device = `envlog_${row.serial}`
      const id = `${device}_${row.channel}`
      const found = sensors.find(({ unique_id }) => unique_id === id)
      const topic = topicOf(row)
      assert.equal(found.topic, `homeassistant/sensor/${id}/config`)
      assert.equal(found.name, row.label)
      assert.equal(found.state_topic, topic)
      assert.deepEqual(found.availability, [{ topic: 'envlog/status' }, { topic: `${topic}/availability` }])
      assert.equal(found.device.name, row.name)
      assert.equal(found.device.suggested_area, row.group || undefined)
      assert.deepEqual(found.device.identifiers, [device])
      assert.equal(found.expire_after, EXPIRE_AFTER)
    }
    const kinds = new Set(sensors.map((sensor) => `${sensor.unit_of_measurement} ${sensor.device_class}`))
    const measured = ['°C temperature', '% humidity', 'ppm carbon_dioxide', 'lx illuminance']
    // Home Assistant does not accept klx for that class.
    const others = ['klx undefined', 'klxh undefined', '% undefined']
    assert.deepEqual([...kinds].toSorted(), [...measured, ...others].toSorted())
    const available = (offline: (row: ReportedValue) => boolean) =>
      rows().map((row) => ({
        topic: `${topicOf(row)}/availability`,
        text: offline(row) ? 'offline' : 'online',
      }))
    const status = { topic: 'envlog/status', text: 'online' }
    await assertRetained([status, ...numbers(), ...available(({ value }) => value === null), ...ofSilent()])

    heard -= 2 * HOUR
    const silent = ({ serial, value }: ReportedValue) => value === null || serial === SILENT
    await rounds(simulator, 2)
    await assertRetained([status, ...numbers(), ...available(silent), ...ofSilent()])

    await broker().stop()
    simulator.clock.advance(MINUTE)
    await rounds(simulator, 2)
    await broker().startAgain()
    await assertRetained([status, ...numbers(), ...available(silent)])
    const again = await retained('homeassistant/#', (known) => known.size >= total)
    assertSame(again, configs)

    // An unchanged value is published in each round, but no value while the service is silent.
    const onDemand = { 'envlog-current': { repeat: 0 } }
    await harness.deploy([HOME], { simulator, broker: broker().node, more: onDemand })
    const { received, end } = await broker().subscribe(topicOf(rows()[0] as ReportedValue))
    const published = () => received.filter(({ retained: isOld }) => !isOld).length
    // The flow also publishes when it connects to the broker.
    for (let count = 0; count < 3; count = published()) {
      await harness.press('ask')
      await until('the value is published', () => published() > count)
    }
    const before = published()
    simulator.set({ faults: [{ kind: 'status', status: 503 }] })
    await harness.press('ask')
    await until('the service was asked', () => simulator.log.at(-1)?.status === 503)
    simulator.set({ faults: [] })
    await harness.press('ask')
    await until('the next value is published', () => published() > before)
    assert.equal(published(), before + 1)
    await end()

    const isNow = (text: string) => retained('envlog/status', (known) => known.get('envlog/status') === text)
    await harness.nodeRed.stop()
    assert.deepEqual(await isNow('offline'), [{ ...status, text: 'offline', retained: true }])
    await harness.nodeRed.start()
    assert.deepEqual(await isNow('online'), [{ ...status, retained: true }])
  })

  it('create no sensor in Home Assistant if no device has a channel', async function () {
    this.timeout(FLOW_MS)
    simulator.set({ fleet: [{ serial: FRIDGE, name: 'Spare', records: [] }] })
    await harness.deploy([HOME], { simulator, broker: broker().node })
    await rounds(simulator, 3)
    const all = await retained('#', (known) => known.has('envlog/status'))
    assert.deepEqual(
      all.map(({ topic }) => topic),
      ['envlog/status'],
    )
  })

  it('keep a sensor whose device moves to another base unit, and distinguish two with the same serial number', async function () {
    this.timeout(FLOW_MS)
    const at = (...bases: string[]) => ({
      fleet: bases.map((serial) => ({
        serial: '52C10006',
        base: { serial, name: 'Hall' },
        channels: [{ num: 1, name: 'Inside', unit: 'C' }],
      })),
    })
    const sensors = (count: number) =>
      retained('homeassistant/#', (known) => known.size >= 3 * count).then((all) =>
        all
          .map(({ topic }) => topic.split('/')[2])
          .filter((id) => id?.endsWith('_1'))
          .toSorted(),
      )
    simulator.set(at('5F0A1001'))
    await harness.deploy([HOME], { simulator, broker: broker().node })
    assert.deepEqual(await sensors(1), ['envlog_52C10006_1'])
    simulator.set(at('5F0A1002'))
    await rounds(simulator, 2)
    assert.deepEqual(await sensors(1), ['envlog_52C10006_1'])
    simulator.set(at('5F0A1001', '5F0A1002'))
    const both = ['envlog_5F0A1001_52C10006_1', 'envlog_5F0A1002_52C10006_1']
    assert.deepEqual(await sensors(3), ['envlog_52C10006_1', ...both])
  })
})
