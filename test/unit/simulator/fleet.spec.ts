import assert from 'node:assert/strict'
import type { Simulator } from '../../../simulator'
import { request, simulate, start, useSimulators } from './support'

const DAY_MS = 86_400_000

const latest = async (simulator: Simulator, serial: string) =>
  (await request(simulator, 'latest-data', { 'remote-serial': serial })).text

describe('simulator: the demo fleet', () => {
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
  /** The ids of the last three days. */
  const ids = (name: string) => {
    const { serial, base } = named(name)
    return simulator.truth.records(serial, base, start - 3 * DAY_MS).map(({ id }) => id)
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

  it('has ids that wrap around, have gaps, restart, and stay 0', () => {
    const steps = (name: string) =>
      new Set(ids(name).map((id, i, all) => (i === 0 ? 1 : id - (all[i - 1] ?? 0))))
    assert.deepEqual(steps('Rack A'), new Set([1, -65_535]))
    assert.deepEqual(steps('Rack B'), new Set([1, 4]))
    assert.deepEqual(new Set(ids('Server room')), new Set([0]))
    const restarted = ids('St. John’s store')
    assert.ok(restarted.includes(1))
    assert.ok((restarted[0] ?? 0) > 10_000)
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
})

describe('simulator: a seed', () => {
  useSimulators()
  it('determines devices, readings, alerts and credentials', async () => {
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
})

describe('simulator: custom fleets', () => {
  useSimulators()
  it('have daylight saving time as in their time zone', async () => {
    const zone = { timeDiff: -300, dstBias: 60, timeZone: 'America/New_York' }
    const simulator = await simulate({ fleet: [{ serial: '52000001', zone }] })
    const offset = () => simulator.truth.devices()[0]?.offset
    assert.equal(offset(), -300)
    simulator.clock.advance(Date.UTC(2026, 2, 8, 7) - start)
    assert.equal(offset(), -240)
  })
})
