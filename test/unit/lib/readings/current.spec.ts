import assert from 'node:assert/strict'
import fc from 'fast-check'
import { type CurrentOptions, readCurrent } from '../../../../src/lib/readings/current'
import { BASE, currentDevice, currentEnvelope, type Json } from '../responses'

const measured = 1_795_161_600_000
const options: CurrentOptions = {
  receivedAt: measured + 42_000,
  time: 'utc',
  series1Models: [],
  staleAfter: null,
}

function reading(fields: Json, over: Partial<CurrentOptions> = {}) {
  const [one] = readCurrent(currentEnvelope(currentDevice(fields)), { ...options, ...over })
  assert.ok(one)
  return one
}

describe('a current reading', () => {
  it('is the element in docs/messages.md', () => {
    assert.deepEqual(reading({}), {
      serial: '5212A1B2',
      name: 'Freezer 3',
      model: 'M-503',
      number: 3,
      base: BASE,
      standalone: false,
      group: { number: 1, name: 'Cold chain' },
      time: '2026-11-20T08:00:00.000Z',
      timestamp: measured,
      utcOffset: 540,
      age: 42,
      stale: null,
      battery: { code: 5, level: 'sufficient' },
      rssi: -62,
      channels: [
        {
          key: 'ch1',
          number: 1,
          name: 'Inside',
          unit: '°C',
          quantity: 'temperature',
          value: -18.4,
          error: null,
        },
      ],
    })
  })

  it("keeps the service's order of devices and loses none", () => {
    const serials = ['9', '1', '5', '1'].map((digit) => digit.repeat(8))
    const found = readCurrent(currentEnvelope(...serials.map((serial) => currentDevice({ serial }))), options)
    assert.deepEqual(
      found.map(({ serial }) => serial),
      serials,
    )
  })

  it('has neither time nor age if the service has no measurement', () => {
    for (const unixtime of ['', '0', 0, null]) {
      const { time, timestamp, age } = reading({ unixtime })
      assert.deepEqual({ time, timestamp, age }, { time: null, timestamp: null, age: null })
    }
  })

  it('has an age that is never negative, in whole seconds', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e7, max: 1e7 }), (ms) => {
        const { age } = reading({}, { receivedAt: measured + ms })
        assert.equal(age, Math.max(0, Math.round(ms / 1000)))
        assert.ok(!Object.is(age, -0))
      }),
    )
  })

  it('is stale above the limit, or without a time; null if there is no limit', () => {
    assert.equal(reading({}, { staleAfter: 42 }).stale, false)
    assert.equal(reading({}, { staleAfter: 41 }).stale, true)
    assert.equal(reading({}, { staleAfter: 0, receivedAt: measured }).stale, false)
    assert.equal(reading({ unixtime: '' }, { staleAfter: 1e9 }).stale, true)
    assert.equal(reading({ unixtime: '' }).stale, null)
  })

  it('has no group only if its name is empty', () => {
    assert.deepEqual(reading({ group: { num: '0', name: 'Cold' } }).group, { number: 0, name: 'Cold' })
    assert.equal(reading({ group: { num: '4', name: '' } }).group, null)
    assert.equal(reading({ group: [] }).group, null)
    assert.equal(reading({ group: undefined }).group, null)
    assert.deepEqual(reading({ group: [{ num: '2', name: 'B' }] }).group, { number: 2, name: 'B' })
  })

  it('is standalone if the serials are equal, regardless of its number', () => {
    const own = { ...BASE, serial: '5212A1B2' }
    assert.equal(reading({ num: '1', baseunit: own }).standalone, true)
    assert.equal(reading({ num: '0' }).standalone, false)
  })

  it('has the battery level from the column for its kind', () => {
    const own = { ...BASE, serial: '5212A1B2' }
    const series1Models = ['M-5']
    assert.equal(reading({ battery: '4', baseunit: own }, { series1Models }).battery.level, 'low')
    assert.equal(reading({ battery: '4' }, { series1Models }).battery.level, 'replace-soon')
  })

  it("keeps the service's error text if a value is not a number", () => {
    const channel = [
      { num: '1', name: 'a', value: 'Sensor Error', unit: 'C' },
      { num: '3', name: 'b', value: '1013.2', unit: 'hPa' },
    ]
    assert.deepEqual(
      reading({ channel }).channels.map(({ key, value, error }) => [key, value, error]),
      [
        ['ch1', null, 'Sensor Error'],
        ['ch3', 1013.2, null],
      ],
    )
  })
})
