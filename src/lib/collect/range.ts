import { fixedClock, type LocalClock } from '../../shared/local-clock'
import { nextTurn } from '../clock'
import type { TimeStyle } from '../decode/time'
import { MAX_RECORDS } from '../endpoints'
import { EnvlogError } from '../errors'
import type { SeriesContent } from '../readings/content'
import { mergeSeries, type SeriesPart, type SeriesRecord } from '../readings/series'
import type { RequestContext } from '../request'
import type { DeviceFailure, ResolvedDevice } from './devices'
import {
  type AccountAccess,
  type Collected,
  collectRaw,
  type Delivery,
  type ResponseFormat,
  toCollected,
} from './fetch'
import { findLoss } from './find-loss'
import type { LostPeriod } from './holes'
import { hashesOf, type KnownRecords, selectUnknown } from './known-records'
import {
  fetchPage,
  hasRecordsOutside,
  PAGE_RECORDS,
  type Page,
  pageOf,
  pageParams,
  type ReceivedPage,
} from './page'
import { isLocal, type Period, placePeriod } from './place-period'

export interface SeriesQuery {
  /**
   * If `time` is local, local times are in the account's time zone or at the device's UTC offset. Otherwise, they are
   * in UTC.
   */
  period: Period
  /** Maximum number of records, newest first; `null` for all. */
  number: number | null
  time: TimeStyle
  /** Maximum length of the period. */
  maxLengthMs?: number
  /** Maximum number of pages; the newest ones are fetched. */
  maxPages?: number
}

export interface RangeQuery extends SeriesQuery {
  format: ResponseFormat
}

export interface CollectedRange extends Delivery {
  range: { from: string; to: string }
  /** The period of the records that the service no longer had, if it is known. */
  lost?: LostPeriod
}

/** The records of a period. */
export interface CollectedSeries extends CollectedRange {
  content: SeriesContent
  /** The clock for the period's local times, if it has any. */
  clock?: LocalClock
}

/**
 * Collects all records of a period (`data`, `data-relay`). Raw and CSV output use a single request.
 * @throws EnvlogError as `collectSeries`
 */
export async function collectRange(
  account: AccountAccess,
  target: ResolvedDevice,
  { format, ...query }: RangeQuery,
  context: RequestContext,
): Promise<CollectedRange> {
  if (format === 'read') return collectSeries(account, target, query, context)
  const { from, to, range } = await placeQuery(account, target, query, context)
  const params = pageParams(pageOf(from, to - 1, Math.min(query.number ?? MAX_RECORDS, MAX_RECORDS)))
  const request = { kind: 'range', target, params: { ...params, type: format } } as const
  return { ...(await collectRaw(account, request, context)), range }
}

/**
 * Collects all records of a period, page by page, newest page first.
 * @throws EnvlogError `period-empty`, `period-too-long`, `response-other-period`, or if a request,
 * the device list or decoding fails
 */
export async function collectSeries(
  account: AccountAccess,
  target: ResolvedDevice,
  query: SeriesQuery,
  context: RequestContext,
): Promise<CollectedSeries> {
  const { from, to, range, clock } = await placeQuery(account, target, query, context)
  const pages = await fetchPages(account, target, { ...query, from, to: to - 1 }, context)
  await account.devices.awaitNames(target, context)
  await nextTurn()
  const series = mergeSeries(pages.parts)
  const { response, failed, isPartial } = pages
  const isComplete = !isPartial && (query.number === null || series.records.length < query.number)
  const lost = isComplete && findLoss(series, { from, to }, response.receivedAt, account.series1Models)
  return {
    ...toCollected(account, target, response, { kind: 'series', series }),
    ...((pages.overflow || lost) && { overflow: true }),
    ...(lost && { lost }),
    ...(isPartial && { isPartial }),
    failed,
    range,
    ...(isLocal(query.period) && { clock }),
  }
}

/** @throws EnvlogError `period-empty`, `period-too-long`, or if the request for the device list fails */
async function placeQuery(
  account: AccountAccess,
  target: ResolvedDevice,
  { period, time, maxLengthMs = Number.POSITIVE_INFINITY }: SeriesQuery,
  context: RequestContext,
) {
  const clock = await findClock(account, target, period, time, context)
  const { from, to } = placePeriod(period, clock)
  if (to - from > maxLengthMs) throw new EnvlogError('period-too-long')
  return { from, to, clock, range: { from: new Date(from).toISOString(), to: new Date(to).toISOString() } }
}

/** Maximum number of requests for a page that contradicts its neighbour. */
const MAX_ATTEMPTS = 3

/** The next page of a period. */
interface NextPage {
  /** Its end, seconds since 1970 UTC. */
  to: number
  /** The received records that it may contain again. */
  known: KnownRecords
  /** The time of one of them that it must contain; `null` for none. */
  seam: number | null
}

/** The new records of each page of a period, newest page first. @param from both bounds are included */
async function fetchPages(
  account: AccountAccess,
  target: ResolvedDevice,
  { from, to, number, time, maxPages = Number.POSITIVE_INFINITY }: SeriesQuery & { from: number; to: number },
  context: RequestContext,
) {
  // A period that has begun waits for the record quota, because its pages would otherwise be fetched again.
  const { maxRecordsWaitMs: _, ...ofLaterPages } = context
  const parts: SeriesPart[] = []
  const failed: DeviceFailure[] = []
  let overflow = false
  let remaining = number ?? Number.POSITIVE_INFINITY
  let next: NextPage | undefined = { to: pageOf(from, to).to, known: { records: [], hashes: [] }, seam: null }
  let response: Collected['response']
  do {
    const { known, seam }: NextPage = next
    const most = Math.min(PAGE_RECORDS, remaining + known.records.length)
    const page: Page = { ...pageOf(from, to, most), to: next.to }
    // The first page's offset applies to all pages, even if the clock changed between them.
    const options = { time, offset: parts[0]?.utcOffset, seam, maxAttempts: MAX_ATTEMPTS }
    const own = parts.length === 0 ? context : ofLaterPages
    const fetched = await fetchPage(account, target, page, options, own)
    const { part } = fetched
    response = fetched.response
    failed.push(...fetched.failed)
    overflow ||= fetched.isContradicted
    const inside = part.records.filter(isBetween(from, Math.min(to, page.to * 1000)))
    const fresh = selectUnknown(known, inside, part.channels)
    if (fresh.length === 0 && hasRecordsOutside(fetched)) throw new EnvlogError('response-other-period')
    const records = fresh.slice(Math.max(0, fresh.length - remaining))
    remaining -= records.length
    parts.push({ ...part, records })
    next = remaining > 0 ? pageBefore(fetched, from, inside) : undefined
  } while (next && parts.length < maxPages)
  return { parts, failed, overflow, response, isPartial: next !== undefined }
}

/** The page before a received one; `undefined` if there is none. @param inside the records inside the period */
function pageBefore(
  received: ReceivedPage,
  from: number,
  inside: readonly SeriesRecord[],
): NextPage | undefined {
  const { part, requested } = received
  const oldest = part.records.find(({ timestamp }) => timestamp !== null)?.timestamp ?? null
  if (oldest === null || isLastPage(from, oldest, received)) return undefined
  // If a full page covers a single second, continue before that second, because the same page would be sent again.
  const to = Math.min(pageOf(from, oldest).to, requested.to - 1)
  if (to <= requested.from) return undefined
  const records = inside.filter(isBetween(from, to * 1000))
  const seam = oldest < to * 1000 ? oldest : null
  return { to, known: { records, hashes: hashesOf(records, part.channels, oldest) }, seam }
}

/** Records without a time may belong to any period. */
const isBetween =
  (from: number, to: number) =>
  ({ timestamp }: SeriesRecord) =>
    timestamp === null || (timestamp >= from && timestamp <= to)

/**
 * Whether a page is the last one. A page with fewer records than requested is the last one if it reaches the start of
 * the period, or if the hourly limit allowed more records. Otherwise, the service may have truncated it.
 */
function isLastPage(
  from: number,
  oldest: number,
  { requested, count, recordsRemaining }: ReceivedPage,
): boolean {
  return count < requested.number && (oldest <= from || (recordsRemaining ?? 0) > 0)
}

/** The clock for the period's local times. The device list is requested only if the device's own offset is needed. */
async function findClock(
  account: AccountAccess,
  { serial, base }: ResolvedDevice,
  period: Period,
  time: TimeStyle,
  context: RequestContext,
): Promise<LocalClock> {
  if (typeof time === 'object') return time
  if (time === 'utc' || !isLocal(period)) return fixedClock(0)
  // As in the messages, local times are in UTC if the offset cannot be read.
  return fixedClock((await account.devices.utcOffset(serial, base, context)) ?? 0)
}
