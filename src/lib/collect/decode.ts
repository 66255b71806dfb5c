import type { AlertEnvelope, GraphEnvelope } from '../decode/envelopes'
import type { TimeStyle } from '../decode/time'
import { EnvlogError } from '../errors'
import { type LogEntry, readLogEntries } from '../readings/alerts'
import { readSeriesPart, type SeriesPart } from '../readings/series'
import type { DeviceFailure, ResolvedDevice } from './devices'

/**
 * Decodes the records of a response; unreadable ones are left out and reported.
 * @param offset minutes that the device's clock is ahead of UTC, if an earlier page has determined it for all pages
 * @throws EnvlogError `reply-unreadable` if there are records but none can be read
 */
export function decodeRecords(
  target: ResolvedDevice,
  { endpoint, body }: { endpoint: string; body: GraphEnvelope },
  { time, offset }: { time: TimeStyle; offset?: number | null | undefined },
): { part: SeriesPart; failed: DeviceFailure[] } {
  try {
    const { part, unreadable } = readSeriesPart(body, time, offset)
    return { part, failed: toLeftOutFailures(target, endpoint, unreadable) }
  } catch (error) {
    throw addEndpoint(error, endpoint)
  }
}

/**
 * Decodes the entries of an alert log, oldest first; unreadable ones are reported.
 * @throws EnvlogError `reply-unreadable` if there are entries but none can be read
 */
export function decodeLogEntries(
  target: ResolvedDevice,
  { endpoint, body }: { endpoint: string; body: AlertEnvelope },
): { entries: LogEntry[]; failed: DeviceFailure[] } {
  try {
    const { entries, unreadable } = readLogEntries(body)
    return { entries, failed: toLeftOutFailures(target, endpoint, unreadable) }
  } catch (error) {
    throw addEndpoint(error, endpoint)
  }
}

/** Adds the endpoint to a decoding error; errors of requests already have it. */
function addEndpoint(error: unknown, endpoint: string): unknown {
  return error instanceof EnvlogError ? error.with({ endpoint }) : error
}

/** Maximum number of parts of a response that an error message lists. */
const MAX_NAMED_PARTS = 3

/** What to report if parts of a response were left out; empty if there were none. */
function toLeftOutFailures(
  { serial, base }: ResolvedDevice,
  endpoint: string,
  unreadable: readonly string[],
): DeviceFailure[] {
  if (unreadable.length === 0) return []
  const part = [
    ...unreadable.slice(0, MAX_NAMED_PARTS),
    ...(unreadable.length > MAX_NAMED_PARTS ? ['…'] : []),
  ].join(', ')
  const error = new EnvlogError('reply-left-out', { part }, { endpoint, serial, base })
  return [{ device: { serial, base }, error }]
}
