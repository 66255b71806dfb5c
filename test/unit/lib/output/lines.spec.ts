import assert from 'node:assert/strict'
import { toLines } from '../../../../src/lib/output/lines'
import { alerts, current, RECORD_TIME, series } from './contents'

const TIME = RECORD_TIME * 1000
const degrees = (value: number | null, error: string | null = null) => [{ value, unit: '°C', error }]

describe('the lines of *Try now*', () => {
  it('are the first ten devices, with their values', () => {
    const { lines, count } = toLines(current(Array.from({ length: 12 }, () => ({}))))
    assert.deepEqual([lines.length, count], [10, 12])
    assert.deepEqual(lines[0], { name: 'Freezer 3', timestamp: TIME, channels: degrees(-18.4) })
  })

  it('are the newest ten records, newest first', () => {
    const data = Array.from({ length: 12 }, (_, minute) => {
      return { unixtime: RECORD_TIME + 60 * minute, 'data-id': minute, ch1: minute === 11 ? 'E1' : minute }
    })
    const { lines, count } = toLines(series({ channel: [{ num: '1', name: 'Inside', unit: 'C' }], data }))
    assert.deepEqual([lines.length, count], [10, 12])
    assert.deepEqual(lines.slice(0, 2), [
      { name: 'Freezer 3', timestamp: TIME + 660_000, channels: degrees(null, 'E1') },
      { name: 'Freezer 3', timestamp: TIME + 600_000, channels: degrees(10) },
    ])
  })

  it('are the alerts, in the wording of the service', () => {
    const { lines } = toLines(alerts([{ unixtime: RECORD_TIME, ch1: 'too high' }]))
    assert.deepEqual(lines, [{ name: 'Freezer 3', timestamp: TIME, channels: [], text: 'too high' }])
  })

  it('are none of a raw response', () => {
    assert.deepEqual(toLines({ kind: 'raw', payload: 'a,b' }), { lines: [], count: 0 })
  })
})
