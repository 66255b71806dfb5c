import assert from 'node:assert/strict'
import { mergeSeries } from '../../../../src/lib/readings/series'
import { graph, type Json, readSeries } from '../responses'

const read = (fields: Json) => readSeries(graph(fields), 'utc')
const at = (id: number, more: Json = {}) => ({ unixtime: 1000 + id * 60, 'data-id': id, ch1: id, ...more })

describe('merging responses about one device', () => {
  it('finds gaps between the parts', () => {
    const { gaps } = mergeSeries([read({ data: [at(8), at(9)] }), read({ data: [at(1), at(2)] })])
    assert.deepEqual(
      gaps.map(({ kind, missing }) => [kind, missing]),
      [['missing', 5]],
    )
  })

  it('ignores channels of a response without records: only records show how they are numbered', () => {
    const channel = [{ name: 'Inside', num: 1, unit: 'C' }]
    const { channels } = mergeSeries([
      read({ channel, data: [{ unixtime: 1060, 'data-id': 1, ch2: 1 }] }),
      read({ channel, data: [] }),
    ])
    assert.deepEqual(
      channels.map(({ key }) => key),
      ['ch2'],
    )
  })

  it('adds the keys of all channels to every record', () => {
    const newer = read({ data: [at(2, { ch3: 30 })] })
    const older = read({ data: [at(1, { ch2: 20, ch1: 'E1' })] })
    const { channels, records } = mergeSeries([newer, older])
    assert.deepEqual(
      channels.map(({ key }) => key),
      ['ch1', 'ch2', 'ch3'],
    )
    assert.deepEqual([records[0]?.ch1, records[0]?.ch2, records[0]?.ch3], [null, 20, null])
    assert.deepEqual(records[0]?.errors, { ch1: 'E1', ch3: 'missing' })
    assert.deepEqual(records[1]?.errors, { ch2: 'missing' })
  })

  it('uses names and offset of the newest part', () => {
    const { name, utcOffset, channels } = mergeSeries([
      read({ name: 'new', time_diff: 60, channel: [{ num: 0, name: 'now', unit: 'F' }], data: [at(2)] }),
      read({ name: 'old', data: [at(1)] }),
    ])
    assert.deepEqual([name, utcOffset, channels[0]?.name, channels[0]?.unit], ['new', 60, 'now', '°F'])
  })

  it('keeps the order of records with the same time but without ids across parts', () => {
    const same = (ch1: number) => ({ unixtime: 1000, 'data-id': 0, ch1 })
    const { records } = mergeSeries([read({ data: [same(7), same(4)] }), read({ data: [same(9), same(7)] })])
    assert.deepEqual(
      records.map(({ ch1 }) => ch1),
      [9, 7, 4],
    )
  })
})
