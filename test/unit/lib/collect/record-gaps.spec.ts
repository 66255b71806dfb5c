import assert from 'node:assert/strict'
import { ANSWER_TIME, planAnswer, planSequence, record } from '../../../support/collect/records'

const iso = (seconds: number) => new Date((ANSWER_TIME + seconds) * 1000).toISOString()
const minutes = (...ids: number[]) => ids.map((id) => record(id * 60 - 6000, id))

describe('gaps of new records', () => {
  it('are reported once, with the records before and after', () => {
    const device = planSequence()
    device.next(minutes(1, 2, 5))
    device.next(minutes(2, 5, 6, 8))
    device.next(minutes(5, 6, 8, 9))
    assert.deepEqual(device.gaps, ['missing 2', 'missing 1'])
  })

  it('are found between the last delivered and the first new record', () => {
    const device = planSequence()
    device.next(minutes(1, 2))
    const found = planAnswer(device.cursor(), minutes(7, 8), { canBackfill: false })
    assert.ok(found.kind === 'complete')
    const gap = { kind: 'missing', after: iso(2 * 60 - 6000), before: iso(7 * 60 - 6000), missing: 4 }
    assert.deepEqual(found.fresh.gaps, [gap])
  })

  it('are found there even if the first new record has the same time', () => {
    const device = planSequence()
    device.next([record(0, 5)])
    device.next([record(0, 8), record(60, 9)], { canBackfill: false })
    assert.deepEqual(device.gaps, ['missing 2'])
  })

  it('are found there even after empty responses, and after a start without records', () => {
    const device = planSequence({ start: 'now' })
    device.next(minutes(1, 2))
    device.next([])
    device.next(minutes(2, 4))
    assert.deepEqual(device.gaps, ['missing 1'])
  })

  it('include restarts of ids, but not the wraparound of remote units', () => {
    const again = planSequence()
    again.next(minutes(40, 41))
    again.next([...minutes(41), record(-100, 1), record(-40, 2)])
    assert.deepEqual(again.gaps, ['restart null'])
    const remote = planSequence({ standalone: false })
    const around = (...steps: number[]) => steps.map((at) => record(at * 60, (65_534 + at) % 65_536))
    remote.next(around(0, 1))
    remote.next(around(1, 2, 3))
    remote.next(around(3, 6, 7))
    assert.deepEqual(remote.gaps, ['missing 2'])
  })

  it('do not exist if ids are all 0', () => {
    const device = planSequence()
    device.next([record(-60, 0, 1), record(0, 0, 2)])
    device.next([record(0, 0, 2), record(600, 0, 3)])
    assert.deepEqual(device.gaps, [])
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
