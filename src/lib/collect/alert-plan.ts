import { MAX_ALERTS } from '../endpoints'
import type { LogEntry } from '../readings/alerts'
import type { AlertCursor } from './cursor'
import { shortHash } from './short-hash'

/** Number of texts that a cursor remembers, so that a response of a replica that lags repeats none. */
export const MAX_SEEN = 2 * MAX_ALERTS

export interface AlertPlan {
  /** New entries with their new texts. */
  fresh: LogEntry[]
  /** Whether older entries were lost before the request. */
  overflow: boolean
  /** The cursor after delivery of the new entries. */
  next: AlertCursor
}

/**
 * Determines the new texts in a response: those that the cursor does not contain. Texts are identified by time and
 * source, because the service may reword them when a channel is renamed. The wording is compared only if several texts
 * have the same time and source.
 * @param known the device's cursor; `null` if nothing has been delivered yet
 */
export function planAlerts(
  known: AlertCursor | null,
  entries: readonly LogEntry[],
  start: 'now' | 'all',
): AlertPlan {
  const seen = new Set(known?.seen)
  const ids = new Set(entries.flatMap((entry) => entry.texts.map((text) => idOf(entry, text))))
  const [inResponse, inCursor] = [countByPlace(ids), countByPlace(seen)]
  const isKnown = (id: string) => {
    const place = placeOf(id)
    return seen.has(id) || (inResponse.get(place) === 1 && inCursor.get(place) === 1)
  }
  const newIds = new Set([...ids].filter((id) => !isKnown(id)))
  // `delete` makes identical texts count as one.
  const fresh = entries.flatMap((entry): LogEntry[] => {
    const texts = entry.texts.filter((text) => newIds.delete(idOf(entry, text)))
    return texts.length === 0 ? [] : [{ ...entry, texts }]
  })
  const isContinued = [...ids].some(isKnown)
  const earlier = [...seen].filter((id) => !inResponse.has(placeOf(id))).sort((a, b) => timeOf(a) - timeOf(b))
  const next = [...earlier, ...ids].slice(-Math.max(MAX_SEEN, ids.size))
  const isUnchanged = known !== null && !known.isFirst && next.join() === known.seen.join()
  const deliversNothing = known === null && start === 'now'
  return {
    fresh: deliversNothing ? [] : fresh,
    overflow: known !== null && !known.isFirst && entries.length >= MAX_ALERTS && !isContinued,
    next: isUnchanged ? known : { seen: next },
  }
}

/** Length of the hash of a wording, in characters. */
const WORDING_LENGTH = 4

/** Time and source of a text, and a hash of its wording, which is the only distinction between texts without a time. */
function idOf({ timestamp }: LogEntry, { source, text }: LogEntry['texts'][number]): string {
  const wording = shortHash(text).slice(0, WORDING_LENGTH)
  return `${timestamp ?? wording} ${source} ${wording}`
}

const placeOf = (id: string) => id.slice(0, -WORDING_LENGTH)

/** The time of a text; 0 for one without a time. */
const timeOf = (id: string) => Number(id.slice(0, id.indexOf(' '))) || 0

function countByPlace(ids: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>()
  for (const id of ids) counts.set(placeOf(id), (counts.get(placeOf(id)) ?? 0) + 1)
  return counts
}
