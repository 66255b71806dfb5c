import assert from 'node:assert/strict'
import { ARRIVES, follow, plan, record } from '../../support/collect/records'

const iso = (seconds: number) => new Date((ARRIVES + seconds) * 1000).toISOString()
const minutes = (...ids: number[]) => ids.map((id) => record(id * 60 - 6000, id))

describe('gaps of what is new', () => {
  it('are reported once, with the records before and after', () => {
    const device = follow()
    device.take(minutes(1, 2, 5))
    device.take(minutes(2, 5, 6, 8))
    device.take(minutes(5, 6, 8, 9))
    assert.deepEqual(device.told, ['missing 2', 'missing 1'])
  })

  it('stand between the last that was delivered and the first that is new', () => {
    const device = follow()
    device.take(minutes(1, 2))
    const found = plan(device.cursor(), minutes(7, 8), { canBackfill: false })
    assert.ok(found.kind === 'complete')
    const gap = { kind: 'missing', after: iso(2 * 60 - 6000), before: iso(7 * 60 - 6000), missing: 4 }
    assert.deepEqual(found.fresh.gaps, [gap])
  })

  it('stand there also where the first that is new is of the same second', () => {
    const device = follow()
    device.take([record(0, 5)])
    device.take([record(0, 8), record(60, 9)], { canBackfill: false })
    assert.deepEqual(device.told, ['missing 2'])
  })

  it('stand there also where empty answers came between, and after a silent start', () => {
    const device = follow({ start: 'now' })
    device.take(minutes(1, 2))
    device.take([])
    device.take(minutes(2, 4))
    assert.deepEqual(device.told, ['missing 1'])
  })

  it('tell ids that start again, and of remote units not those that turn over', () => {
    const again = follow()
    again.take(minutes(40, 41))
    again.take([...minutes(41), record(-100, 1), record(-40, 2)])
    assert.deepEqual(again.told, ['restart null'])
    const remote = follow({ standalone: false })
    const around = (...steps: number[]) => steps.map((at) => record(at * 60, (65_534 + at) % 65_536))
    remote.take(around(0, 1))
    remote.take(around(1, 2, 3))
    remote.take(around(3, 6, 7))
    assert.deepEqual(remote.told, ['missing 2'])
  })

  it('claim nothing where ids are all 0', () => {
    const device = follow()
    device.take([record(-60, 0, 1), record(0, 0, 2)])
    device.take([record(0, 0, 2), record(600, 0, 3)])
    assert.deepEqual(device.told, [])
  })

  it('are none where the record that seems to be left out has no time', () => {
    const device = follow()
    assert.deepEqual(device.take([...minutes(1, 2, 4), record(null, 3)]), [3, 1, 2, 4])
    assert.deepEqual(device.take([...minutes(2, 4, 6), record(null, 5)]), [5, 6])
    assert.deepEqual(device.told, [])
  })

  it('are none where the record that seems to be left out is ahead of the clock', () => {
    const device = follow()
    assert.deepEqual(device.take([...minutes(1, 2, 4), record(9000, 3)]), [1, 2, 4, 3])
    assert.deepEqual(device.take([...minutes(2, 4, 5), record(9000, 3)]), [5])
    assert.deepEqual(device.told, [])
  })
})
