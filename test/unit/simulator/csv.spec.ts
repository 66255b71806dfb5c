import assert from 'node:assert/strict'
import { office, remote, request, simulate, startSeconds, tiny, useSimulators } from './support'

const unit = { 'remote-serial': '52000002', 'base-serial': '5F000001' }
const channels = [
  { num: 1, unit: 'C' },
  { num: 3, unit: '%' },
]
const records = [
  { unixtime: startSeconds - 60, values: { 1: 1.5, 3: 'E1' } },
  { unixtime: startSeconds - 1, values: { 1: -2, 3: null } },
]
const zone = { timeDiff: 540 }

describe('simulator: CSV', () => {
  useSimulators()
  it('csv2: three header rows, then local times, serial dates and values, all quoted', async () => {
    const simulator = await simulate({ fleet: [remote({ channels, records, base: { ...office, zone } })] })
    const reply = await request(simulator, 'data-relay', { ...unit, type: 'csv2' })
    assert.equal(reply.headers['content-type'], 'text/csv; charset=utf-8')
    assert.deepEqual(reply.text.split('\r\n'), [
      '"Date/Time","Date/Time","No.1","No.2"',
      '"GMT+09:00 DST:OFF","Date serial value","ch1","ch3"',
      '"","","C","%"',
      '"2026-01-15 21:14:00","46037.884722","1.5","E1"',
      '"2026-01-15 21:14:59","46037.885405","-2",""',
      '',
    ])
  })

  it('csv: the format itself on latest-data, the fields of data[] elsewhere', async () => {
    const name = 'say "hi", now'
    const simulator = await simulate({
      fleet: [tiny(1, { channels: [{ num: 1, name, unit: 'C' }] }), remote({ channels, records })],
    })
    const latest = await request(simulator, 'latest-data', { 'remote-serial': '52000001', type: 'csv' })
    assert.equal(latest.text.split('\r\n')[1], '"GMT+09:00 DST:OFF","Date serial value","say ""hi"", now"')
    const plain = await request(simulator, 'data-relay', { ...unit, type: 'csv' })
    assert.deepEqual(plain.text.split('\r\n').slice(0, 2), [
      '"unixtime","data-id","ch1","ch3"',
      `"${startSeconds - 60}","0","1.5","E1"`,
    ])
  })
})
