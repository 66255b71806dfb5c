import assert from 'node:assert/strict'
import { readMeasurements } from '../../../../src/lib/limits/measurements'
import { AT_8, readingOf, seriesOf } from '../../../support/limits/monitoring'

/** The device of a payload. */
const deviceIn = (payload: unknown) => readMeasurements(payload).devices[0]
const row = (more: object) => ({ serial: '5212A1B2', base: '5839F001', channel: 1, value: 1, ...more })

describe('the measurements of a message', () => {
  it('say that a device has no group only in current readings', () => {
    const groups = [readingOf(AT_8, 1, { group: null }), seriesOf([[AT_8, 1]], { group: null }), row({})]
    assert.deepEqual(
      groups.map((payload) => deviceIn(payload)?.group),
      [null, undefined, undefined],
    )
  })

  it('have no value in place of a number that is not finite', () => {
    const values = [Number.NaN, Number.POSITIVE_INFINITY, 1].map(
      (value) => deviceIn(readingOf(AT_8, value))?.channels[0]?.values[0]?.value,
    )
    assert.deepEqual(values, [null, null, 1])
  })

  it('have no time if a row has none, and cannot be read if it has only a text', () => {
    assert.deepEqual(deviceIn(row({}))?.newest, null)
    assert.throws(() => readMeasurements(row({ time: '2026-11-20T08:00:00.000Z' })), {
      reason: 'elements-unreadable',
      params: { count: 1, of: 1, elements: '5212A1B2 timestamp' },
    })
  })

  it('have a level of the battery only if it is a text', () => {
    const levels = [{ batterylevel: 'low' }, { batterylevel: '' }, { batterylevel: 3 }, {}]
    assert.deepEqual(
      levels.map((more) => deviceIn(row(more))?.battery),
      ['low', null, null, null],
    )
  })
})
