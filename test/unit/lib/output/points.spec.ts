import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { Group } from '../../../../src/lib/decode/envelopes'
import { type PointOptions, pointsOf } from '../../../../src/lib/output/points'
import type { ReadContent } from '../../../../src/lib/readings/content'
import { HOSTILE, stored, storedTag } from '../../../support/outputs'
import { alerts, anyContent, current, GROUP, kinds, RECORD_TIME, series } from './contents'

const options = (over: Partial<PointOptions> = {}): PointOptions => ({
  measurement: 'envlog',
  fieldNames: 'channel',
  group: GROUP,
  ...over,
})
const points = (content: ReadContent, group: Group | null = GROUP) =>
  Array.from(pointsOf(content, options({ group })), ({ payload }) => payload)
const tags = { serial: '5212A1B2', name: 'Freezer 3', model: 'M-503', base: '5839F001', group: GROUP.name }
const channels = [
  { num: '1', name: 'Inside', unit: 'C' },
  { num: '3', name: 'Outside', unit: 'C' },
]

describe('points', () => {
  it('of records are one per record, with the numbers by channel key', () => {
    const data = [
      { unixtime: RECORD_TIME + 60, 'data-id': 2, ch1: 'E1', ch3: 4 },
      { unixtime: RECORD_TIME, 'data-id': 1, ch1: ' -18.40', ch3: 0 },
    ]
    assert.deepEqual(points(series({ channel: channels, data })), [
      {
        measurement: 'envlog',
        tags,
        fields: { ch1: -18.4, ch3: 0 },
        timestamp: new Date(RECORD_TIME * 1000),
      },
      { measurement: 'envlog', tags, fields: { ch3: 4 }, timestamp: new Date((RECORD_TIME + 60) * 1000) },
    ])
  })

  it('of current readings are one per device, with its own group', () => {
    const other = { serial: '5212A1B3', group: [], channel: [{ num: 2, name: 'x', value: '7', unit: '' }] }
    const { group: _, ...without } = tags
    assert.deepEqual(points(current([{}, other]), { number: 2, name: 'of the list' }), [
      { measurement: 'envlog', tags, fields: { ch1: -18.4 }, timestamp: new Date(RECORD_TIME * 1000) },
      {
        measurement: 'envlog',
        tags: { ...without, serial: '5212A1B3' },
        fields: { ch2: 7 },
        timestamp: new Date(RECORD_TIME * 1000),
      },
    ])
  })

  it('of alerts are one per text, with its source as a tag', () => {
    const entry = { unixtime: RECORD_TIME, ch1: 'Sensor Error', 'battery-level': 'Low' }
    const timestamp = new Date(RECORD_TIME * 1000)
    assert.deepEqual(points(alerts([entry])), [
      {
        measurement: 'envlog',
        tags: { ...tags, source: 'ch1' },
        fields: { text: 'Sensor Error', kind: 'sensor-error' },
        timestamp,
      },
      {
        measurement: 'envlog',
        tags: { ...tags, source: 'battery' },
        fields: { text: 'Low', kind: 'battery' },
        timestamp,
      },
    ])
  })

  it('do not exist for a record without a number or without a time', () => {
    const data = [
      { unixtime: RECORD_TIME, 'data-id': 1, ch1: 'E1', ch3: '' },
      { unixtime: '', 'data-id': 2, ch1: 1 },
      { unixtime: 0, 'data-id': 3, ch1: 1 },
    ]
    const content = series({ channel: channels, data })
    assert.equal(content.series.records.length, 3)
    assert.deepEqual(points(content), [])
    const bad = current([{ channel: [{ num: 1, name: '', value: 'E1', unit: '' }] }, { unixtime: '0' }])
    assert.deepEqual(points(bad), [])
    assert.deepEqual(points(alerts([{ unixtime: '', ch1: 'text' }])), [])
  })

  it('have no field with the name of a tag', () => {
    const names = ['serial', 'name', 'model', 'base', 'group', 'time']
    const channel = names.map((name, index) => ({ num: index + 1, name }))
    const values = Object.fromEntries(names.map((_, index) => [`ch${index + 1}`, index]))
    const content = series({ channel, data: [{ unixtime: RECORD_TIME, ...values }] })
    const [point] = [...pointsOf(content, options({ fieldNames: 'label' }))]
    assert.deepEqual(
      Object.keys(point?.payload.fields ?? {}),
      names.map((name) => `${name}_2`),
    )
  })

  it('leave out empty tags', () => {
    const nameless = { 'remote-name': '', 'remote-model': '  ', data: [{ unixtime: RECORD_TIME, ch1: 1 }] }
    assert.deepEqual(points(series(nameless), null)[0]?.tags, { serial: '5212A1B2', base: '5839F001' })
  })

  it('have tags that InfluxDB accepts, and plain objects, with any text of the service', () => {
    for (const text of HOSTILE) {
      const names = { 'remote-name': text, 'remote-model': text }
      const content = series({ ...names, data: [{ unixtime: RECORD_TIME, ch1: 1, [text]: 9 }] })
      const [point] = points(content, { number: 1, name: stored(text) })
      assert.ok(point)
      const { name, model, group } = point.tags
      const tag = storedTag(text) || undefined
      assert.deepEqual([name, model, group], [tag, tag, tag])
      assert.deepEqual(point.fields, { ch1: 1 })
      for (const part of [point.tags, point.fields])
        assert.equal(Object.getPrototypeOf(part), Object.prototype)
    }
  })

  for (const kind of kinds) {
    it(`have fields and a time: ${kind}`, () => {
      fc.assert(
        fc.property(anyContent[kind], (content) => {
          for (const { tags: found, fields, timestamp } of points(content)) {
            const tags = Object.values(found)
            assert.ok(tags.every((tag) => tag !== '' && !/[\0\r\n]|\\$/.test(tag)))
            const values = Object.values(fields)
            assert.ok(values.length > 0)
            const type = kind === 'alerts' ? 'string' : 'number'
            assert.ok(values.every((value) => typeof value === type && !Number.isNaN(value)))
            assert.ok(timestamp instanceof Date && Number.isFinite(timestamp.getTime()))
          }
        }),
      )
    })
  }
})
