import assert from 'node:assert/strict'
import fc from 'fast-check'
import {
  createTimeFormatter,
  formatTime,
  MAX_TIMESTAMP_MS,
  readTimestamp,
  toUtcOffset,
} from '../../../../src/lib/decode/time'
import { TimeZone } from '../../../../src/shared/local-clock'
import { currentDevice, currentEnvelope, failure, graph, graphEnvelope, relayGraph } from '../answers'

const part = () => 'data.0.unixtime'
const noon = Date.UTC(2026, 10, 20, 12)

describe('the offset of a device', () => {
  const rows = [
    ['UTC + time-diff + std-bias without a flag, however large dst-bias is', 540, 0, 60, null, 540],
    ['with a std-bias', 540, 30, 60, null, 570],
    ['with the flag off', 60, 0, 60, 0, 60],
    ['dst-bias in place of std-bias while the flag is on', 60, 15, 60, 1, 120],
    ['west of Greenwich', -210, 0, 60, 0, -210],
    ['west of Greenwich in summer', -210, 0, 60, 1, -150],
  ] as const
  for (const [title, timeDiff, stdBias, dstBias, dstFlag, expected] of rows) {
    it(title, () => assert.equal(toUtcOffset({ timeDiff, stdBias, dstBias, dstFlag }), expected))
  }

  it('is the same in both spellings, as text or number, with or without the flag', () => {
    const hyphen = { 'time-diff': '60', 'std-bias': '0', 'dst-bias': '60', 'dst-flg': '1' }
    const underscore = { time_diff: 60, std_bias: 0, dst_bias: 60, dst_flg: 1 }
    const bare = { serial: '5212A1B2', data: [] }
    assert.equal(toUtcOffset(graphEnvelope({ ...bare, ...hyphen }).offsets), 120)
    assert.equal(toUtcOffset(graphEnvelope({ ...bare, ...underscore }).offsets), 120)
    assert.equal(toUtcOffset(graphEnvelope(graph()).offsets), 540)
    assert.equal(toUtcOffset(graphEnvelope(relayGraph({ 'dst-flg': undefined })).offsets), 540)
    assert.equal(toUtcOffset(currentEnvelope(currentDevice()).devices[0]?.offsets as never), 540)
  })

  it('uses the other spelling if one is blank, and 0 if both are', () => {
    const both = { serial: '5212A1B2', data: [], 'time-diff': '', time_diff: '330' }
    assert.equal(toUtcOffset(graphEnvelope(both).offsets), 330)
    assert.equal(toUtcOffset(graphEnvelope({ serial: '5212A1B2', data: [] }).offsets), 0)
  })

  it('is less than a day, because a time format cannot express more', () => {
    const withOffsets = (timeDiff: number, stdBias: number, dstBias = 0, flag = 0) =>
      graph({ 'time-diff': timeDiff, 'std-bias': stdBias, 'dst-bias': dstBias, 'dst-flg': flag })
    for (const answer of [withOffsets(540, 899), withOffsets(-1439, 0), withOffsets(1000, 900, 60, 1)])
      assert.notEqual(graphEnvelope(answer).offsets, null)
    for (const answer of [
      withOffsets(540, 900),
      withOffsets(1440, 0),
      withOffsets(-900, -540),
      withOffsets(1000, 60, 900, 1),
    ])
      assert.equal(toUtcOffset(graphEnvelope(answer).offsets), null)
  })

  it('that is unreadable is unknown, in every spelling and form', () => {
    for (const wrong of [
      { time_diff: 'GMT+9' },
      { std_bias: '9:00' },
      { 'dst-bias': 'n/a' },
      { 'dst-flg': 'on' },
    ])
      assert.equal(toUtcOffset(graphEnvelope(graph(wrong)).offsets), null)
  })
})

describe('a formatted time', () => {
  const rows = [
    [0, '2026-11-20T12:00:00.000+00:00'],
    [540, '2026-11-20T21:00:00.000+09:00'],
    [345, '2026-11-20T17:45:00.000+05:45'],
    [-210, '2026-11-20T08:30:00.000-03:30'],
    [-30, '2026-11-20T11:30:00.000-00:30'],
    [840, '2026-11-21T02:00:00.000+14:00'],
    [-720, '2026-11-20T00:00:00.000-12:00'],
  ] as const
  for (const [offset, expected] of rows) {
    it(`is ${expected} with an offset of ${offset} minutes`, () => {
      assert.equal(formatTime(noon, 'local', offset), expected)
    })
  }

  it('is UTC regardless of the offset, with milliseconds', () => {
    assert.equal(formatTime(noon, 'utc', 540), '2026-11-20T12:00:00.000Z')
  })

  it('is the same instant in both styles', () => {
    const offsets = fc.integer({ min: -14 * 60, max: 14 * 60 })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4_000_000_000 }), offsets, (seconds, offset) => {
        const timestamp = seconds * 1000
        assert.equal(Date.parse(formatTime(timestamp, 'local', offset) ?? ''), timestamp)
        assert.equal(Date.parse(formatTime(timestamp, 'utc', offset) ?? ''), timestamp)
      }),
    )
  })

  it("equals JavaScript's for each of many instants, in any order", () => {
    const instants = fc.array(fc.integer({ min: -MAX_TIMESTAMP_MS / 5, max: MAX_TIMESTAMP_MS }))
    fc.assert(
      fc.property(instants, (all) => {
        const format = createTimeFormatter('utc', 0)
        const near = all.flatMap((one) => [one, one + 1, one + 86_399_999])
        assert.deepEqual(
          near.map(format),
          near.map((one) => new Date(one).toISOString()),
        )
      }),
    )
  })

  it("is UTC if the device's offset is unknown, or in the zone if there is one", () => {
    assert.equal(formatTime(noon, 'local', null), '2026-11-20T12:00:00.000Z')
    assert.equal(formatTime(noon, new TimeZone('Europe/Berlin'), null), '2026-11-20T13:00:00.000+01:00')
  })

  it('is null without an instant', () => {
    assert.equal(formatTime(null, 'utc', 540), null)
    assert.equal(formatTime(null, 'local', 540), null)
  })
})

describe('the instant of a record', () => {
  it('is milliseconds from seconds, number or text', () => {
    assert.equal(readTimestamp(1_795_161_600, part), 1_795_161_600_000)
    assert.equal(readTimestamp(' 1795161600 ', part), 1_795_161_600_000)
  })

  it('is null if blank, absent or 0', () => {
    for (const value of ['', ' ', null, undefined, 0, '0', '00', -0])
      assert.equal(readTimestamp(value, part), null)
  })

  it('is ENVLOG_REPLY for anything else, with its path and never its contents', () => {
    for (const value of ['soon', '2026-11-20', {}, [], true, 1e300, '1e300']) {
      assert.throws(
        () => readTimestamp(value, part),
        (error: Error) => {
          assert.deepEqual((error as never as { params: object }).params, { part: 'data.0.unixtime' })
          return failure('reply-unreadable')(error)
        },
      )
    }
  })
})
