import assert from 'node:assert/strict'
import fc from 'fast-check'
import { isTimeZone, TimeZone, toInstant, toWallClock } from '../../../src/shared/local-clock'

const ZONES = [
  'Europe/Berlin',
  'America/St_Johns', // half an hour between full hours
  'America/Havana', // changes at midnight
  'Australia/Lord_Howe', // changes by half an hour
  'Africa/Casablanca', // changes twice within weeks
  'Asia/Kathmandu', // never changes
  'America/Santiago', // summer time from September to April
]
const MINUTE = 60_000
const HOUR = 3_600_000
const instants = fc.integer({ min: Date.UTC(1975, 0), max: Date.UTC(2037, 0) })

/** Minutes ahead of UTC as a full date of Intl shows it. */
function offsetsOf(timeZone: string): (instant: number) => number {
  const fields = ['year', 'month', 'day', 'hour', 'minute', 'second'] as const
  const numeric = Object.fromEntries(fields.map((name) => [name, 'numeric']))
  const format = new Intl.DateTimeFormat('en-US', { timeZone, hourCycle: 'h23', ...numeric })
  return (instant) => {
    const parts = new Map(format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]))
    const [year = 0, month = 0, ...rest] = fields.map((name) => parts.get(name) ?? 0)
    return (Date.UTC(year, month - 1, ...rest) - Math.floor(instant / 1000) * 1000) / MINUTE
  }
}

/** Instants up to six hours after each change of the offset. */
const changesIn2026 = (offsetAt: (instant: number) => number) =>
  Array.from({ length: 365 * 4 }, (_, index) => Date.UTC(2026, 0) + index * 6 * HOUR).filter(
    (at) => offsetAt(at) !== offsetAt(at - 6 * HOUR),
  )

describe('a time zone', () => {
  for (const zone of ZONES) {
    it(`${zone} has the offset in its tables, and maps a shown time back to the first instant that shows it`, () => {
      const clock = new TimeZone(zone)
      const offsetAt = offsetsOf(zone)
      const check = (instant: number) => {
        assert.equal(clock.offsetAt(instant), offsetAt(instant))
        const shown = toWallClock(clock, instant)
        assert.equal(toWallClock(clock, toInstant(clock, shown)), shown)
        assert.ok(toInstant(clock, shown) <= instant, 'the first of two')
      }
      fc.assert(fc.property(instants, check))
      for (const at of changesIn2026(offsetAt))
        for (let near = at - 8 * HOUR; near <= at + 2 * HOUR; near += HOUR / 4)
          for (const instant of [near - 1, near]) check(instant)
    })
  }

  it('maps a skipped time to the instant that it would have been without the change', () => {
    const berlin = new TimeZone('Europe/Berlin')
    const skipped = toInstant(berlin, Date.UTC(2026, 2, 29, 2, 30))
    assert.equal(new Date(skipped).toISOString(), '2026-03-29T01:30:00.000Z')
    const havana = new TimeZone('America/Havana')
    const midnight = toInstant(havana, Date.UTC(2026, 2, 8))
    assert.equal(new Date(midnight).toISOString(), '2026-03-08T05:00:00.000Z')
  })

  it('is a name or a fixed offset', () => {
    assert.equal(new TimeZone('-03:30').offsetAt(Date.UTC(2026, 6, 1)), -210)
    for (const name of [...ZONES, 'UTC', 'Etc/GMT-9', 'Asia/Tokyo', '+09:00', '-03:30', '+14:00'])
      assert.ok(isTimeZone(name), name)
    for (const name of ['', 'Berlin', 'Europe/Berlim', '+1', '+15:00', '+01:60', 'local', '__proto__'])
      assert.ok(!isTimeZone(name), name)
  })
})
