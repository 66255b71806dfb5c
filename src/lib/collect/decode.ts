import type { AlertEnvelope, GraphEnvelope } from '../decode/envelopes'
import type { TimeStyle } from '../decode/time'
import { EnvlogError } from '../errors'
import { type AlertLog, readAlerts } from '../readings/alerts'
import { readSeriesPart, type SeriesPart } from '../readings/series'
import type { DeviceFailure, ResolvedDevice } from './devices'

/**
 * Decodes the records of an answer; those that cannot be read are left out and reported.
 * @param offset minutes that the device's clock is ahead of UTC, where an earlier page has set it for all
 * @throws EnvlogError `reply-unreadable` where there are records and none can be read
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
 * Decodes an alert log; entries that cannot be read are left out and reported.
 * @param choose which entries are wanted, of all, the oldest first
 * @throws EnvlogError `reply-unreadable` where there are entries and none can be read
 */
export function decodeAlerts(
  target: ResolvedDevice,
  { endpoint, body }: { endpoint: string; body: AlertEnvelope },
  time: TimeStyle,
  choose?: Parameters<typeof readAlerts>[2],
): { log: AlertLog; failed: DeviceFailure[] } {
  try {
    const { unreadable, ...log } = readAlerts(body, time, choose)
    return { log, failed: toLeftOutFailures(target, endpoint, unreadable) }
  } catch (error) {
    throw addEndpoint(error, endpoint)
  }
}

/** Adds the endpoint to an error of decoding; those of requests have it. */
function addEndpoint(error: unknown, endpoint: string): unknown {
  return error instanceof EnvlogError ? error.with({ endpoint }) : error
}

/** Parts of an answer that an error message names. */
const MAX_NAMED_PARTS = 3

/** What to report where parts of an answer were left out; empty where none was. */
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
