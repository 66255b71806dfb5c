import assert from 'node:assert/strict'
import { type DeviceDefinition, manualClock, type Simulator, signals } from '../../../simulator'
import { office, remote, request, simulate, start, startSeconds, tiny, useSimulators } from './support'

/** For all records of all devices. */
const MANY_MS = 20_000
const minute = 60_000
const day = 86_400_000

const latest = async (simulator: Simulator, serial: string) =>
  (await request(simulator, 'latest-data', { 'remote-serial': serial })).text

describe('simulator: the demo fleet', function () {
  this.timeout(MANY_MS)
  useSimulators()
  let simulator: Simulator

  beforeEach(async () => {
    simulator = await simulate({ limits: 'off' })
  })

  const named = (name: string) => {
    const device = simulator.truth.devices().find((each) => each.name === name)
    assert.ok(device, name)
    return device
  }
  const recordsOf = (name: string, from?: number) => {
    const { serial, base } = named(name)
    return simulator.truth.records(serial, base, from)
  }

  it('has an example of everything', () => {
    const devices = simulator.truth.devices()
    const serials = devices.map((device) => device.serial)
    assert.equal(devices.length, 14)
    assert.equal(new Set(devices.map((device) => device.kind)).size, 5)
    assert.ok(new Set(serials).size < serials.length, 'a serial under two base units')
    assert.ok(devices.some((device) => device.timeDiff < 0 && device.timeDiff % 60 !== 0))
    assert.ok(devices.some((device) => device.group.num === 0 && device.group.name !== ''))
    assert.ok(devices.some((device) => device.group.name === ''))
    assert.ok(devices.some((device) => /\p{Script=Han}/u.test(device.name)))
    assert.ok(devices.some((device) => device.channels.length === 6))
    assert.ok(devices.some((device) => device.endpoints.length === 1 && device.kind === 'remote'))
    assert.deepEqual(
      named('Freezer truck').channels.map((channel) => channel.num),
      [1, 3],
    )
  })

  it('has a base unit in a zone with daylight saving time, and a device that measures in °F', async () => {
    const offsets: unknown[] = []
    for (const instant of [Date.UTC(2026, 2, 8, 6, 59), Date.UTC(2026, 2, 8, 7), Date.UTC(2026, 10, 1, 6)]) {
      simulator = await simulate({ limits: 'off', clock: manualClock(instant) })
      const { dst, offset, serial, base } = named('Freezer truck')
      const unit = { 'remote-serial': serial, 'base-serial': base }
      const { text } = await request(simulator, 'latest-data-relay', unit)
      offsets.push([dst, offset, JSON.parse(text)['dst-flg']])
    }
    assert.deepEqual(offsets, [
      [false, -300, '0'],
      [true, -240, '1'],
      [false, -300, '0'],
    ])
    const { channels } = named('Freezer truck')
    assert.equal(channels[0]?.unit, 'F')
    const values = recordsOf('Freezer truck')
      .slice(-300)
      .flatMap(({ values }) => values[1] ?? [])
    assert.ok(values.every((value) => typeof value === 'string' || (value > -10 && value < 30)))
  })

  it('has ids that wrap around, have gaps, restart, and stay 0', () => {
    const ids = (name: string) => recordsOf(name).map((record) => record.id)
    const steps = (name: string) =>
      new Set(ids(name).map((id, i, all) => (i === 0 ? 1 : id - (all[i - 1] ?? 0))))
    assert.deepEqual(steps('Rack A'), new Set([1, -65_535]))
    assert.deepEqual(steps('Rack B'), new Set([1, 4]))
    assert.deepEqual(new Set(ids('Server room')), new Set([0]))
    const restarted = ids('St. John’s store')
    assert.ok(restarted.includes(1))
    assert.ok((restarted[0] ?? 0) > 10_000)
  })

  it('has time gaps if ids are missing', () => {
    const records = recordsOf('Rack B')
    const gap = records.findIndex((record, i) => record.id - (records[i - 1]?.id ?? record.id) === 4)
    const spent = (records[gap]?.time ?? 0) - (records[gap - 1]?.time ?? 0)
    assert.ok(spent >= 480_000 && spent <= 481_000)
  })

  it('sometimes has an interval that is a second longer', () => {
    const records = recordsOf('Freezer 1', start - 3 * day)
    const steps = new Set(records.slice(1).map((record, i) => record.time - (records[i]?.time ?? 0)))
    assert.deepEqual(steps, new Set([600_000, 601_000]))
  })

  it('has a device without records, a silent one, and a probe that never worked', async () => {
    assert.equal(named('Spare').stored, 0)
    const silent = simulator.truth.current().find(({ serial }) => serial === named('Loading dock').serial)
    assert.ok((silent?.time ?? 0) < start - 8 * day)
    const { json } = await request(simulator, 'current', { 'remote-serial': [named('Freezer 1').serial] })
    assert.equal(json.devices[0].channel[1].value, 'Sensor Error')
    const { json: data } = await request(simulator, 'data', {
      'remote-serial': named('Freezer 1').serial,
      number: 1,
    })
    assert.equal(data.data[0].ch2, 'E1')
  })

  it('has realistic values', () => {
    const values = recordsOf('Freezer 1', start - 60 * day).map((record) => record.values[1])
    const numbers = values.filter((value) => typeof value === 'number').sort((a, b) => a - b)
    const median = numbers[Math.floor(numbers.length / 2)] ?? 0
    assert.ok(median > -20 && median < -16, `median ${median}`)
    assert.ok((numbers.at(-1) ?? 0) > -15, 'exceeds its upper limit occasionally')
    assert.ok((numbers[0] ?? 0) > -22)
    for (const { values: humidity } of recordsOf('Rack A'))
      assert.ok(Number(humidity[2]) > 0 && Number(humidity[2]) < 100)
  })

  it('has alerts that match its records', () => {
    const { serial } = named('Freezer 1')
    const alerts = simulator.truth.alerts(serial)
    assert.equal(alerts.length, 20)
    let limits = 0
    for (const { time, texts } of alerts) {
      const text = texts.ch1
      if (!text || /Sensor Error/.test(text)) continue
      const [record] = simulator.truth.records(serial, serial, time, time)
      const match = /^Freezer (Upper Limit|Returned to Normal): (-?[\d.]+) C \(Upper Limit -15.0 C\)$/.exec(
        text,
      )
      assert.ok(match, text)
      assert.equal(Number(match[2]), record?.values[1])
      assert.equal(Number(match[2]) > -15, match[1] === 'Upper Limit')
      limits++
    }
    assert.ok(limits > 5)
    const japanese = simulator.truth.alerts(named('冷蔵庫 受入口').serial)
    assert.ok(japanese.some(({ texts }) => /上限値/.test(texts.ch1 ?? '')))
  })

  it('grows with time, and keeps earlier records', async () => {
    const { serial } = named('冷蔵庫 受入口')
    const before = simulator.truth.records(serial, serial, start - 60 * minute)
    simulator.clock.advance(10 * minute)
    const after = simulator.truth.records(serial, serial, start - 60 * minute)
    assert.equal(after.length, before.length + 10)
    assert.deepEqual(after.slice(0, before.length), before)
    const { json } = await request(simulator, 'current', { 'remote-serial': [serial] })
    assert.equal(json.devices[0].unixtime * 1000, after.at(-1)?.time)
  })

  it('adds alerts as time passes, none ahead of time, and removes none', () => {
    for (const { serial, base, endpoints } of simulator.truth.devices()) {
      if (!endpoints.includes('alert')) continue
      let before = simulator.truth.alerts(serial, base)
      for (let step = 0; step < 15; step++) {
        simulator.clock.advance(2 * day + 7 * minute)
        const after = simulator.truth.alerts(serial, base)
        assert.ok((after[0]?.time ?? 0) <= simulator.clock.now())
        const oldest = after.at(-1)?.time ?? 0
        const times = new Map(after.map((entry) => [entry.time, entry.texts]))
        for (const { time, texts } of before) if (time > oldest) assert.deepEqual(times.get(time), texts)
        before = after
      }
    }
    const [newest] = simulator.truth.alerts(named('Freezer 1').serial)
    assert.ok((newest?.time ?? 0) > start + 29 * day)
  })
})

describe('simulator: what a seed determines', () => {
  useSimulators()
  it('devices, readings, alerts and credentials', async () => {
    const one = await simulate({ seed: 'a', devices: 40 })
    const two = await simulate({ seed: 'a', devices: 40 })
    const other = await simulate({ seed: 'b', devices: 40 })
    assert.deepEqual(two.account, one.account)
    assert.notEqual(other.account.apiKey, one.account.apiKey)
    const bodies = await Promise.all([one, two, other].map((each) => latest(each, '52A10001')))
    assert.equal(bodies[1], bodies[0])
    assert.notEqual(bodies[2], bodies[0])
    assert.deepEqual(two.truth.alerts('52A10001'), one.truth.alerts('52A10001'))
    assert.deepEqual(two.truth.devices(), one.truth.devices())
  })

  it('the same record, regardless of when the simulator was started', async () => {
    const early = await simulate()
    const late = await simulate({ clock: manualClock(start + 5 * day) })
    const from = start - day
    assert.deepEqual(
      late.truth.records('52A10001', '52A10001', from, start),
      early.truth.records('52A10001', '52A10001', from),
    )
  })
})

describe('simulator: fleets of any size', () => {
  useSimulators()
  for (const devices of [0, 1, 300, 5000]) {
    it(`of ${devices}`, async () => {
      const simulator = await simulate({ devices })
      const { json } = await request(simulator, 'current')
      assert.equal(json.devices.length, devices)
      const keys = json.devices.map((each: { serial: string; baseunit: { serial: string } }) => [
        each.serial,
        each.baseunit.serial,
      ])
      assert.equal(new Set(keys.map(String)).size, devices)
      for (const [serial] of keys) assert.equal(serial.length, 8)
    })
  }
})

describe('simulator: custom fleets', () => {
  useSimulators()
  const names = [
    '',
    'a,"b"\r\nc',
    '/+#',
    '__proto__',
    '<b>&amp;</b>',
    '名前',
    'x'.repeat(200),
    '\u0000\u202E',
  ]

  it('keep any names unchanged', async () => {
    const fleet = names.map((name, i) => tiny(1, { serial: `5200000${i}`, name, group: { num: 1, name } }))
    const simulator = await simulate({ fleet })
    const { json } = await request(simulator, 'current')
    assert.deepEqual(
      json.devices.map((device: { name: string; group: { name: string } }) => [
        device.name,
        device.group.name,
      ]),
      names.map((name) => [name, name]),
    )
  })

  it('need only a serial', async () => {
    const simulator = await simulate({ fleet: [{ serial: '52000001' }] })
    const { json } = await request(simulator, 'data', { 'remote-serial': '52000001', number: 1 })
    assert.equal(json.data.length, 1)
    assert.equal(typeof json.data[0].ch1, 'number')
  })

  it('generate records as defined', async () => {
    const device: DeviceDefinition = {
      serial: '52000001',
      channels: [
        { num: 1, signal: { mean: 5, decimals: 2 } },
        { num: 2, signal: signals.humidity },
      ],
      records: { interval: 60, from: startSeconds - 600, drift: 0, firstId: 100, until: startSeconds - 300 },
    }
    const simulator = await simulate({ fleet: [device] })
    const records = simulator.truth.records('52000001')
    assert.deepEqual(
      records.map(({ time, id, values }) => [(time - start) / 1000, id, values[1]]),
      [0, 1, 2, 3, 4, 5].map((i) => [-600 + 60 * i, 100 + i, 5]),
    )
    const { json } = await request(simulator, 'data-relay', {
      'remote-serial': '52000001',
      'base-serial': '52000001',
    })
    assert.equal(json.error.code, 400)
  })

  it('may define the current reading', async () => {
    const current = { unixtime: startSeconds + 5, values: { 1: 'No Data' } }
    const simulator = await simulate({ fleet: [tiny(1, { current })] })
    const { json } = await request(simulator, 'current')
    assert.deepEqual(
      [json.devices[0].unixtime, json.devices[0].channel[0].value],
      [String(startSeconds + 5), 'No Data'],
    )
  })

  it('may change while the simulator runs, and are restored by a reset', async () => {
    const simulator = await simulate({ fleet: [tiny(1)] })
    await request(simulator, 'data', { 'remote-serial': '52000001' })
    simulator.set({ fleet: [tiny(1, { name: 'New' }), remote()] })
    const { json } = await request(simulator, 'data', { 'remote-serial': '52000001' })
    assert.equal(json.name, 'New')
    simulator.reset()
    assert.equal(simulator.truth.devices().length, 1)
  })

  it('have alerts from a list or a function, as they arrive', () => {
    const alerts = [
      { unixtime: startSeconds - 50, texts: { ch1: 'old' } },
      { unixtime: startSeconds - 10, texts: { ch1: 'late' }, arrives: startSeconds + 30 },
    ]
    return simulate({
      fleet: [
        tiny(1, { alerts }),
        remote({ alerts: (now) => [{ unixtime: now, texts: { 'communication-status': 'lost' } }] }),
      ],
    }).then((simulator) => {
      assert.deepEqual(texts(simulator, '52000001'), [{ ch1: 'old' }])
      simulator.clock.advance(30_000)
      assert.deepEqual(texts(simulator, '52000001'), [{ ch1: 'late' }, { ch1: 'old' }])
      assert.deepEqual(simulator.truth.alerts('52000002', office.serial)[0]?.time, start + 30_000)
    })
  })

  it('are refused if they are invalid', async () => {
    const refuse = (fleet: unknown[], message: RegExp) =>
      assert.rejects(simulate({ fleet: fleet as DeviceDefinition[] }), message)
    await refuse([{}], /fleet\[0\].serial/)
    await refuse([{ serial: '52000001', nmae: 'x' }], /fleet\[0\].nmae/)
    await refuse([tiny(1), tiny(1)], /stands twice/)
    await refuse([{ serial: '52000001', kind: 'remote' }], /needs a base unit/)
  })
})

const texts = (simulator: Simulator, serial: string) =>
  simulator.truth.alerts(serial).map((entry) => entry.texts)
