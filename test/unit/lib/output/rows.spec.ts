import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { Group } from '../../../../src/lib/decode/envelopes'
import { ROW_COLUMNS, rowsOf } from '../../../../src/lib/output/rows'
import type { ReadContent } from '../../../../src/lib/readings/content'
import { alerts, anyContent, current, GROUP, iso, kinds, RECORD_TIME, series, standalone } from './contents'

const channels = [
  { num: '1', name: 'Inside', unit: 'C' },
  { num: '2', name: '', unit: '' },
]
const data = [
  { unixtime: RECORD_TIME + 60, 'data-id': '8', ch1: 'E1' },
  { unixtime: RECORD_TIME, 'data-id': '7', ch1: '-18.4', ch2: '55' },
]
const device = {
  serial: '5212A1B2',
  name: 'Freezer 3',
  model: 'M-503',
  base: '5839F001',
  groupname: GROUP.name,
}

const rows = (content: ReadContent, group: Group | null) =>
  Array.from(rowsOf(content, group), ({ payload }) => payload)

describe('rows', () => {
  it('of records are one per channel value, oldest record first, channels in order', () => {
    const first = { ...device, time: iso(RECORD_TIME), timestamp: RECORD_TIME * 1000, dataid: 7 }
    const second = { ...device, time: iso(RECORD_TIME + 60), timestamp: (RECORD_TIME + 60) * 1000, dataid: 8 }
    assert.deepEqual(rows(series({ channel: channels, data }), GROUP), [
      { ...first, channel: 1, label: 'Inside', unit: '°C', quantity: 'temperature', value: -18.4 },
      { ...first, channel: 2, label: 'ch2', value: 55 },
      { ...second, channel: 1, label: 'Inside', unit: '°C', quantity: 'temperature', error: 'E1' },
      { ...second, channel: 2, label: 'ch2', error: 'missing' },
    ])
  })

  it('of current readings contain battery, rssi, age and stale too', () => {
    const value = { num: '1', name: 'Inside', value: '-18.4', unit: 'C' }
    const bad = { num: '2', name: 'Probe', value: 'Sensor Error', unit: '%' }
    const shared = {
      battery: 5,
      batterylevel: 'sufficient',
      rssi: -62,
      age: 42,
      stale: false,
      time: iso(RECORD_TIME),
      timestamp: RECORD_TIME * 1000,
    }
    assert.deepEqual(
      rows(current([{ channel: [value, bad] }]), { number: 2, name: 'of the list' }),
      [
        {
          ...device,
          ...shared,
          channel: 1,
          label: 'Inside',
          unit: '°C',
          quantity: 'temperature',
          value: -18.4,
        },
        {
          ...device,
          ...shared,
          channel: 2,
          label: 'Probe',
          unit: '%',
          quantity: 'humidity',
          error: 'Sensor Error',
        },
      ],
      "the group is each reading's own",
    )
  })

  it('of a reading that was measured just now have age 0', () => {
    const content = current([{}])
    for (const reading of content.readings) Object.assign(reading, { age: 0, rssi: 0 })
    for (const { age, rssi } of rows(content, null)) assert.deepEqual([age, rssi], [0, 0])
  })

  it('of alerts are one per text, without a group', () => {
    const { groupname: _, ...named } = device
    const shared = { ...named, time: iso(RECORD_TIME), timestamp: RECORD_TIME * 1000 }
    const celsius = { unit: '°C', quantity: 'temperature' }
    const entry = { unixtime: RECORD_TIME, ch1: 'Sensor Error', 'battery-level': 'Low' }
    assert.deepEqual(rows(alerts([entry]), GROUP), [
      {
        ...shared,
        source: 'ch1',
        channel: 1,
        label: 'Inside',
        ...celsius,
        kind: 'sensor-error',
        text: 'Sensor Error',
      },
      { ...shared, source: 'battery', kind: 'battery', text: 'Low' },
    ])
  })

  it('omit keys without a value', () => {
    const bare = { name: '', model: '', rssi: '', battery: '', group: [], unixtime: '', baseunit: [] }
    const channel = [{ num: '1', name: '', value: '', unit: '' }]
    assert.deepEqual(rows(current([{ ...bare, channel }]), null), [
      {
        serial: '5212A1B2',
        base: '5212A1B2',
        channel: 1,
        label: 'ch1',
        error: 'missing',
        stale: true,
      },
    ])
    const nameless = { name: '', model: '', channel: [{ num: 0, name: '', unit: '' }] }
    const ofRecord = (record: object) => rows(standalone({ ...nameless, data: [record] }), null)
    const row = { serial: '5212A1B2', base: '5212A1B2', channel: 1, label: 'ch1', value: 0 }
    assert.deepEqual(
      ofRecord({ ch1: 0, 'data-id': 0 }),
      [{ ...row, dataid: 0 }],
      'a value or an id of 0 is not empty',
    )
    assert.deepEqual(ofRecord({ ch1: 0 }), [row])
    const unlimited = current([{}])
    for (const reading of unlimited.readings) reading.stale = null
    assert.ok(!('stale' in (rows(unlimited, null)[0] ?? {})))
  })

  for (const kind of kinds) {
    it(`have known keys, in the order of the columns, and no null: ${kind}`, () => {
      const columns = ROW_COLUMNS[kind].split(',')
      fc.assert(
        fc.property(anyContent[kind], (content) => {
          for (const row of rows(content, GROUP)) {
            for (const [key, value] of Object.entries(row)) {
              assert.ok(columns.includes(key), key)
              assert.ok(typeof value !== 'object' && value !== undefined && value !== '', key)
            }
            assert.deepEqual(
              Object.keys(row),
              columns.filter((key) => key in row),
            )
            assert.ok(kind === 'alerts' || 'value' in row !== 'error' in row, 'a value or the reason')
          }
        }),
      )
    })
  }
})
