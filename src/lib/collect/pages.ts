import { PAGE_RECORDS } from '../api/endpoints'
import { fingerprint, type SeriesPart, type SeriesRecord } from '../readings/series'

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
  const { from, to, left, parts, borderFrom } = paging
  const border = new Set(paging.border)
  const print = (record: SeriesRecord) => `${record.timestamp} ${fingerprint(record, series.channels)}`
  const isInside = ({ timestamp }: SeriesRecord) =>
    timestamp === null || (timestamp >= from && timestamp < to)
  const isKnown = (record: SeriesRecord) =>
    borderFrom !== null &&
    (record.timestamp === null || record.timestamp >= borderFrom) &&
    border.has(print(record))
  const records = series.records.filter((record) => isInside(record) && !isKnown(record))
  const kept = left === null ? records : records.slice(Math.max(0, records.length - left))
  const more = left === null ? null : left - kept.length
  const taken: Paging = { ...paging, left: more, parts: [...parts, { ...series, records: kept }] }

  const oldest = series.records.find(({ timestamp }) => timestamp !== null)?.timestamp ?? null
  const next = nextEnd(paging, { asked, received, oldest })
  if (next === undefined || more === 0) return { ...taken, isComplete: true }
  const again = series.records.filter(({ timestamp }) => timestamp === null || timestamp <= next * 1000)
  return { ...taken, next, border: [...new Set(again.map(print))], borderFrom: oldest }
}
