import type { SeriesPart } from '../readings/series'

/**
 * Records per page. This is the service's default without `number` (docs/service.md, *Fields*), and few enough to be
 * parsed or read in one turn of the event loop.
 */
export const PAGE_RECORDS = 16_000
/**
 * Whether the service includes the bounds of a page is undocumented and varies (docs/service.md), so a page begins and
 * ends this long outside its period.
 */
const MARGIN_SECONDS = 1

/** A page: the newest `number` records between two bounds in seconds since 1970 UTC. */
export interface Page {
  from: number
  to: number
  number: number
}

/** A received page. */
export interface ReceivedPage {
  part: SeriesPart
  requested: Page
  /** Number of records received, including unreadable ones. */
  count: number
  /**
   * Number of records of the device that can still be fetched in this hour; `null` if the service did not report it.
   */
  recordsRemaining: number | null
}

/** The page with the newest records of a period. @param from both bounds are included, ms since 1970 UTC */
export function pageOf(from: number, to: number, number = PAGE_RECORDS): Page {
  return {
    from: Math.max(0, Math.floor(from / 1000) - MARGIN_SECONDS),
    to: Math.floor(to / 1000) + MARGIN_SECONDS,
    number,
  }
}

/**
 * Whether a page contradicts its newer neighbour, which contained a record of this time: the page must contain it too.
 * If it does not, the service may have left out other records as well.
 */
export function lacksRecordAt(time: number, { records }: SeriesPart): boolean {
  return !records.some(({ timestamp }) => timestamp === time)
}

/** Whether a page has records outside its bounds. */
export function hasRecordsOutside({ part: { records }, requested: { from, to } }: ReceivedPage): boolean {
  const isOutside = (time: number) => time < from * 1000 || time > (to + 1) * 1000
  return records.some(({ timestamp }) => timestamp !== null && isOutside(timestamp))
}
