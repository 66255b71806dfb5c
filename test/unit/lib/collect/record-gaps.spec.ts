import assert from 'node:assert/strict'
import { planSequence, record } from '../../../support/collect/records'

const minutes = (...ids: number[]) => ids.map((id) => record(id * 60 - 6000, id))

describe('gaps of new records', () => {
  it('are found between the last delivered and the first new record, after empty responses and after a start without records', () => {
    const device = planSequence({ start: 'now' })
    device.next(minutes(1, 2))
    device.next([])
    device.next(minutes(2, 4))
    assert.deepEqual(device.gaps, ['missing 1'])
  })

  it('are no restart if the numbers have wrapped around within a second', () => {
    const device = planSequence({ standalone: false, backfill: false })
    device.next([record(-60, 65_534), record(0, 65_535), record(0, 0)])
    device.next([record(61, 2), record(121, 3), record(181, 4)], { arrivesAfter: 181 })
    assert.deepEqual(device.gaps, ['missing 1'])
  })

  it('do not exist if the seemingly missing record has no time', () => {
    const device = planSequence()
    assert.deepEqual(device.next([...minutes(1, 2, 4), record(null, 3)]), [3, 1, 2, 4])
    assert.deepEqual(device.next([...minutes(2, 4, 6), record(null, 5)]), [5, 6])
    assert.deepEqual(device.gaps, [])
  })

  it('do not exist if the seemingly missing record is ahead of the clock', () => {
    const device = planSequence()
    assert.deepEqual(device.next([...minutes(1, 2, 4), record(9000, 3)]), [1, 2, 4, 3])
    assert.deepEqual(device.next([...minutes(2, 4, 5), record(9000, 3)]), [5])
    assert.deepEqual(device.gaps, [])
  })
})
