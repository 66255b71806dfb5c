import { MAX_ALERTS } from '../endpoints'
import { type AlertCursor, shortHash } from './cursor'

/** An alert log entry as far as it is compared: when it was, and its texts. */
export interface ComparableAlert {
  /** ms since 1970 UTC. */
  timestamp: number | null
  texts: readonly { source: string; text: string }[]
}

export interface AlertPlan<E extends ComparableAlert> {
  /** The new entries, with their new texts. */
  fresh: E[]
  /** Older entries were lost before the request. */
  overflow: boolean
  /** The cursor once they are delivered. */
  next: AlertCursor
}

/**
 * Determines what is new in an answer: the texts that are not remembered. They are told apart by time and source, because
 * the service may reword them when a channel gets another name; by their wording only where several have both in common.
 * @param known the device's cursor; `null` where nothing was delivered yet
 * @param sequence of the next cursor
 */
export function planAlerts<E extends ComparableAlert>(
  known: AlertCursor | null,
  entries: readonly E[],
  sequence: number,
  start: 'now' | 'all',
): AlertPlan<E> {
  const seen = new Set(known?.seen)
  const ids = new Set(entries.flatMap((entry) => entry.texts.map((text) => idOf(entry, text))))
  const [inAnswer, inSeen] = [countByPlace(ids), countByPlace(seen)]
  const isKnown = (id: string) => {
    const place = placeOf(id)
    return seen.has(id) || (inAnswer.get(place) === 1 && inSeen.get(place) === 1)
  }
  const news = new Set([...ids].filter((id) => !isKnown(id)))
  // Texts that are alike in every word count as one.
  const fresh = entries.flatMap((entry): E[] => {
    const texts = entry.texts.filter((text) => news.delete(idOf(entry, text)))
    return texts.length === 0 ? [] : [{ ...entry, texts }]
  })
  const isContinued = [...ids].some(isKnown)
  const earlier = [...seen].filter((id) => !inAnswer.has(placeOf(id)))
  const isSilent = known === null && start === 'now'
  return {
    fresh: isSilent ? [] : fresh,
    overflow: known !== null && !known.isFirst && entries.length >= MAX_ALERTS && !isContinued,
    next: { seen: [...earlier, ...ids].slice(-Math.max(MAX_ALERTS, ids.size)), sequence },
  }
}

/** Letters of the hash of a wording. */
const WORDING_LENGTH = 4

/** Time and source of a text, and a hash of its wording: without a time, only that tells texts apart. */
function idOf({ timestamp }: ComparableAlert, { source, text }: { source: string; text: string }): string {
  const wording = shortHash(text).slice(0, WORDING_LENGTH)
  return `${timestamp ?? wording} ${source} ${wording}`
}

const placeOf = (id: string) => id.slice(0, -WORDING_LENGTH)

function countByPlace(ids: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>()
  for (const id of ids) counts.set(placeOf(id), (counts.get(placeOf(id)) ?? 0) + 1)
  return counts
}
