import { MAX_ALERTS } from '../endpoints'
import type { Cursor } from './delivery'
import { shortHash } from './record-cursor'

/** What a node remembers of a device's alert log (docs/collecting.md, *Alerts*). */
export interface AlertCursor extends Cursor {
  /** Hashes of the latest 20 entries, the newest last. */
  seen: string[]
  /** Nothing was acknowledged yet: entries that are not remembered were not lost. */
  isFirst?: true
}

/** An alert log entry as far as it is compared: when it was, and its texts. */
export interface ComparableAlert {
  /** ms since 1970 UTC. */
  timestamp: number | null
  texts: readonly { source: string; text: string }[]
}

export interface AlertPlan<E extends ComparableAlert> {
  /** The new entries. */
  fresh: E[]
  /** Older entries were lost before the request. */
  overflow: boolean
  /** The cursor once they are delivered. */
  next: AlertCursor
}

/**
 * Determines which entries of an answer are new: those that are not remembered.
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
  const hashes = entries.map(hashEntry)
  const isSilent = known === null && start === 'now'
  // Entries that are alike in every word count as one.
  const firstIndexes = new Map(hashes.map((hash, index) => [hash, index] as const).reverse())
  const isNew = (hash: string, index: number) => firstIndexes.get(hash) === index && !seen.has(hash)
  // An entry without a text is remembered, but there is nothing to deliver.
  const isWanted = ({ texts }: E, index: number) => texts.length > 0 && isNew(hashes[index] as string, index)
  const isContinued = hashes.some((hash) => seen.has(hash))
  const earlier = [...seen].filter((hash) => !firstIndexes.has(hash))
  return {
    fresh: isSilent ? [] : entries.filter(isWanted),
    overflow: known !== null && !known.isFirst && entries.length >= MAX_ALERTS && !isContinued,
    next: { seen: [...earlier, ...new Set(hashes)].slice(-MAX_ALERTS), sequence },
  }
}

function hashEntry({ timestamp, texts }: ComparableAlert): string {
  return shortHash(JSON.stringify([timestamp, ...texts.map(({ source, text }) => [source, text])]))
}
