import assert from 'node:assert/strict'
import { copyContent, countOf } from '../../../../src/lib/readings/content'
import { alerts, current, RECORD_TIME, series } from '../output/contents'

const device = { serial: '5212A1B2', name: 'Freezer 3', base: '5839F001', group: '' }
const contents = [
  current([{}, {}]),
  series({ data: [1, 2, 9].map((id) => ({ unixtime: RECORD_TIME + id, 'data-id': id, ch1: 'E1' })) }),
  alerts([{ unixtime: RECORD_TIME, ch1: 'Sensor Error', 'battery-level': 'Low' }]),
  { kind: 'statistics', devices: [], records: 5 },
  { kind: 'raw', payload: { devices: [{}, {}] }, device },
] as const

/** All objects of a value. */
function* objectsOf(value: unknown): Generator<object> {
  if (typeof value !== 'object' || value === null) return
  yield value
  for (const part of Object.values(value)) yield* objectsOf(part)
}

describe('the content of a response', () => {
  it('counts as its readings, records, alerts or responses; that of statistics as the records behind it', () => {
    assert.deepEqual(contents.map(countOf), [2, 3, 2, 5, 1])
  })

  it('shares no object with its copy, which is sent again without the changes of a flow', () => {
    for (const content of contents) {
      const copy = copyContent(content)
      assert.deepEqual(copy, content)
      const own = new Set(objectsOf(content))
      assert.deepEqual(
        [...objectsOf(copy)].filter((object) => own.has(object)),
        [],
        content.kind,
      )
    }
  })
})
