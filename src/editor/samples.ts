import { fixedClock, formatLocalTime, isTimeZone, type LocalClock, TimeZone } from '../shared/local-clock'

/** JSON text that the build inserts (scripts/samples.ts). */
declare const ENVLOG_SAMPLES: string

/** The example messages, by type, output, send, and a unit or language. */
export const readSamples = (): Record<string, object> => JSON.parse(ENVLOG_SAMPLES)

/** UTC offset of the device in the example messages, in minutes. */
const SAMPLE_OFFSET = 540

/**
 * An example message with local times in the same places as in real messages.
 * @param zone the account's setting; blank for the device's own offset
 */
export function withLocalTimes(example: object, zone: string): unknown {
  return localize(example, isTimeZone(zone) ? new TimeZone(zone) : fixedClock(SAMPLE_OFFSET))
}

function localize(value: unknown, clock: LocalClock): unknown {
  if (Array.isArray(value)) return value.map((element) => localize(element, clock))
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).map(([key, field]) => [key, localize(field, clock)])
  const changed = Object.fromEntries(fields) as Record<string, unknown>
  const { time, timestamp, localtime, records, utcOffset } = value as Record<string, unknown>
  const newest = Array.isArray(records) ? records.at(-1)?.timestamp : timestamp
  if (typeof timestamp === 'number') changed.time = formatLocalTime(clock, timestamp)
  if (localtime !== undefined) changed.localtime = formatLocalTime(clock, Date.parse(String(time)))
  if (utcOffset !== undefined && typeof newest === 'number') changed.utcOffset = clock.offsetAt(newest)
  return changed
}
