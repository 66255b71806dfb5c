import { MAX_ALERTS } from '../api/endpoints'
import { shorten } from './record-cursor'

/** What a node remembers of a device's alert log: the entries of the last answers. */
export interface AlertCursor {
  /** Prints of up to 20 entries, newest last. */
  seen: string[]
  /** Nothing was acknowledged yet: what is not remembered was not lost. */
  begins?: true
  /** When the answer came that it is made of, ms, but always later than the cursor before. */
  taken: number
}

/** An entry as far as it is told apart: when, and which texts. */
export interface Entry {
  timestamp: number | null
  texts: readonly { source: string; text: string }[]
}

export interface AlertPlan<E extends Entry> {
  fresh: E[]
  /** Older ones were lost before we asked. */
  overflow: boolean
  next: AlertCursor
}

/** What of an answer is new: what is not among the remembered entries. */
export function planAlerts<E extends Entry>(
  known: AlertCursor | null,
  entries: readonly E[],
  taken: number,
  start: 'now' | 'held',
): AlertPlan<E> {
  const seen = new Set(known?.seen)
  const print = ({ timestamp, texts }: Entry) =>
    shorten(JSON.stringify([timestamp, ...texts.map(({ source, text }) => [source, text])]))
  const prints = entries.map(print)
  const silent = known === null && start === 'now'
  // Of entries that are alike in every word, one is the other.
  const firsts = new Map(prints.map((one, index) => [one, index] as const).reverse())
  const isFirst = (index: number) => firsts.get(prints[index] as string) === index
  const isNew = (index: number) => isFirst(index) && !seen.has(prints[index] as string)
  // An entry without a word is known, and nothing to tell.
  const fresh = silent ? [] : entries.filter(({ texts }, index) => texts.length > 0 && isNew(index))
  const remembered = prints.some((one) => seen.has(one))
  return {
    fresh,
    overflow: known !== null && !known.begins && entries.length >= MAX_ALERTS && !remembered,
    next: {
      seen: [...[...seen].filter((one) => !firsts.has(one)), ...new Set(prints)].slice(-MAX_ALERTS),
      taken,
    },
  }
}
