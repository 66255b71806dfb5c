import assert from 'node:assert/strict'
import { toReportClock, toReportPeriod, usualClock } from '../../../../src/lib/report/period'
import { fixedClock, TimeZone } from '../../../../src/shared/local-clock'
import { iso } from '../../../support/report/plant'

const TOKYO = new TimeZone('Asia/Tokyo')
// A Friday; in Tokyo, already Saturday.
const now = Date.parse('2026-11-20T16:00Z')

describe('the period of a report', () => {
  const of = (calendar: 'yesterday' | 'last-week' | 'last-month' | 'today') => {
    const { kind, key, from, to } = toReportPeriod({ calendar, now }, TOKYO, now)
    return [kind, key, iso(from).slice(0, 16), iso(to).slice(0, 16)]
  }

  it('is that of the local calendar', () => {
    assert.deepEqual(of('yesterday'), ['day', '2026-11-20', '2026-11-19T15:00', '2026-11-20T15:00'])
    assert.deepEqual(of('last-week'), ['week', '2026-11-09', '2026-11-08T15:00', '2026-11-15T15:00'])
    assert.deepEqual(of('last-month'), ['month', '2026-10', '2026-09-30T15:00', '2026-10-31T15:00'])
  })

  it('ends now if it lasts', () => {
    assert.deepEqual(of('today'), ['day', '2026-11-21', '2026-11-20T15:00', '2026-11-20T16:00'])
    const { kind, key, from, to } = toReportPeriod('now', TOKYO, now)
    assert.deepEqual([kind, key, from, to], ['now', '2026-11-21', now, now])
  })

  it('that was due earlier is as it was then', () => {
    const due = now - 3 * 86_400_000
    assert.equal(toReportPeriod({ calendar: 'yesterday', now: due }, TOKYO, now).key, '2026-11-17')
  })

  it('has the clock that most devices have', () => {
    const clocks = [60, 540, 540].map((offset) => toReportClock('local', offset))
    assert.equal(usualClock(clocks, now)?.offsetAt(now), 540)
    assert.equal(usualClock([], now), undefined)
    assert.equal(toReportClock('local', null).offsetAt(now), fixedClock(0).offsetAt(now))
  })
})
