import {
  fixedClock,
  formatLocalTime,
  isTimeZone,
  type LocalClock,
  TimeZone,
  toInstant,
} from '../shared/local-clock'

/** How far the device in the example messages is ahead of UTC, in minutes. */
const SAMPLE_OFFSET = 540

/** The clock for the example's local times. @param zone the account's setting; blank: the device's own offset */
function clockOf(zone: string): LocalClock {
  return isTimeZone(zone) ? new TimeZone(zone) : fixedClock(SAMPLE_OFFSET)
}

/** An example message with local times in the same places as in real messages. */
export function withLocalTimes(example: object, zone: string): unknown {
  return localize(example, clockOf(zone))
}

function localize(value: unknown, clock: LocalClock): unknown {
  if (Array.isArray(value)) return value.map((one) => localize(one, clock))
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).map(([key, field]) => [key, localize(field, clock)])
  const changed = Object.fromEntries(fields) as Record<string, unknown>
  const { time, timestamp, localtime, records, utcOffset } = value as Record<string, unknown>
  const newest = Array.isArray(records) ? records.at(-1)?.timestamp : timestamp
  if (typeof time === 'string' && typeof timestamp === 'number')
    changed.time = formatLocalTime(clock, timestamp)
  if (typeof localtime === 'string') {
    // A day of statistics starts at midnight in every zone.
    const start = toInstant(clock, Date.parse(`${localtime.slice(0, 19)}Z`))
    const shift = start - Date.parse(String(time))
    for (const key of ['mintime', 'maxtime'])
      if (typeof changed[key] === 'string')
        changed[key] = new Date(Date.parse(changed[key]) + shift).toISOString()
    changed.time = new Date(start).toISOString()
    changed.localtime = formatLocalTime(clock, start)
  }
  if (utcOffset !== undefined && typeof newest === 'number') changed.utcOffset = clock.offsetAt(newest)
  return changed
}
