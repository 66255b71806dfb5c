import { PAGE_RECORDS } from '../api/endpoints'
import type { SeriesRecord } from '../readings/record-reader'
import { fingerprint, type SeriesPart } from '../readings/series'

/** Seconds, and the newest so many between them. */
export interface Page {
  from: number
  to: number
  number: number
}

/** How far a period is fetched, page by page from the newest down: everything about borders, without a request. */
export interface Paging {
  /** Of the period, ms; from inclusive, to exclusive. */
  from: number
  to: number
  /** The end of the next page, seconds. */
  next: number
  /** Records that are still wanted; `null` for all. */
  left: number | null
  /** What came, newest page first. */
  parts: readonly SeriesPart[]
  /** Fingerprints of what the next page may bring again; they are not older than `borderFrom`, ms. */
  border: readonly string[]
  borderFrom: number | null
  isComplete: boolean
}

/** @param number the newest so many; `null` for all */
export function beginPages({
  from,
  to,
  number,
}: {
  from: number
  to: number
  number: number | null
}): Paging {
  const next = Math.ceil(to / 1000)
  return { from, to, next, left: number, parts: [], border: [], borderFrom: null, isComplete: false }
}

const firstSecond = ({ from }: Paging) => Math.max(0, Math.floor(from / 1000) - 1)

/** What to ask for: a second over what is known, at both ends. */
export function nextPage(paging: Paging): Page {
  const { next, left, border } = paging
  const number = left === null ? PAGE_RECORDS : Math.min(PAGE_RECORDS, left + border.length)
  return { from: firstSecond(paging), to: next, number }
}

/** What is known of a page before it is read. */
export interface Arrived {
  asked: Page
  /** Records that came, before any was left out. */
  received: number
  /** The time of the oldest, ms; `null` where none has one. */
  oldest: number | null
}

/** The end of the next page, seconds; nothing where this one was the last. */
function nextEnd(paging: Paging, { asked, received, oldest }: Arrived): number | undefined {
  if (received < asked.number || oldest === null) return undefined
  // A full page that does not reach further back: step over the second rather than ask the same again.
  const next = Math.min(Math.floor(oldest / 1000) + 1, paging.next - 1)
  return next <= firstSecond(paging) ? undefined : next
}

/** What `nextPage` will be, to be asked while this one is read; nothing where there is none, or only reading tells. */
export function pageAhead(paging: Paging, arrived: Arrived): Page | undefined {
  const to = paging.left === null ? nextEnd(paging, arrived) : undefined
  return to === undefined ? undefined : { from: firstSecond(paging), to, number: PAGE_RECORDS }
}

/**
 * With what is new of a page.
 * @param received records that came, before any was left out
 */
export function takePage(paging: Paging, series: SeriesPart, received: number, asked: Page): Paging {
  const { left, parts } = paging
  const { records, channels } = series
  const print = (record: SeriesRecord) => `${record.timestamp} ${fingerprint(record, channels)}`
  const fresh = freshOf(paging, records, print)
  const kept = left === null ? fresh : fresh.slice(Math.max(0, fresh.length - left))
  const more = left === null ? null : left - kept.length
  const taken: Paging = { ...paging, left: more, parts: [...parts, { ...series, records: kept }] }

  const oldest = records[placeOf(records, Number.NEGATIVE_INFINITY)]?.timestamp ?? null
  const next = nextEnd(paging, { asked, received, oldest })
  if (next === undefined || more === 0) return { ...taken, isComplete: true }
  const again = records.slice(0, placeOf(records, next * 1000 + 1))
  return { ...taken, next, border: [...new Set(again.map(print))], borderFrom: oldest }
}

/** What of a page lies inside the period and did not come before: what did has no time, or is of the border. */
function freshOf(
  { from, to, border, borderFrom }: Paging,
  records: readonly SeriesRecord[],
  print: (record: SeriesRecord) => string,
): SeriesRecord[] {
  const known = new Set(border)
  const isNew = (record: SeriesRecord) => !known.has(print(record))
  const undated = records.slice(0, placeOf(records, Number.NEGATIVE_INFINITY))
  const [first, end] = [placeOf(records, from), placeOf(records, to)]
  const doubtful = borderFrom === null ? end : Math.min(end, Math.max(first, placeOf(records, borderFrom)))
  const certain = records.slice(first, doubtful)
  return [...undated.filter(isNew), ...certain, ...records.slice(doubtful, end).filter(isNew)]
}

/** Where in ordered records those begin that have a time, and none before this, ms. */
function placeOf(records: readonly SeriesRecord[], time: number): number {
  let [low, high] = [0, records.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    const { timestamp } = records[middle] as SeriesRecord
    if (timestamp === null || timestamp < time) low = middle + 1
    else high = middle
  }
  return low
}
