import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { TimeStyle } from '../../../../src/lib/decode/time'
import { readSeriesPart, type Series } from '../../../../src/lib/readings/series'
import { TimeZone } from '../../../../src/shared/local-clock'
import { BASE, failure, graph, graphEnvelope, type Json, readSeries, relayGraph } from '../responses'

const read = (response: Json, style: TimeStyle = 'utc'): Series => readSeries(response, style)
const records = (...data: Json[]) => read(relayGraph({ data })).records

describe('a series', () => {
  it('is the payload in docs/messages.md', () => {
    const response = relayGraph({
      channel: [
        { num: '1', name: 'Inside', unit: 'C' },
        { num: '2', name: '', unit: '%' },
      ],
      data: [{ unixtime: '1795161600', 'data-id': '812', ch1: '-18.4', ch2: 'E1' }],
    })
    assert.deepEqual(read(response), {
      serial: '5212A1B2',
      name: 'Freezer 3',
      model: 'M-503',
      base: BASE,
      standalone: false,
      utcOffset: 540,
      channels: [
        { key: 'ch1', number: 1, name: 'Inside', unit: '°C', quantity: 'temperature' },
        { key: 'ch2', number: 2, name: 'ch2', unit: '%', quantity: 'humidity' },
      ],
      records: [
        {
          time: '2026-11-20T08:00:00.000Z',
          timestamp: 1_795_161_600_000,
          dataId: 812,
          ch1: -18.4,
          ch2: null,
          errors: { ch2: 'E1' },
        },
      ],
      gaps: [],
    })
  })

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

  it('has the keys of all channels in every record; a blank or absent value is "missing"', () => {
    const found = read(
      relayGraph({
        channel: [
          { num: 1, name: 'a', unit: '' },
          { num: 4, name: 'd', unit: '' },
        ],
        data: [
          { unixtime: 10, 'data-id': 1, ch1: 1 },
          { unixtime: 20, 'data-id': 2, ch3: '3', ch1: '' },
        ],
      }),
    )
    assert.deepEqual(
      found.channels.map(({ key }) => key),
      ['ch1', 'ch3', 'ch4'],
    )
    const [first, second] = found.records
    assert.deepEqual([first?.ch1, first?.ch3, first?.ch4], [1, null, null])
    assert.deepEqual(first?.errors, { ch3: 'missing', ch4: 'missing' })
    assert.deepEqual(second?.errors, { ch1: 'missing', ch4: 'missing' })
  })

  it('puts records without a time first and keeps them', () => {
    const found = records(
      { unixtime: 20, 'data-id': 3, ch1: 3 },
      { unixtime: 0, 'data-id': 2, ch1: 2 },
      { unixtime: '', 'data-id': 1, ch1: 1 },
    )
    assert.deepEqual(
      found.map(({ dataId, timestamp }) => [dataId, timestamp]),
      [
        [1, null],
        [2, null],
        [3, 20_000],
      ],
    )
    assert.equal(found[0]?.time, null)
  })

  it('drops exact duplicates and nothing else', () => {
    const one = { unixtime: 10, 'data-id': 0, ch1: 1 }
    const found = records(
      one,
      { ...one },
      { ...one, ch1: 2 },
      { ...one, ch1: 'E1' },
      { ...one, ch1: 'E2' },
      {
        ...one,
        unixtime: 11,
      },
    )
    assert.deepEqual(
      found.map((record) => record.errors?.ch1 ?? record.ch1),
      [1, 2, 'E1', 'E2', 1],
    )
  })

  it('orders records with the same time by id, even across the wraparound of relay ids', () => {
    const at = (id: number) => ({ unixtime: 10, 'data-id': id, ch1: id })
    const ids = (...given: number[]) => records(...given.map(at)).map(({ dataId }) => dataId)
    assert.deepEqual(ids(7, 5, 6), [5, 6, 7])
    assert.deepEqual(ids(0, 65_535), [65_535, 0])
    assert.deepEqual(ids(65_535, 1, 0), [65_535, 0, 1])
  })

  it('keeps the order of records with the same time but without ids, reversed if the newest are first', () => {
    const at = (unixtime: number, ch1: number) => ({ unixtime, 'data-id': 0, ch1 })
    const ascending = [at(10, 9), at(20, 5), at(20, 3), at(30, 4)]
    const values = (data: Json[]) => records(...data).map(({ ch1 }) => ch1)
    assert.deepEqual(values(ascending), [9, 5, 3, 4])
    assert.deepEqual(values(ascending.toReversed()), [9, 5, 3, 4])
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

  it('leaves out unreadable records, and reports which, without their contents', () => {
    for (const record of [[], 'secret', 7, { unixtime: 'secret' }]) {
      const envelope = graphEnvelope(graph({ data: [{ unixtime: 10, ch1: 1 }, record as never] }))
      const { part, unreadable } = readSeriesPart(envelope, 'utc')
      assert.deepEqual([part.records.length, unreadable], [1, ['data.1']])
    }
    assert.equal(records({ unixtime: 10, ch1: 1 }, null as never).length, 1, 'null counts as none')
  })

  it('is unreadable if none of its records can be read', () => {
    assert.throws(
      () => records({ unixtime: 'secret', ch1: 1 }),
      (error: Error) => {
        assert.deepEqual((error as never as { params: object }).params, { part: 'data.0' })
        return failure('reply-unreadable')(error)
      },
    )
  })

  it('may have its list as an object with numeric keys', () => {
    const data = { 0: { unixtime: 10, ch1: 1 }, 7: { unixtime: 20, ch1: 2 }, 12: { unixtime: 30, ch1: 3 } }
    const { records: found } = readSeries(graph({ data }), 'utc')
    assert.deepEqual(
      found.map(({ ch1 }) => ch1),
      [1, 2, 3],
    )
  })
})
