import assert from 'node:assert/strict'
import type { Reading } from '../../../../src/lib/readings/current'
import type { Series } from '../../../../src/lib/readings/series'
import { channelsOf, describeDevice, startDevice } from '../../../../src/lib/report/device'
import { toReportClock } from '../../../../src/lib/report/period'
import { limitsOf } from '../../../support/report/plant'

const PERIOD = { from: 1000, to: 2000 }
const ROWS = limitsOf({ name: 'too warm', above: -15 })

const readingOf = (more: object = {}) =>
  ({
    ...{ serial: '5212A1B2', name: 'Freezer 3', model: 'M-503', standalone: false, group: null },
    ...{ base: { serial: '5839F001', name: 'Hall 1', model: '' }, battery: {}, timestamp: 1500 },
    channels: [{ number: 1, name: 'Inside', unit: '°C', quantity: 'temperature' }],
    ...more,
  }) as unknown as Reading

/** Records of a channel. */
const seriesOf = (
  records: readonly (readonly [timestamp: number, ch1: number])[],
  channel: object | null = { name: 'Inside', unit: '°C', quantity: 'temperature' },
) =>
  ({
    channels: channel ? [{ key: 'ch1', number: 1, ...channel }] : [],
    records: records.map(([timestamp, ch1]) => ({ time: null, timestamp, dataId: null, ch1 })),
  }) as unknown as Series

describe('the channels of a device in a report', () => {
  it('have from the current reading what the records do not tell', () => {
    const of = (channel: object) => {
      const [found] = channelsOf(seriesOf([], channel), readingOf(), ROWS)
      return [found?.name, found?.unit, found?.quantity, found?.limits.length]
    }
    assert.deepEqual(of({ name: 'ch1', unit: '', quantity: null }), ['Inside', '°C', 'temperature', 1])
    assert.deepEqual(of({ name: 'Door', unit: '%', quantity: 'humidity' }), ['Door', '%', 'humidity', 0])
  })
})

describe('a device in a report', () => {
  const start = (reading: Reading) => startDevice(reading, toReportClock('local', 0), PERIOD)
  const describeWith = async (series: Series, lost?: null) => {
    const records = { series, lost, failed: [] }
    const device = await describeDevice(start(readingOf()), readingOf(), records, ROWS, {
      coverage: 0,
      gap: 60,
    })
    return { ...device, missing: device.missing.map(({ kind }) => kind) }
  }

  it('names its base unit by its name or serial number, unless it is standalone', () => {
    const bases = [{}, { base: { serial: '5839F001', name: '' } }, { standalone: true }]
    assert.deepEqual(
      bases.map((more) => start(readingOf(more)).baseName),
      ['Hall 1', '5839F001', ''],
    )
  })

  it('is not checked without records in the period, although an excursion goes over it', async () => {
    const found = await describeWith(
      seriesOf([
        [900, -10],
        [2000, -18],
      ]),
    )
    assert.deepEqual(
      [found.isChecked, found.channels[0]?.excursions.length, found.missing],
      [false, 1, ['no-records']],
    )
  })

  it('has no records if only its current reading has channels', async () => {
    assert.deepEqual((await describeWith(seriesOf([], null))).missing, ['no-records'])
  })

  it('has lost some if its pages contradict each other', async () => {
    const { isChecked, channels, missing } = await describeWith(seriesOf([[1500, -18]]), null)
    assert.deepEqual([isChecked, channels[0]?.state, missing], [true, 'incomplete', ['lost', 'incomplete']])
  })
})
