import assert from 'node:assert/strict'
import fc from 'fast-check'
import {
  createTimeFormatter,
  isTimestamp,
  MAX_TIMESTAMP_MS,
  readTimestamp,
  type TimeStyle,
} from '../../../../src/lib/decode/time'
import { graphEnvelope, type Json } from '../responses'

const noon = Date.UTC(2026, 10, 20, 12)

describe('the offset of a device', () => {
  const offsetOf = (fields: Json) => graphEnvelope({ serial: '5212A1B2', data: [], ...fields }).utcOffset

  it('is unknown if it is unreadable, or a day or more, which a time format cannot express', () => {
    for (const [timeDiff, stdBias, expected] of [
      [540, 899, 1439],
      [-1439, 0, -1439],
      [540, 900, null],
      [-900, -540, null],
    ])
      assert.equal(offsetOf({ 'time-diff': timeDiff, 'std-bias': stdBias }), expected)
    for (const blank of [null, ' ', [], {}])
      assert.equal(
        offsetOf({ 'time-diff': blank, time_diff: '330' }),
        330,
        'the other spelling if one is blank',
      )
    for (const wrong of [{ time_diff: 'GMT+9' }, { std_bias: '9:00' }, { 'dst-flg': 'on' }])
      assert.equal(offsetOf(wrong), null)
  })

  it('has the daylight saving time only if its flag is 1', () => {
    const fields = { 'time-diff': 60, 'std-bias': 5, 'dst-bias': 60 }
    const flags = [1, '1', 0, 2, ''].map((flag) => offsetOf({ ...fields, 'dst-flg': flag }))
    assert.deepEqual(flags, [120, 120, 65, 65, 65])
  })
})

describe('a time of a response', () => {
  it('is in seconds, rounded to milliseconds; none if it is blank or 0', () => {
    const times = [1.001, '1.001', 0, '', ' ', null, 'soon'].map(readTimestamp)
    assert.deepEqual(times, [1001, 1001, null, null, null, null, undefined])
  })

  it('is unreadable after the beginning of the year 9999', () => {
    const latest = MAX_TIMESTAMP_MS / 1000
    assert.deepEqual([latest, latest + 1].map(readTimestamp), [MAX_TIMESTAMP_MS, undefined])
  })
})

describe('a time of a message or of saved data', () => {
  it('is a number of milliseconds until the beginning of the year 9999, and no text', () => {
    const times = [0, -MAX_TIMESTAMP_MS, MAX_TIMESTAMP_MS, MAX_TIMESTAMP_MS + 1, Number.NaN, '0', null]
    assert.deepEqual(times.map(isTimestamp), [true, true, true, false, false, false, false])
  })
})

const formatTime = (timestamp: number | null, style: TimeStyle, offset: number | null) =>
  createTimeFormatter(style)(timestamp, offset)

describe('a formatted time', () => {
  it('is the instant to the millisecond, also before 1970', () => {
    const ms = fc.integer({ min: -MAX_TIMESTAMP_MS / 10, max: MAX_TIMESTAMP_MS - 86_400_000 })
    const instant = fc.oneof(
      ms,
      ms.map((time) => Math.floor(time / 1000) * 1000),
    )
    fc.assert(
      fc.property(instant, fc.integer({ min: -1439, max: 1439 }), (timestamp, offset) => {
        const text = formatTime(timestamp, 'local', offset) ?? ''
        assert.match(text, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d$/)
        assert.equal(Date.parse(text), timestamp)
      }),
    )
  })

  it("is UTC if the device's offset is unknown, and null without an instant", () => {
    const format = createTimeFormatter('local')
    const times = [null, 540, null].map((offset) => format(noon, offset))
    const utc = '2026-11-20T12:00:00.000Z'
    assert.deepEqual(times, [utc, '2026-11-20T21:00:00.000+09:00', utc])
    assert.equal(formatTime(null, 'local', 540), null)
  })
})
