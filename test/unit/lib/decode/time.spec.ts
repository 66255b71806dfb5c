import assert from 'node:assert/strict'
import fc from 'fast-check'
import {
  createTimeFormatter,
  MAX_TIMESTAMP_MS,
  readTimestamp,
  type TimeStyle,
} from '../../../../src/lib/decode/time'
import { TimeZone } from '../../../../src/shared/local-clock'
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
    assert.equal(offsetOf({ 'time-diff': ' ', time_diff: '330' }), 330, 'the other spelling if one is blank')
    for (const wrong of [{ time_diff: 'GMT+9' }, { std_bias: '9:00' }, { 'dst-flg': 'on' }])
      assert.equal(offsetOf(wrong), null)
  })
})

const formatTime = (timestamp: number | null, style: TimeStyle, offset: number | null) =>
  createTimeFormatter(style)(timestamp, offset)

describe('a formatted time', () => {
  it('is the same instant in every style, with milliseconds', () => {
    assert.equal(formatTime(noon, 'utc', 540), '2026-11-20T12:00:00.000Z')
    assert.equal(formatTime(noon, 'local', 345), '2026-11-20T17:45:00.000+05:45')
    assert.equal(formatTime(noon, 'local', -210), '2026-11-20T08:30:00.000-03:30')
    assert.equal(formatTime(noon, new TimeZone('Europe/Berlin'), null), '2026-11-20T13:00:00.000+01:00')
  })

  it('is the instant to the millisecond, also before 1970', () => {
    const instant = fc.integer({ min: -MAX_TIMESTAMP_MS / 10, max: MAX_TIMESTAMP_MS - 86_400_000 })
    fc.assert(
      fc.property(instant, fc.integer({ min: -1439, max: 1439 }), (timestamp, offset) => {
        const text = formatTime(timestamp, 'local', offset) ?? ''
        assert.match(text, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d$/)
        assert.equal(Date.parse(text), timestamp)
      }),
    )
  })

  it("is UTC if the device's offset is unknown, and null without an instant", () => {
    assert.equal(formatTime(noon, 'local', null), '2026-11-20T12:00:00.000Z')
    assert.equal(formatTime(null, 'local', 540), null)
  })
})

describe('the instant of a record', () => {
  it('is undefined for anything else', () => {
    for (const value of ['soon', '2026-11-20', {}, [], true, 1e300, '1e300'])
      assert.equal(readTimestamp(value), undefined)
  })
})
