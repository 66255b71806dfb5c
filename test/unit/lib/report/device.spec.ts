import assert from 'node:assert/strict'
import type { Reading } from '../../../../src/lib/readings/current'
import type { Series } from '../../../../src/lib/readings/series'
import { channelsOf, describeDevice, findOpenEnds, startDevice } from '../../../../src/lib/report/device'
import { toReportClock } from '../../../../src/lib/report/period'
import { limitsOf } from '../../../support/report/plant'

const PERIOD = { from: 1000, to: 2000 }
const ROWS = limitsOf({ name: 'too warm', above: -15 })

const INSIDE = { number: 1, name: 'Inside', unit: '°C', quantity: 'temperature' }
const DAMP = { number: 2, name: 'Damp', unit: '%', quantity: 'humidity' }

const readingOf = (more: object = {}) =>
  ({
    ...{ serial: '5212A1B2', name: 'Freezer 3', model: 'M-503', standalone: false, group: null },
    ...{ base: { serial: '5839F001', name: 'Hall 1', model: '' }, battery: {}, timestamp: 1500 },
    channels: [INSIDE],
    ...more,
  }) as unknown as Reading

/** Records of a channel. */
const seriesOf = (
  records: readonly (readonly [timestamp: number | null, ch1: number])[],
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

  it('have what the current reading tells of the channel with their number', () => {
    const [found] = channelsOf(
      seriesOf([], { key: 'ch2', number: 2, name: 'ch2', unit: '', quantity: null }),
      readingOf({ channels: [INSIDE, DAMP] }),
      ROWS,
    )
    assert.deepEqual([found?.name, found?.unit, found?.quantity], ['Damp', '%', 'humidity'])
  })

  it('have the limits of their group', () => {
    const rows = limitsOf({ above: -15, select: 'group', groups: ['Cold chain'] })
    const counts = [{ name: 'Cold chain' }, { name: 'Lab' }, null].map(
      (group) => channelsOf(seriesOf([]), readingOf({ group }), rows)[0]?.limits.length,
    )
    assert.deepEqual(counts, [1, 0, 0])
  })
})

describe('a device in a report', () => {
  const start = (reading: Reading) => startDevice(reading, toReportClock('local', 0), PERIOD)
  const describeWith = async (series: Series, lost?: null, reading = readingOf()) => {
    const records = { series, lost, failed: [] }
    const device = await describeDevice(start(reading), reading, records, ROWS, { coverage: 0, gap: 60 })
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

  it('is not checked if its records have no channels', async () => {
    const { isChecked, missing } = await describeWith(seriesOf([[1500, -18]], null))
    assert.deepEqual([isChecked, missing], [false, ['no-records']])
  })

  it('is checked if its only record is of the moment in which the period begins', async () => {
    const records = [999, 1000, 1999, 2000].map(async (time) => describeWith(seriesOf([[time, -18]])))
    const checked = (await Promise.all(records)).map(({ isChecked }) => isChecked)
    assert.deepEqual(checked, [false, true, true, false])
  })

  it('lacks the channels of its current reading that its records do not have', async () => {
    const reading = readingOf({ channels: [INSIDE, DAMP] })
    assert.deepEqual((await describeWith(seriesOf([[1500, -18]]), undefined, reading)).missing, [
      'channel-absent',
    ])
  })

  it('is not judged by a record without a time', async () => {
    const series = seriesOf([
      [null, -10],
      [900, -18],
      [1500, -18],
    ])
    const channels = channelsOf(series, readingOf(), ROWS)
    assert.deepEqual(await findOpenEnds(series, channels, PERIOD), { needsEarlier: false, needsLater: false })
    const warm = seriesOf([
      [null, -10],
      [1500, -10],
      [1600, -18],
    ])
    const [channel] = (await describeWith(warm)).channels
    assert.deepEqual([channel?.count, channel?.excursions.map(({ from }) => from)], [2, [1500]])
  })

  it('has lost some if its pages contradict each other', async () => {
    const { isChecked, channels, missing } = await describeWith(seriesOf([[1500, -18]]), null)
    assert.deepEqual([isChecked, channels[0]?.state, missing], [true, 'incomplete', ['lost', 'incomplete']])
  })
})
