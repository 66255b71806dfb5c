import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { Reading } from '../../../../src/lib/readings/current'
import type { Series } from '../../../../src/lib/readings/series'
import { Checksum } from '../../../../src/lib/report/checksum'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

describe('the checksum of a report', () => {
  it('is calculated as described, from the records between its bounds', async () => {
    const series = (serial: string, ...records: object[]) =>
      ({
        ...{ base: { serial: '5839F001' }, serial, records },
        channels: [
          { key: 'ch1', unit: '°C' },
          { key: 'ch2', unit: '' },
        ],
      }) as unknown as Series
    const checksum = new Checksum()
    const period = { from: 1000, to: 2000 }
    const all = [
      { timestamp: 999, dataId: 11, ch1: 1, ch2: 1 },
      { timestamp: 1000, dataId: 12, ch1: -18.5, ch2: null, errors: { ch2: 'E1, "x"' } },
      { timestamp: 1999, dataId: null, ch1: 0, ch2: null },
      { timestamp: 2000, dataId: 14, ch1: 1, ch2: 1 },
    ]
    await checksum.addRecords(series('5212A1B3'), period)
    await checksum.addRecords(series('5212A1B2', ...all), period)
    const head = 'timestamp,dataId,ch1 °C,ch2\n'
    const lines = [
      `5839F001,5212A1B2,${sha256(`${head}1000,12,-18.5,"E1, ""x"""\n1999,,0,\n`)}\n`,
      `5839F001,5212A1B3,${sha256(head)}\n`,
    ]
    assert.equal(checksum.result(), sha256(lines.join('')))
  })

  it('of a check has one record of each device, without a number', async () => {
    const channels = [
      { key: 'ch1', unit: '°C', value: -18.5, error: null },
      { key: 'ch2', unit: '%', value: null, error: 'E1' },
    ]
    const reading = { base: { serial: '5839F001' }, serial: '5212A1B2', channels, timestamp: 1000 }
    const checksum = new Checksum()
    await checksum.addReading(reading as unknown as Reading)
    const records = sha256('timestamp,dataId,ch1 °C,ch2 %\n1000,,-18.5,E1\n')
    assert.equal(checksum.result(), sha256(`5839F001,5212A1B2,${records}\n`))
  })
})
