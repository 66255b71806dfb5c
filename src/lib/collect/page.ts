import { nextTurn } from '../clock'
import type { TimeStyle } from '../decode/time'
import type { DeviceParams } from '../endpoints'
import { readSeriesPart, type SeriesPart } from '../readings/series'
import type { RequestContext } from '../request'
import type { DeviceFailure, ResolvedDevice } from './devices'
import { type AccountAccess, type Collected, fetchDecoded } from './fetch'

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

/** A page as it was received, and the unreadable records that were left out. */
export interface ReceivedPage {
  response: Collected['response']
  part: SeriesPart
  failed: readonly DeviceFailure[]
  requested: Page
  /** Number of records received, including unreadable ones. */
  count: number
  /**
   * Number of records of the device that can still be fetched in this hour; `null` if the service did not report it.
   */
  recordsRemaining: number | null
  /** Whether it lacks the record of its newer neighbour, so that it may lack other records as well. */
  isContradicted: boolean
}

/** The page with the newest records of a period. @param from both bounds are included, ms since 1970 UTC */
export function pageOf(from: number, to: number, number = PAGE_RECORDS): Page {
  return {
    from: Math.max(0, Math.floor(from / 1000) - MARGIN_SECONDS),
    to: Math.floor(to / 1000) + MARGIN_SECONDS,
    number,
  }
}

export function pageParams({ from, to, number }: Page): Partial<DeviceParams> {
  return { 'unixtime-from': from, 'unixtime-to': to, number }
}

interface PageOptions {
  time: TimeStyle
  /** Minutes that the device's clock is ahead of UTC, if an earlier response has determined it. */
  offset: number | null | undefined
  /** The time of a record of the newer neighbour, which the page must contain too; `null` if there is none. */
  seam: number | null
  /** Maximum number of requests, if the page lacks this record. */
  maxAttempts: number
}

/**
 * Requests a page of a period (`data`, `data-relay`).
 * @throws EnvlogError `response-other-device`, or if the request or decoding fails
 */
export async function fetchPage(
  account: AccountAccess,
  target: ResolvedDevice,
  page: Page,
  { time, offset, seam, maxAttempts }: PageOptions,
  context: RequestContext,
): Promise<ReceivedPage> {
  const request = { kind: 'range', target, params: pageParams(page) } as const
  for (let attempt = 1; ; attempt++) {
    const fetched = await fetchDecoded(account, request, context, async (body) => {
      await nextTurn()
      return readSeriesPart(body, time, offset)
    })
    const { response, body, part, failed } = fetched
    const isContradicted = seam !== null && part.records.every(({ timestamp }) => timestamp !== seam)
    if (isContradicted && attempt < maxAttempts) continue
    // The client requests fewer records if the device's hourly limit does not have enough left.
    const requested = { ...page, number: response.number ?? page.number }
    const { recordsRemaining } = response.quota
    return { response, part, failed, isContradicted, requested, count: body.records.length, recordsRemaining }
  }
}

/** Whether a page has records outside its bounds. */
export function hasRecordsOutside({ part: { records }, requested: { from, to } }: ReceivedPage): boolean {
  const isOutside = (time: number) => time < from * 1000 || time > (to + 1) * 1000
  return records.some(({ timestamp }) => timestamp !== null && isOutside(timestamp))
}
