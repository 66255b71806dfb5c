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

  it('have a problem only if an element cannot be read', () => {
    assert.equal(readMeasurements([readingOf(AT_8, 1)]).problem, undefined)
  })

  it('name up to three elements that cannot be read, and say that there are more', () => {
    const elementsOf = (count: number) => {
      const broken = Array.from({ length: count }, () => row({ channel: 0 }))
      return readMeasurements([row({}), ...broken]).problem?.params.elements
    }
    const three = '5212A1B2 channel, 5212A1B2 channel, 5212A1B2 channel'
    assert.deepEqual([3, 4].map(elementsOf), [three, `${three}, …`])
  })

  it('are none of an alert or a statistic, also beside rows that cannot be read', () => {
    const { serial, base, channel } = row({})
    const alert = { serial, base, channel, text: 'too warm', timestamp: AT_8 }
    assert.throws(() => readMeasurements([alert]), { reason: 'measurements-unreadable' })
    assert.throws(() => readMeasurements([alert, row({ channel: 0 })]), {
      reason: 'elements-unreadable',
      params: { count: 2, of: 2, elements: '5212A1B2, 5212A1B2 channel' },
    })
  })

  it('have no value where a row has none, or only an error', () => {
    const { serial, base, channel } = row({})
    const about = { serial, base, channel, timestamp: AT_8 }
    const values = [{ value: null }, { error: 'E1' }, { value: null, error: 5 }].map(
      (more) => deviceIn({ ...about, ...more })?.channels[0]?.values[0],
    )
    assert.deepEqual(values, [
      { time: AT_8, value: null, error: null },
      { time: AT_8, value: null, error: 'E1' },
      { time: AT_8, value: null, error: null },
    ])
  })

  it('have the values of records with a time, also without errors', () => {
    const records = [
      { timestamp: null, ch1: 1 },
      { timestamp: AT_8, ch1: 2 },
    ]
    assert.deepEqual(deviceIn(seriesOf([], { records }))?.channels[0]?.values, [
      { time: AT_8, value: 2, error: null },
    ])
    assert.deepEqual(deviceIn(readingOf(null, 1))?.channels[0]?.values, [])
  })

  it('of rows in any order are one channel with its unit, and the newest time', () => {
    const known = row({ timestamp: AT_8 + 1, unit: '°C' })
    const unknown = row({ timestamp: AT_8, value: null })
    for (const rows of [
      [known, unknown],
      [unknown, known],
    ]) {
      const { newest, channels } = deviceIn(rows) ?? {}
      const [first, ...others] = channels ?? []
      assert.deepEqual([newest, first?.unit, first?.values.length], [AT_8 + 1, '°C', 2])
      assert.deepEqual(others, [])
    }
  })

  it('have the offset from UTC only if it is a number', () => {
    const offsets = [readingOf(AT_8, 1), readingOf(AT_8, 1, { utcOffset: '540' }), row({})]
    assert.deepEqual(
      offsets.map((payload) => deviceIn(payload)?.utcOffset),
      [540, null, null],
    )
  })

  it('have a level of the battery only if it is a text', () => {
    const levels = [{ batterylevel: 'low' }, { batterylevel: '' }, { batterylevel: 3 }, {}]
    assert.deepEqual(
      levels.map((more) => deviceIn(row(more))?.battery),
      ['low', null, null, null],
    )
  })
})
