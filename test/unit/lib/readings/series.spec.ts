import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { TimeStyle } from '../../../../src/lib/decode/time'
import { fingerprint, type Series, type SeriesRecord } from '../../../../src/lib/readings/series'
import { TimeZone } from '../../../../src/shared/local-clock'
import { graph, type Json, readSeries, relayGraph } from '../responses'

const read = (response: Json, style: TimeStyle = 'utc'): Series => readSeries(response, style)
const records = (...data: Json[]) => read(relayGraph({ data })).records

describe('a series', () => {
  it('has local times of a zone, each with the offset at that time', () => {
    const summer = Date.UTC(2026, 9, 25, 0, 59) / 1000
    const data = [summer, summer + 60].map((unixtime, index) => ({ unixtime, 'data-id': index + 1, ch1: 1 }))
    const { records } = read(graph({ data }), new TimeZone('Europe/Berlin'))
    assert.deepEqual(
      records.map(({ time }) => time),
      ['2026-10-25T02:59:00.000+02:00', '2026-10-25T02:00:00.000+01:00'],
    )
  })

  it('keeps the order of records with the same time but without ids, reversed if the newest are first', () => {
    const at = (unixtime: number, ch1: number) => ({ unixtime, 'data-id': 0, ch1 })
    const ascending = [at(10, 9), at(20, 5), at(20, 3), at(30, 4), at(30, 6)]
    const values = (data: Json[]) => records(...data).map(({ ch1 }) => ch1)
    assert.deepEqual(values(ascending), [9, 5, 3, 4, 6])
    assert.deepEqual(values(ascending.toReversed()), [9, 5, 3, 4, 6])
  })

  it('keeps the record with fewer missing values if two have the same id', () => {
    const at = (ch1: string) => ({ unixtime: 10, 'data-id': 1, ch1 })
    for (const [one, other] of [
      ['E1', ''],
      ['', 'E1'],
    ] as const)
      assert.deepEqual(
        records(at(one), at(other)).map(({ errors }) => errors),
        [{ ch1: 'E1' }],
      )
  })

  it('keeps records of different times with the same number, and different ones without a time', () => {
    const at = (unixtime: number | string, id: number, ch1: number) => ({ unixtime, 'data-id': id, ch1 })
    const undated = [at('', 1, 5), at('', 1, 6), at('', 1, 5)]
    const dated = [at(10, 1, 7), at(10, 1, 7), at(20, 1, 8), at(20, 2, 9), at(30, 1, 10)]
    assert.deepEqual(
      records(...undated, ...dated).map(({ ch1 }) => ch1),
      [5, 6, 7, 8, 9, 10],
    )
  })

  it('has the records of one second in the order of their numbers, even if these start again at 0', () => {
    const idsOf = (...ids: number[]) =>
      records(...ids.map((id) => ({ unixtime: 10, 'data-id': id, ch1: 1 }))).map(({ dataId }) => dataId)
    assert.deepEqual(idsOf(9, 7, 8), [7, 8, 9])
    assert.deepEqual(idsOf(0, 65_535, 1, 65_534), [65_534, 65_535, 0, 1])
  })

  it('identifies a record regardless of channels without a value', () => {
    const ofOne = read(relayGraph({ data: [{ unixtime: 10, 'data-id': 0, ch1: 1 }] }))
    const ofTwo = read(relayGraph({ data: [{ unixtime: 10, 'data-id': 0, ch1: 1, ch2: '' }] }))
    const [one, two] = [ofOne, ofTwo].map(({ records: [record], channels }) =>
      fingerprint(record as SeriesRecord, channels),
    )
    assert.equal(one, two)
  })

  it('is the same for any order of the records in the response, and with duplicates', () => {
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

  it('has no number in place of one that is a fraction or too large to count', () => {
    const ids = [1.5, 2 ** 52 - 1, 2 ** 52].map(
      (id) => records({ unixtime: 10, ch1: 1, 'data-id': id })[0]?.dataId,
    )
    assert.deepEqual(ids, [null, 2 ** 52 - 1, null])
  })
})
