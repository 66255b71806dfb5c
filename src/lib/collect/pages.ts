import { PAGE_RECORDS } from '../api/endpoints'
import { EnvlogError } from '../errors'
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
  /** Records that may still be fetched in this hour; `null` where the service did not tell. */
  remaining: number | null
}

/** The end of the next page, seconds; nothing where this one was the last. */
function nextEnd(paging: Paging, arrived: Arrived, oldest: number | null): number | undefined {
  if (oldest === null || isLast(paging, arrived, oldest)) return undefined
  // A full page that does not reach further back: step over the second rather than ask the same again.
  const next = Math.min(Math.floor(oldest / 1000) + 1, paging.next - 1)
  return next <= firstSecond(paging) ? undefined : next
}

/**
 * Fewer than asked for are all there are where they reach the beginning, or where the service had more to give: else
 * it may have cut the page short.
 */
function isLast({ from }: Paging, { asked, received, remaining }: Arrived, oldest: number): boolean {
  return received < asked.number && (oldest <= from || (remaining ?? 0) > 0)
}

/**
 * What `nextPage` will be, to be asked while this one is read; nothing where there is none, or only reading tells.
 * @param oldest the time of the oldest record, ms; `null` where none has one
 */
export function pageAhead(paging: Paging, arrived: Arrived, oldest: number | null): Page | undefined {
  const to = paging.left === null ? nextEnd(paging, arrived, oldest) : undefined
  return to === undefined ? undefined : { from: firstSecond(paging), to, number: PAGE_RECORDS }
}

/**
 * With what is new of a page.
 * @throws EnvlogError `reply-other-period`: to go on would bring the same again and again
 */
export function takePage(paging: Paging, series: SeriesPart, arrived: Arrived): Paging {
  const { left, parts } = paging
  const { records, channels } = series
  const print = (record: SeriesRecord) => `${record.timestamp} ${fingerprint(record, channels)}`
  const fresh = freshOf(paging, arrived.asked, records, print)
  if (fresh.length === 0 && records.some(isBeyond(arrived.asked))) throw new EnvlogError('reply-other-period')
  const kept = left === null ? fresh : fresh.slice(Math.max(0, fresh.length - left))
  const more = left === null ? null : left - kept.length
  const taken: Paging = { ...paging, left: more, parts: [...parts, { ...series, records: kept }] }

  const oldest = records[placeOf(records, Number.NEGATIVE_INFINITY)]?.timestamp ?? null
  const next = nextEnd(paging, arrived, oldest)
  if (next === undefined || more === 0) return { ...taken, isComplete: true }
  const again = records.slice(0, placeOf(records, next * 1000 + 1))
  return { ...taken, next, border: [...new Set(again.map(print))], borderFrom: oldest }
}

/** Whether a record is none of those that were asked for. */
const isBeyond =
  ({ from, to }: Page) =>
  ({ timestamp }: SeriesRecord) =>
    timestamp !== null && (timestamp < from * 1000 || timestamp > (to + 1) * 1000)

/** What of a page lies inside the period and did not come before: what did has no time, or is of the border. */
function freshOf(
  { from, to, border, borderFrom }: Paging,
  asked: Page,
  records: readonly SeriesRecord[],
  print: (record: SeriesRecord) => string,
): SeriesRecord[] {
  const known = new Set(border)
  const isNew = (record: SeriesRecord) => !known.has(print(record))
  const undated = records.slice(0, placeOf(records, Number.NEGATIVE_INFINITY))
  const [first, end] = [placeOf(records, from), placeOf(records, Math.min(to, asked.to * 1000 + 1))]
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
