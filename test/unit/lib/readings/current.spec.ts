import assert from 'node:assert/strict'
import fc from 'fast-check'
import { type CurrentOptions, readCurrent } from '../../../../src/lib/readings/current'
import { currentDevice, currentEnvelope, type Json } from '../responses'

const measured = 1_795_161_600_000
const options: CurrentOptions = {
  receivedAt: measured + 42_000,
  time: 'utc',
  series1Models: [],
  staleAfter: null,
}

function reading(fields: Json, over: Partial<CurrentOptions> = {}) {
  const [one] = readCurrent(currentEnvelope(currentDevice(fields)), { ...options, ...over })
  assert.ok(one)
  return one
}

describe('a current reading', () => {
  it('has an age in whole seconds, negative if its clock is ahead', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e7, max: 1e7 }), (ms) => {
        const { age } = reading({}, { receivedAt: measured + ms })
        assert.equal(age, Math.round(ms / 1000) + 0)
      }),
    )
  })

  it('is stale above the limit, or without a time; null if there is no limit', () => {
    assert.equal(reading({}, { staleAfter: 42 }).stale, false)
    assert.equal(reading({}, { staleAfter: 41 }).stale, true)
    assert.equal(reading({}, { staleAfter: 0, receivedAt: measured }).stale, false)
    assert.equal(reading({ unixtime: '' }, { staleAfter: 1e9 }).stale, true)
    assert.equal(reading({ unixtime: '' }).stale, null)
  })
})
