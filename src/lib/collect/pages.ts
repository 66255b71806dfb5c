import { EnvlogError } from '../errors'
import type { SeriesRecord } from '../readings/record-reader'
import { fingerprint, type SeriesPart } from '../readings/series'

/**
 * Records per page. This is the service's default without `number` (docs/service.md, *Fields*), and few enough to be
 * parsed or read in one turn of the event loop.
 */
const PAGE_RECORDS = 16_000
const OVERLAP_SECONDS = 1
/**
 * Whether the service includes the bounds of a page is undocumented and varies (docs/service.md). So a page begins this
 * long before its period and ends this long after the oldest record that was received before it.
 */
export const OVERLAP_MS = OVERLAP_SECONDS * 1000

/** A page: the newest `number` records between two bounds in seconds since 1970 UTC. */
export interface Page {
  from: number
  to: number
  number: number
}

/**
 * The progress of fetching a period page by page, newest page first. Pages overlap, and records that were already
 * received are dropped.
 */
export interface Paging {
  /** Bounds of the period, ms since 1970 UTC; from inclusive, to exclusive. */
  from: number
  to: number
  /** The end of the next page, seconds since 1970 UTC. */
  nextTo: number
  /** Number of records still wanted; `null` for all. */
  remaining: number | null
  /** New records of each page, newest page first. */
  parts: readonly SeriesPart[]
  /** Fingerprints of records that the next page may contain again. */
  overlap: readonly string[]
  /** The time of the oldest received record, which the next page must contain, ms since 1970 UTC; `null` if unknown. */
  overlapFrom: number | null
  isComplete: boolean
}

/**
 * @param period bounds in ms since 1970 UTC; `number` limits it to the newest records, `null` for all
 * @param overlapFrom the time of a record that the first page must contain; `null` if none is known
 */
export function startPaging(
  { from, to, number: remaining }: { from: number; to: number; number: number | null },
  overlapFrom: number | null = null,
): Paging {
  const nextTo = Math.ceil(to / 1000)
  return { from, to, nextTo, remaining, parts: [], overlap: [], overlapFrom, isComplete: false }
}

const firstSecond = ({ from }: Paging) => Math.max(0, Math.floor(from / 1000) - OVERLAP_SECONDS)

export function nextPage(paging: Paging): Page {
  const { nextTo, remaining, overlap } = paging
  const number = remaining === null ? PAGE_RECORDS : Math.min(PAGE_RECORDS, remaining + overlap.length)
  return { from: firstSecond(paging), to: nextTo, number }
}

/** The properties of a received page, apart from its records. */
export interface ReceivedPage {
  requested: Page
  /** Number of records received, including unreadable ones. */
  count: number
  /**
   * Number of records of the device that can still be fetched in this hour; `null` if the service did not report it.
   */
  recordsRemaining: number | null
}

/**
 * The end of the next page, in seconds; `undefined` if this page was the last one. A page with fewer records than
 * requested is the last one if it reaches the start of the period, or if the hourly limit allowed more records.
 * Otherwise, the service may have truncated it.
 */
function nextEnd(
  paging: Paging,
  { requested, count, recordsRemaining }: ReceivedPage,
  oldest: number | null,
): number | undefined {
  if (oldest === null) return undefined
  const isComplete = oldest <= paging.from || (recordsRemaining ?? 0) > 0
  if (count < requested.number && isComplete) return undefined
  // If a full page covers a single second, continue before that second, because the same page would be sent again.
  const next = Math.min(Math.floor(oldest / 1000) + OVERLAP_SECONDS, paging.nextTo - 1)
  return next <= firstSecond(paging) ? undefined : next
}

/**
 * Adds the new records of a page.
 * @throws EnvlogError `reply-other-period` if the page has no new record of the period but records outside the
 * requested bounds
 */
export function addPage(paging: Paging, series: SeriesPart, received: ReceivedPage): Paging {
  const { remaining, parts } = paging
  const { requested } = received
  const { records, channels } = series
  const identify = (record: SeriesRecord) => `${record.timestamp} ${fingerprint(record, channels)}`
  const fresh = selectNew(paging, requested, records, identify)
  if (fresh.length === 0 && records.some(isOutside(requested))) throw new EnvlogError('reply-other-period')
  const wanted = remaining === null ? fresh : fresh.slice(Math.max(0, fresh.length - remaining))
  const left = remaining === null ? null : remaining - wanted.length
  const added: Paging = { ...paging, remaining: left, parts: [...parts, { ...series, records: wanted }] }

  const oldest = records.find(({ timestamp }) => timestamp !== null)?.timestamp ?? null
  const nextTo = nextEnd(paging, received, oldest)
  if (nextTo === undefined || left === 0) return { ...added, isComplete: true }
  const overlapping = records.filter(({ timestamp }) => timestamp === null || timestamp <= nextTo * 1000)
  return { ...added, nextTo, overlap: [...new Set(overlapping.map(identify))], overlapFrom: oldest }
}

/**
 * Whether a page lacks the record at its end that is known from the page received before it. In that case, the service
 * may have left out other records too. After a page of a single second, the page ends before that record and need not
 * contain it.
 */
export function lacksKnownRecord({ overlapFrom, nextTo }: Paging, { records }: SeriesPart): boolean {
  if (overlapFrom === null || overlapFrom >= nextTo * 1000) return false
  return !records.some(({ timestamp }) => timestamp === overlapFrom)
}

/** Whether a record is outside the requested page. */
const isOutside =
  ({ from, to }: Page) =>
  ({ timestamp }: SeriesRecord) =>
    timestamp !== null && (timestamp < from * 1000 || timestamp > (to + 1) * 1000)

/** The new records of a page that are inside the period. Only records at its end can have been received before. */
function selectNew(
  { from, to, overlap, overlapFrom }: Paging,
  requested: Page,
  records: readonly SeriesRecord[],
  identify: (record: SeriesRecord) => string,
): SeriesRecord[] {
  const known = new Set(overlap)
  const end = Math.min(to, requested.to * 1000 + 1)
  const isInside = ({ timestamp }: SeriesRecord) =>
    timestamp === null || (timestamp >= from && timestamp < end)
  const mayBeKnown = ({ timestamp }: SeriesRecord) =>
    timestamp === null || timestamp >= (overlapFrom ?? Number.POSITIVE_INFINITY)
  return records.filter((record) => isInside(record) && !(mayBeKnown(record) && known.has(identify(record))))
}
