import assert from 'node:assert/strict'
import fc from 'fast-check'
import { pointsOf } from '../../../../src/lib/output/points'
import { rowsOf } from '../../../../src/lib/output/rows'
import { formatTopic } from '../../../../src/lib/output/topic'
import { FIELD_NAMES, type FieldNames } from '../../../../src/shared/outputs'
import { current, RECORD_TIME, series } from './contents'

const climate = [
  { num: 1, name: 'Inside', unit: 'C', value: '1' },
  { num: 2, name: 'Inside', unit: '℃', value: '2' },
  { num: 3, name: '', unit: '%', value: '3' },
  { num: 4, name: 'time', unit: 'pH', value: '4' },
  { num: 5, name: 'base', unit: 'pH', value: '5' },
  { num: 6, name: 'Inside', unit: 'C', value: '6' },
]
const fieldsBy = (fieldNames: FieldNames) =>
  [...pointsOf(current([{ channel: climate }]), { measurement: 'm', group: null, fieldNames })][0]?.payload
    .fields

describe("names of a device's channels", () => {
  it('are keys, labels or quantities as fields of points, without duplicates and names of tags', () => {
    assert.deepEqual(fieldsBy('channel'), { ch1: 1, ch2: 2, ch3: 3, ch4: 4, ch5: 5, ch6: 6 })
    assert.deepEqual(fieldsBy('label'), { Inside: 1, Inside_2: 2, ch3: 3, time_2: 4, base_2: 5, Inside_3: 6 })
    assert.deepEqual(fieldsBy('quantity'), {
      temperature: 1,
      temperature_2: 2,
      humidity: 3,
      ch4: 4,
      ch5: 5,
      temperature_3: 6,
    })
  })

  it('are the same in every record of a series', () => {
    const records = [RECORD_TIME, RECORD_TIME + 60].map((unixtime, id) => ({
      unixtime,
      'data-id': id,
      ch1: 1,
      ch2: 2,
    }))
    const content = series({ channel: climate, data: records })
    const points = pointsOf(content, { measurement: 'm', group: null, fieldNames: 'quantity' })
    assert.deepEqual(
      Array.from(points, ({ payload }) => payload.fields),
      [
        { temperature: 1, temperature_2: 2 },
        { temperature: 1, temperature_2: 2 },
      ],
    )
  })

  const template = 'a/{serial}/{label}/{quantity}'
  const oddities = [
    ...['', 'a', 'a_2', 'a/b', 'a+b', 'a_b', 'a\\', 'a ', 'ch1', 'ch2', '\n', ' ', '\u2028', 'time', '日本'],
    ...['__proto__', 'constructor', 'temperature', 'temperature_2', '$a', '_a', '$', '_', 'x'.repeat(5000)],
  ]
  const channels = fc.array(
    fc.record({
      num: fc.constantFrom(0, 1, 2, 3, 4, 50, '', 'x', null),
      name: fc.constantFrom(...oddities),
      unit: fc.constantFrom('C', '℃', 'Ｃ', ' °C ', '%', '％', '', 'ppm', 'x', '__proto__'),
      value: fc.constant('1'),
    }),
    { minLength: 1, maxLength: 6 },
  )

  it('give each value of a device its own topic and field, with any channel names', () => {
    fc.assert(
      fc.property(channels, fc.constantFrom(...FIELD_NAMES), (channel, fieldNames) => {
        const content = current([{ channel }])
        const rows = [...rowsOf(content, null)]
        assert.equal(rows.length, channel.length, 'none is lost')
        assert.equal(new Set(rows.map(({ payload }) => payload.channel)).size, rows.length)
        for (const part of [template, '{label}', '{quantity}', '{channel}']) {
          const topics = rows.map(({ subject }) => formatTopic(part, { account: 'A', ...subject }))
          assert.equal(new Set(topics).size, rows.length, `${topics}`)
        }
        const [point] = pointsOf(content, { measurement: 'm', group: null, fieldNames })
        assert.equal(Object.keys(point?.payload.fields ?? {}).length, rows.length)
      }),
      { numRuns: 500 },
    )
  })
})
