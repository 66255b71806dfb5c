import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { TimeStyle } from '../../../../src/lib/decode/time'
import type { Series } from '../../../../src/lib/readings/series'
import { TimeZone } from '../../../../src/shared/local-clock'
import { graph, type Json, readSeries, relayGraph } from '../responses'

const read = (response: Json, style: TimeStyle = 'utc'): Series => readSeries(response, style)
const records = (...data: Json[]) => read(relayGraph({ data })).records

describe('a series', () => {
  it("has the local time of a zone, each record with the offset at its own time, and the last one's offset", () => {
    const summer = Date.UTC(2026, 9, 25, 0, 59) / 1000
    const data = [summer, summer + 60].map((unixtime, index) => ({ unixtime, 'data-id': index + 1, ch1: 1 }))
    const { records, utcOffset } = read(graph({ data }), new TimeZone('Europe/Berlin'))
    assert.deepEqual(
      records.map(({ time }) => time),
      ['2026-10-25T02:59:00.000+02:00', '2026-10-25T02:00:00.000+01:00'],
    )
    assert.equal(utcOffset, 60)
  })

  it('orders records with the same time by id, even across the wraparound of relay ids', () => {
    const at = (id: number) => ({ unixtime: 10, 'data-id': id, ch1: id })
    const ids = (...given: number[]) => records(...given.map(at)).map(({ dataId }) => dataId)
    assert.deepEqual(ids(7, 5, 6), [5, 6, 7])
    assert.deepEqual(ids(0, 65_535), [65_535, 0])
    assert.deepEqual(ids(65_535, 1, 0), [65_535, 0, 1])
  })

  it('is the same with any order and duplicates in the response', () => {
    const value = fc.oneof(fc.integer({ min: -50, max: 50 }), fc.constantFrom('E1', '', '12.5'))
    const made = fc
      .array(fc.record({ step: fc.integer({ min: 0, max: 3 }), ch1: value }), { maxLength: 12 })
      .map((steps) =>
        steps.map(({ ch1 }, index) => ({
          unixtime: steps.slice(0, index + 1).reduce((sum, { step }) => sum + step, 1000),
          'data-id': index + 1,
          ch1,
        })),
      )
    const shuffled = made.chain((data) =>
      fc.tuple(fc.constant(data), fc.shuffledSubarray([...data, ...data], { minLength: data.length * 2 })),
    )
    fc.assert(
      fc.property(shuffled, ([data, mixed]) => {
        const expected = read(graph({ data }))
        assert.deepEqual(
          expected.records.map(({ dataId }) => dataId),
          data.map((record) => record['data-id']),
        )
        assert.deepEqual(read(graph({ data: data.toReversed() })), expected)
        assert.deepEqual(read(graph({ data: mixed })), expected)
      }),
    )
  })

  it('reads the id in any spelling', () => {
    const both = (one: unknown, other: unknown) =>
      records({ unixtime: 10, ch1: 1, 'data-id': one, data_id: other })[0]?.dataId
    assert.deepEqual(
      [both(5, 6), both('', 6), both(null, '6'), both('x', 6), both(5, ''), both('', '')],
      [5, 6, 6, 6, 5, null],
    )
    assert.equal(records({ unixtime: 10, ch1: 1, data_id: 7 })[0]?.dataId, 7)
  })
})
