import assert from 'node:assert/strict'
import fc from 'fast-check'
import { placePeriod, readRelativeTime, readTimeInput } from '../../../../src/lib/collect/place-period'
import { EnvlogError } from '../../../../src/lib/errors'
import { fixedClock, TimeZone } from '../../../../src/shared/local-clock'
import type { CalendarPeriod } from '../../../../src/shared/period-types'
import { failure } from '../responses'

const now = Date.UTC(2026, 10, 20, 12)
const utc = (text: string) => ({ instant: Date.parse(text) })
const wall = (text: string) => ({ wallClock: Date.parse(`${text}Z`) })

/** Unreadable, and names the property. */
const unreadable = (error: unknown) => {
  assert.ok(error instanceof EnvlogError)
  assert.deepEqual(error.params, { property: 'msg.from' })
  return failure('time-unreadable')(error) && error.code === 'ENVLOG_INPUT'
}

describe('a time', () => {
  const texts: [string, object][] = [
    ['2026-11-20T08:00:00Z', utc('2026-11-20T08:00:00Z')],
    ['2026-11-20t08:00:00.123z', utc('2026-11-20T08:00:00.123Z')],
    ['2026-11-20T08:00:00.5+09:00', utc('2026-11-19T23:00:00.500Z')],
    ['2026-11-20 08:00-0330', utc('2026-11-20T11:30:00Z')],
    ['2026-11-20T08:00:00.123456789Z', utc('2026-11-20T08:00:00.123Z')],
    ['2026-11-20T08:00:00+09', utc('2026-11-19T23:00:00Z')],
    ['20261120T080000.5Z', utc('2026-11-20T08:00:00.500Z')],
    ['20261120T0800+0900', utc('2026-11-19T23:00:00Z')],
    ['20261120', wall('2026-11-20T00:00')],
    [' -24h ', { instant: now - 86_400_000 }],
    ['2026-11-20T08:00:00', wall('2026-11-20T08:00:00')],
    ['2026-11-20 08:00', wall('2026-11-20T08:00')],
    [' 2026-11-20 ', wall('2026-11-20T00:00')],
    ['1795161600', utc('2026-11-20T08:00:00Z')],
    ['1795161600000', utc('2026-11-20T08:00:00Z')],
  ]
  for (const [text, expected] of texts) {
    it(`is read from "${text}"`, () => assert.deepEqual(readTimeInput(text, now, 'msg.from'), expected))
  }

  it('is read from a Date', () =>
    assert.deepEqual(readTimeInput(new Date(now), now, 'msg.from'), { instant: now }))

  it('is in seconds below 1e11 and in milliseconds above', () => {
    assert.deepEqual(readTimeInput(1_795_161_600, now, 'x'), utc('2026-11-20T08:00:00Z'))
    assert.deepEqual(readTimeInput(1_795_161_600_000, now, 'x'), utc('2026-11-20T08:00:00Z'))
    assert.deepEqual(readTimeInput(1e11 - 1, now, 'x'), { instant: (1e11 - 1) * 1000 })
    assert.deepEqual(readTimeInput(1e11, now, 'x'), { instant: 1e11 })
  })

  const odd = [
    'yesterday',
    '-24y',
    '20261301',
    '2026-1120',
    '2026-13-01',
    '2026-11-20T08:00+99:00',
    '2026-11-20T08',
    '2026-02-30',
  ]
  for (const text of odd) {
    it(`cannot be read from "${text}", and fails with ENVLOG_INPUT, which names the property`, () => {
      assert.throws(() => readTimeInput(text, now, 'msg.from'), unreadable)
    })
  }

  it('is valid, or fails with ENVLOG_INPUT, for any input', () => {
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.double(), fc.string()), (value) => {
        try {
          const moment = readTimeInput(value, now, 'msg.from')
          new Date('instant' in moment ? moment.instant : moment.wallClock).toISOString()
        } catch (error) {
          assert.ok(unreadable(error))
        }
      }),
    )
  })
})

describe('a time before now', () => {
  for (const [text, ms] of [
    ['-24h', 86_400_000],
    ['-7d', 604_800_000],
    ['-30m', 1_800_000],
    ['-90s', 90_000],
    ['-2w', 1_209_600_000],
    [' -1 h ', 3_600_000],
  ] as const) {
    it(`is read from "${text}"`, () =>
      assert.deepEqual(readRelativeTime(text, now, 'x'), { instant: now - ms }))
  }

  for (const text of ['24h', '-h', '-1.5h', '-1y', 'h', '-24', '+1h', '']) {
    it(`cannot be read from "${text}", and fails with ENVLOG_INPUT`, () =>
      assert.throws(() => readRelativeTime(text, now, 'msg.from'), unreadable))
  }

  it('fails with ENVLOG_INPUT if it is before the earliest valid time', () => {
    assert.throws(() => readRelativeTime('-99999999999w', now, 'msg.from'), unreadable)
    assert.throws(() => readRelativeTime(`-${'9'.repeat(400)}s`, now, 'msg.from'), unreadable)
  })
})

describe('a period', () => {
  const hour = 3_600_000

  it('has its instants as bounds, regardless of the offset', () => {
    const period = { from: { instant: 0 }, to: { instant: hour } }
    assert.deepEqual(placePeriod(period, fixedClock(540)), { from: 0, to: hour })
  })

  it('has its wall clock times at the given offset', () => {
    const period = { from: { wallClock: 9 * hour }, to: { wallClock: 10 * hour } }
    assert.deepEqual(placePeriod(period, fixedClock(540)), { from: 0, to: hour })
    assert.deepEqual(placePeriod(period, fixedClock(-210)), { from: 12.5 * hour, to: 13.5 * hour })
    assert.deepEqual(placePeriod({ from: { instant: 0 }, to: { wallClock: 10 * hour } }, fixedClock(540)), {
      from: 0,
      to: hour,
    })
  })

  it('has its wall clock times in a zone, even if the day is shorter or longer', () => {
    const day = (date: string) => ({
      from: { wallClock: Date.parse(date) },
      to: { wallClock: Date.parse(date) + 24 * hour },
    })
    for (const [date, hours, begins] of [
      ['2026-03-29', 23, '2026-03-28T23:00:00.000Z'],
      ['2026-10-25', 25, '2026-10-24T22:00:00.000Z'],
      ['2026-07-01', 24, '2026-06-30T22:00:00.000Z'],
    ] as const) {
      const { from, to } = placePeriod(day(date), new TimeZone('Europe/Berlin'))
      assert.deepEqual([new Date(from).toISOString(), (to - from) / hour], [begins, hours])
    }
  })

  const calendars = [
    ['today', '2026-03-29T00:00+01:00', '2026-03-30T00:00+02:00'],
    ['yesterday', '2026-03-28T00:00+01:00', '2026-03-29T00:00+01:00'],
    ['this-week', '2026-03-23T00:00+01:00', '2026-03-30T00:00+02:00'],
    ['last-week', '2026-03-16T00:00+01:00', '2026-03-23T00:00+01:00'],
    ['this-month', '2026-03-01T00:00+01:00', '2026-04-01T00:00+02:00'],
    ['last-month', '2026-02-01T00:00+01:00', '2026-03-01T00:00+01:00'],
  ] as const
  for (const [calendar, from, to] of calendars) {
    it(`of the calendar is ${calendar} by the clock, on a Sunday with a time change`, () => {
      // A quarter past midnight in Berlin, but Saturday in UTC.
      const period = { calendar, now: Date.parse('2026-03-28T23:15Z') }
      const placed = placePeriod(period, new TimeZone('Europe/Berlin'))
      assert.deepEqual(placed, { from: Date.parse(from), to: Date.parse(to) })
    })
  }

  it('of the calendar crosses the ends of months and years', () => {
    const at = (calendar: CalendarPeriod, now: string) => {
      const { from, to } = placePeriod({ calendar, now: Date.parse(now) }, fixedClock(0))
      return [from, to].map((instant) => new Date(instant).toISOString().slice(0, 10))
    }
    assert.deepEqual(at('last-month', '2026-01-31T12:00Z'), ['2025-12-01', '2026-01-01'])
    assert.deepEqual(at('yesterday', '2026-01-01T00:00Z'), ['2025-12-31', '2026-01-01'])
    assert.deepEqual(at('this-week', '2026-01-01T00:00Z'), ['2025-12-29', '2026-01-05'])
    assert.deepEqual(at('today', '2028-02-29T23:59Z'), ['2028-02-29', '2028-03-01'])
  })

  it('that does not end after its start fails with ENVLOG_INPUT', () => {
    for (const to of [0, -1]) {
      assert.throws(
        () => placePeriod({ from: { instant: 0 }, to: { instant: to } }, fixedClock(0)),
        failure('ENVLOG_INPUT'),
      )
    }
    const crossed = { from: { instant: hour }, to: { wallClock: 2 * hour } }
    assert.throws(() => placePeriod(crossed, fixedClock(60)), failure('period-empty'))
  })
})
