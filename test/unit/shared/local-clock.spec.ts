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
function offsetOf(zone: string, instant: number): number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  const parts = Object.fromEntries(
    format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]),
  )
  const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0 } = parts
  return (Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(instant / 1000) * 1000) / MINUTE
}

describe('a time zone', () => {
  for (const zone of ZONES) {
    it(`${zone} changes exactly when its tables say`, () => {
      const clock = new TimeZone(zone)
      let changes = 0
      for (let hour = Date.UTC(2026, 0); hour < Date.UTC(2027, 0); hour += HOUR) {
        if (clock.offsetAt(hour) === clock.offsetAt(hour + HOUR)) continue
        changes++
        for (let at = hour; at <= hour + HOUR; at += MINUTE) {
          for (const one of [at - 1, at]) assert.equal(clock.offsetAt(one), offsetOf(zone, one))
        }
      }
      assert.equal(changes, zone === 'Asia/Kathmandu' ? 0 : 2)
    })

    it(`${zone} is ahead of UTC by what its tables say, and maps a shown time back to the first instant that shows it`, () => {
      const clock = new TimeZone(zone)
      fc.assert(
        fc.property(instants, (instant) => {
          assert.equal(clock.offsetAt(instant), offsetOf(zone, instant))
          const shown = toWallClock(clock, instant)
          assert.equal(toWallClock(clock, toInstant(clock, shown)), shown)
          assert.ok(toInstant(clock, shown) <= instant, 'the first of two')
        }),
      )
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

  it('is known by a name, not by an offset', () => {
    for (const name of [...ZONES, 'UTC', 'Etc/GMT-9', 'Asia/Tokyo']) assert.ok(isTimeZone(name), name)
    for (const name of ['', 'Berlin', 'Europe/Berlim', '+01:00', 'local', '__proto__'])
      assert.ok(!isTimeZone(name), name)
  })
})
