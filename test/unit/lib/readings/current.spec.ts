import assert from 'node:assert/strict'
import { readCurrent } from '../../../../src/lib/readings/current'
import { currentDevice, currentEnvelope } from '../responses'

describe('a current reading', () => {
  it('is stale if its age exceeds Stale after, or if it has no time', () => {
    const options = { receivedAt: 100_000, time: 'utc', series1Models: [], staleAfter: 60 } as const
    const isStale = (unixtime: number | string) =>
      readCurrent(currentEnvelope(currentDevice({ unixtime })), options)[0]?.stale
    assert.deepEqual([40, 39, ''].map(isStale), [false, true, true])
  })

  it('has an age in whole seconds, which is never -0', () => {
    const options = { receivedAt: 99_700, time: 'utc', series1Models: [], staleAfter: null } as const
    const ageOf = (unixtime: number) =>
      readCurrent(currentEnvelope(currentDevice({ unixtime })), options)[0]?.age
    assert.deepEqual([100, 99, 102].map(ageOf), [0, 1, -2])
  })
})
