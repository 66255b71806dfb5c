import assert from 'node:assert/strict'
import { type DeviceDefinition, type EventDefinition, manualClock, type Simulator } from '../../../simulator'
import { request, send, simulate, start, startSeconds, useSimulators } from './support'

const SERIAL = '52000001'
const MINUTE_MS = 60_000

/** A freezer without noise, whose limit is -15. */
const freezer = (events: EventDefinition[], more: Partial<DeviceDefinition> = {}): DeviceDefinition => ({
  serial: SERIAL,
  channels: [
    { num: 1, name: 'Inside', unit: 'C', signal: { mean: -18, upperLimit: -15 } },
    { num: 2, signal: { mean: 20 } },
  ],
  records: { interval: 600, from: startSeconds - 3600, drift: 0 },
  transmission: 10,
  events,
  ...more,
})

const newest = (simulator: Simulator, serial = SERIAL, base = serial) => {
  const reading = simulator.truth.current().find((each) => each.serial === serial && each.base === base)
  return { age: (simulator.clock.now() - (reading?.time ?? 0)) / 1000, values: reading?.values ?? {} }
}

const post = (simulator: Simulator, value: unknown) => {
  const body = JSON.stringify(value)
  const headers = { 'Content-Type': 'application/json' }
  return send(simulator, 'POST', '/simulator/events', headers, body)
}

describe('simulator: events of a device', () => {
  useSimulators()

  it('a door: the value rises above its limit and returns, in current, records and alert log', async () => {
    const event: EventDefinition = { kind: 'door', from: startSeconds, until: startSeconds + 120 }
    const simulator = await simulate({ fleet: [freezer([event])] })
    const values: unknown[] = []
    for (const seconds of [0, 60, 60, 60, 180]) {
      simulator.clock.advance(seconds * 1000)
      values.push(newest(simulator).values[1])
      assert.equal(newest(simulator).values[2], 20)
    }
    assert.deepEqual(values, [-18, -8.5, -5, -16.2, -18])
    assert.deepEqual(
      simulator.truth.alerts(SERIAL).map(({ time, texts }) => [(time - start) / 1000, texts.ch1]),
      [
        [170, 'Inside Returned to Normal: -15.6 C (Upper Limit -15.0 C)'],
        [20, 'Inside Upper Limit: -13.7 C (Upper Limit -15.0 C)'],
      ],
    )
    const { json } = await request(simulator, 'alert', { 'remote-serial': SERIAL, 'base-serial': SERIAL })
    assert.equal(json['alert-logs'].length, 2)
    const records = { interval: 60, from: startSeconds - 60, drift: 0 }
    simulator.set({ fleet: [freezer([event], { records })] })
    assert.deepEqual(
      simulator.truth
        .records(SERIAL)
        .slice(0, 4)
        .map(({ values: measured }) => measured[1]),
      [-18, -18, -8.5, -5],
    )
  })

  it('silence: nothing arrives, the service reports the device missing, and receives the measurements later', async () => {
    const event: EventDefinition = { kind: 'silence', from: startSeconds, until: startSeconds + 1800 }
    const simulator = await simulate({ fleet: [freezer([event])] })
    const before = simulator.truth.records(SERIAL).length
    simulator.clock.advance(29 * MINUTE_MS)
    assert.equal(newest(simulator).age, 29 * 60)
    assert.equal(simulator.truth.records(SERIAL).length, before)
    assert.deepEqual(simulator.truth.alerts(SERIAL), [
      { time: start + 30_000, texts: { 'communication-status': 'Communication Error' } },
    ])
    simulator.clock.advance(MINUTE_MS)
    assert.equal(newest(simulator).age, 0)
    assert.equal(simulator.truth.records(SERIAL).length, before + 3)
    assert.equal(simulator.truth.alerts(SERIAL)[0]?.texts['communication-status'], 'Communication Restored')
  })

  it('a broken sensor: an error text instead of a number, in current, records and alert log', async () => {
    const event: EventDefinition = { kind: 'sensor', from: startSeconds + 5, until: startSeconds + 1200 }
    const simulator = await simulate({ fleet: [freezer([event])] })
    const before = simulator.truth.records(SERIAL).length
    simulator.clock.advance(11 * MINUTE_MS)
    const { json } = await request(simulator, 'current')
    const texts = json.devices[0].channel.map(({ value }: { value: string }) => value)
    assert.deepEqual(texts, ['Sensor Error', '20'])
    assert.deepEqual(simulator.truth.records(SERIAL)[before]?.values, { 1: 'E1', 2: 20 })
    assert.deepEqual(simulator.truth.alerts(SERIAL), [
      { time: start + 10_000, texts: { ch1: 'Inside Sensor Error' } },
    ])
    simulator.clock.advance(9 * MINUTE_MS)
    assert.equal(newest(simulator).values[1], -18)
    assert.equal(simulator.truth.newestRecords(1, SERIAL)[0]?.values[1], -18)
  })

  it('a battery runs low', async () => {
    const simulator = await simulate({ fleet: [freezer([{ kind: 'battery', from: startSeconds + 60 }])] })
    const battery = async () => (await request(simulator, 'current')).json.devices[0].battery
    assert.equal(await battery(), '5')
    simulator.clock.advance(MINUTE_MS)
    assert.equal(await battery(), '2')
    assert.deepEqual(simulator.truth.alerts(SERIAL)[0]?.texts, { 'battery-level': 'Low Battery: level 2' })
  })
})

describe('simulator: events that hold data back', () => {
  useSimulators()
  let simulator: Simulator

  /** Minutes from the start of the test to each record; one a minute. */
  const minutes = () =>
    simulator.truth.records(SERIAL, SERIAL, start).map(({ time }) => (time - start) / MINUTE_MS)
  const advance = (count: number) => simulator.clock.advance(count * MINUTE_MS)
  const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i)
  const change = (kind: string, more: object = {}) => post(simulator, { serial: SERIAL, kind, ...more })
  const over = { over: true }

  beforeEach(async () => {
    const records = { interval: 60, from: startSeconds - 3600, drift: 0 }
    simulator = await simulate({ fleet: [freezer([], { records })] })
  })

  it('a batch: nothing arrives between uploads, in current and records', async () => {
    await change('batch')
    advance(9)
    assert.deepEqual([minutes(), newest(simulator).age], [[0], 9 * 60])
    advance(1)
    assert.deepEqual([minutes(), newest(simulator).age], [numbers(0, 10), 0])
    advance(5)
    assert.deepEqual([minutes(), newest(simulator).age], [numbers(0, 10), 5 * 60])
    assert.deepEqual(simulator.truth.alerts(SERIAL), [])
  })

  it('a late block: new records arrive first, then the block', async () => {
    await change('late', { minutes: 4 })
    advance(10)
    assert.deepEqual([minutes(), newest(simulator).age], [[0], 10 * 60])
    await change('late', over)
    assert.deepEqual([minutes(), newest(simulator).age], [[0, 10], 0])
    advance(3)
    assert.deepEqual(minutes(), [0, 10, 11, 12, 13])
    advance(1)
    assert.deepEqual([minutes(), newest(simulator).age], [numbers(0, 14), 0])
  })
})

describe('simulator: the story', () => {
  useSimulators()
  const FREEZER = '52A10001'
  const RACK_A = ['52C10008', '5F0A1001'] as const
  const RACK_B = ['52C10009', '5F0A1001'] as const

  const seen = (simulator: Simulator) => ({
    isWarm: Number(newest(simulator, FREEZER).values[1]) > -15,
    isSilent: newest(simulator, ...RACK_B).age > 60,
    isEmpty: simulator.truth.devices().find(({ name }) => name === 'Rack A')?.battery === 2,
  })

  // The freezer defrosts every six hours.
  for (const hour of [0, 9]) {
    it(`is reported within three minutes, at any start time: at ${hour}:15`, async () => {
      const begin = Date.UTC(2026, 0, 15, hour, 15)
      const simulator = await simulate({ story: true, clock: manualClock(begin) })
      const alerts = (serial: string, base?: string) =>
        simulator.truth
          .alerts(serial, base)
          .filter(({ time }) => time >= begin)
          .map(({ texts }) => texts)
      assert.deepEqual(seen(simulator), { isWarm: false, isSilent: false, isEmpty: false })
      simulator.clock.advance(MINUTE_MS)
      assert.deepEqual(seen(simulator), { isWarm: true, isSilent: false, isEmpty: false })
      simulator.clock.advance(2 * MINUTE_MS)
      assert.deepEqual(seen(simulator), { isWarm: false, isSilent: true, isEmpty: true })
      assert.deepEqual(
        alerts(FREEZER).map(({ ch1 = '' }) => /Upper Limit:|Returned/.exec(ch1)?.[0]),
        ['Returned', 'Upper Limit:'],
      )
      assert.ok(alerts(...RACK_B).some((texts) => texts['communication-status'] === 'Communication Error'))
      assert.ok(alerts(...RACK_A).some((texts) => texts['battery-level'] === 'Low Battery: level 2'))
    })
  }
})
