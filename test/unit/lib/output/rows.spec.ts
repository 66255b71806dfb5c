import assert from 'node:assert/strict'
import fc from 'fast-check'
import { countRows, ROW_COLUMNS, rowsOf, rowsWithSubjects } from '../../../../src/lib/output/rows'
import { CSV_COLUMNS as COLUMNS, HOSTILE, stored } from '../../../support/outputs'
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
  groupname: GROUP,
}

describe('rows', () => {
  it('have the columns of docs/messages.md, in lower case', () => {
    assert.equal(ROW_COLUMNS.series.join(), COLUMNS.latest)
    assert.equal(ROW_COLUMNS.series.join(), COLUMNS.range)
    assert.equal(ROW_COLUMNS.current.join(), COLUMNS.current)
    assert.equal(ROW_COLUMNS.alerts.join(), COLUMNS.alerts)
    for (const kind of kinds) {
      assert.ok(ROW_COLUMNS[kind].every((column) => /^[a-z]+$/.test(column)))
      assert.equal(new Set(ROW_COLUMNS[kind]).size, ROW_COLUMNS[kind].length)
    }
  })

  it('of records are one per channel value, oldest record first, channels in order', () => {
    const first = { ...device, time: iso(RECORD_TIME), timestamp: RECORD_TIME * 1000, dataid: 7 }
    const second = { ...device, time: iso(RECORD_TIME + 60), timestamp: (RECORD_TIME + 60) * 1000, dataid: 8 }
    assert.deepEqual(
      [...rowsOf(series({ channel: channels, data }), GROUP)],
      [
        { ...first, channel: 1, label: 'Inside', unit: '°C', quantity: 'temperature', value: -18.4 },
        { ...first, channel: 2, label: 'ch2', value: 55 },
        { ...second, channel: 1, label: 'Inside', unit: '°C', quantity: 'temperature', error: 'E1' },
        { ...second, channel: 2, label: 'ch2', error: 'missing' },
      ],
    )
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
      [...rowsOf(current([{ channel: [value, bad] }]), 'of the list')],
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
      'the group is each reading’s own',
    )
  })

  it('of a reading that was measured just now have age 0', () => {
    const content = current([{}])
    for (const reading of content.readings) Object.assign(reading, { age: 0, rssi: 0 })
    for (const { age, rssi } of rowsOf(content, '')) assert.deepEqual([age, rssi], [0, 0])
  })

  it('of alerts are one per text, without unit and group', () => {
    const { groupname: _, ...named } = device
    const shared = { ...named, time: iso(RECORD_TIME), timestamp: RECORD_TIME * 1000 }
    const entry = { unixtime: RECORD_TIME, ch1: 'Sensor Error', 'battery-level': 'Low' }
    assert.deepEqual(
      [...rowsOf(alerts([entry]), GROUP)],
      [
        { ...shared, source: 'ch1', channel: 1, label: 'Inside', kind: 'sensor-error', text: 'Sensor Error' },
        { ...shared, source: 'battery', kind: 'battery', text: 'Low' },
      ],
    )
  })

  it('omit keys without a value', () => {
    const bare = { name: '', model: '', rssi: '', battery: '', group: [], unixtime: '', baseunit: [] }
    const channel = [{ num: '1', name: '', value: '', unit: '' }]
    assert.deepEqual(
      [...rowsOf(current([{ ...bare, channel }]), '')],
      [
        {
          serial: '5212A1B2',
          base: '5212A1B2',
          channel: 1,
          label: 'ch1',
          error: 'missing',
          stale: true,
        },
      ],
    )
    const record = { ch1: 0, 'data-id': 0 }
    const nameless = { name: '', model: '', channel: [{ num: 0, name: '', unit: '' }], data: [record] }
    assert.deepEqual(
      [...rowsOf(standalone(nameless), '')],
      [{ serial: '5212A1B2', base: '5212A1B2', channel: 1, label: 'ch1', value: 0, dataid: 0 }],
      'a value or an id of 0 is not empty',
    )
  })

  it('do not exist for a device without channels or records', () => {
    assert.deepEqual([...rowsOf(series({ channel: [], data: [] }), GROUP)], [])
    assert.deepEqual([...rowsOf(series({ channel: channels, data: [] }), GROUP)], [])
    assert.deepEqual([...rowsOf(current([{ channel: [] }]), '')], [])
    assert.deepEqual([...rowsOf(alerts([]), '')], [])
  })

  it('have the device’s local time if times are local', () => {
    const [row] = rowsOf(series({ channel: channels, data }, 'local'), '')
    assert.equal(row?.time, '2026-11-20T17:00:00.000+09:00')
    assert.equal(row?.timestamp, RECORD_TIME * 1000)
  })

  it('are about their channel, with its unit, and the group', () => {
    const [row] = rowsWithSubjects(series({ channel: channels, data }), GROUP)
    assert.deepEqual(row?.subject, {
      serial: '5212A1B2',
      name: 'Freezer 3',
      base: '5839F001',
      group: GROUP,
      channel: { number: 1, label: 'Inside', unit: '°C', quantity: 'temperature' },
    })
    const [alert] = rowsWithSubjects(
      alerts([{ unixtime: RECORD_TIME, 'communication-status': 'lost' }]),
      GROUP,
    )
    assert.deepEqual(alert?.subject, {
      serial: '5212A1B2',
      name: 'Freezer 3',
      base: '5839F001',
      group: GROUP,
    })
  })

  for (const text of HOSTILE) {
    it(`treat hostile text as plain text: ${JSON.stringify(text)}`, () => {
      const channel = [{ num: '1', name: text, value: text, unit: text }]
      const fields = { name: text, model: text, group: { num: 1, name: text }, channel }
      const [row] = rowsOf(current([fields]), '')
      const { name, model, groupname, label, unit, error } = row ?? {}
      const found = [name, model, groupname, label]
      assert.deepEqual(
        found,
        found.map(() => stored(text)),
      )
      assert.equal(unit, stored(text).trim() || undefined)
      assert.equal(error, text.trim() === '' ? 'missing' : stored(text))
      assert.equal(Object.getPrototypeOf(row), Object.prototype)
    })
  }

  for (const kind of kinds) {
    it(`are as many as announced, with known keys and without null: ${kind}`, () => {
      const columns = new Set<string>(ROW_COLUMNS[kind])
      fc.assert(
        fc.property(anyContent[kind], (content) => {
          const rows = [...rowsOf(content, GROUP)]
          assert.equal(rows.length, countRows(content))
          for (const row of rows) {
            for (const [key, value] of Object.entries(row)) {
              assert.ok(columns.has(key), key)
              assert.ok(typeof value !== 'object' && value !== undefined && value !== '', key)
            }
            const order = ROW_COLUMNS[kind].filter((key) => key in row)
            assert.deepEqual(Object.keys(row), order, 'in the order of the columns')
            assert.ok(kind === 'alerts' || 'value' in row !== 'error' in row, 'a value or the reason')
          }
        }),
      )
    })
  }
})
