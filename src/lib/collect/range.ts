import { fixedClock, type LocalClock } from '../../shared/local-clock'
import { nextTurn } from '../clock'
import type { TimeStyle } from '../decode/time'
import { type DeviceParams, MAX_RECORDS } from '../endpoints'
import { EnvlogError } from '../errors'
import { mergeSeries } from '../readings/merge'
import { readSeriesPart } from '../readings/series'
import type { RequestContext } from '../request'
import type { DeviceFailure, ResolvedDevice } from './devices'
import {
  type AccountAccess,
  type Collected,
  collectRaw,
  fetchDecoded,
  type ResponseFormat,
  toCollected,
} from './fetch'
import { addPage, lacksKnownRecord, nextPage, type Page, type ReceivedPage, startPaging } from './pages'
import { isLocal, type Period, placePeriod } from './place-period'

export interface RangeQuery {
  /**
   * If `time` is local, local times are in the account's time zone or at the device's UTC offset. Otherwise, they are
   * in UTC.
   */
  period: Period
  /** Maximum number of records, newest first; `null` for all. */
  number: number | null
  time: TimeStyle
  format: ResponseFormat
  /** Maximum length of the period. */
  maxLengthMs?: number
}

export interface CollectedRange extends Collected {
  /** The requested period, ISO 8601 in UTC; from inclusive, to exclusive. */
  range: { from: string; to: string }
  /** The clock for the period's local times, if it has any. */
  clock?: LocalClock
}

/**
 * Collects all records of a period (`data`, `data-relay`), page by page, newest page first. Raw and CSV output use a
 * single request.
 * @throws EnvlogError `period-empty`, `period-too-long`, `reply-other-period`, `reply-lacks-record`, or if a request,
 * the device list or decoding fails
 */
export async function collectRange(
  account: AccountAccess,
  target: ResolvedDevice,
  { period, number, time, format, maxLengthMs = Number.POSITIVE_INFINITY }: RangeQuery,
  context: RequestContext,
): Promise<CollectedRange> {
  const clock = await findClock(account, target, period, time, context)
  const { from, to } = placePeriod(period, clock)
  if (to - from > maxLengthMs) throw new EnvlogError('period-too-long')
  const range = { from: new Date(from).toISOString(), to: new Date(to).toISOString() }
  const first = startPaging({ from, to, number })
  if (format !== 'read') {
    const params = {
      ...buildPageParams(nextPage(first)),
      number: Math.min(number ?? MAX_RECORDS, MAX_RECORDS),
    }
    return { ...(await collectRaw(account, 'range', target, { ...params, type: format }, context)), range }
  }
  let paging = first
  const failed: DeviceFailure[] = []
  for (;;) {
    // The first page's offset applies to all pages, even if the clock changed between them.
    const offset = paging.parts[0]?.utcOffset
    const page = await fetchPage(account, target, nextPage(paging), { time, offset }, context)
    failed.push(...page.failed)
    if (lacksKnownRecord(paging, page.part)) throw new EnvlogError('reply-lacks-record')
    paging = addPage(paging, page.part, page.received)
    if (paging.isComplete) {
      await nextTurn()
      const content = { kind: 'series', series: mergeSeries(paging.parts) } as const
      return {
        ...toCollected(target, page.response, content),
        failed,
        range,
        ...(isLocal(period) && { clock }),
      }
    }
  }
}

/**
 * Requests a page of a period.
 * @param offset minutes that the device's clock is ahead of UTC, if an earlier response has determined it
 * @throws EnvlogError `reply-other-device`, or if the request or decoding fails
 */
export async function fetchPage(
  account: AccountAccess,
  target: ResolvedDevice,
  page: Page,
  { time, offset }: { time: TimeStyle; offset: number | null | undefined },
  context: RequestContext,
) {
  const params = buildPageParams(page)
  const fetched = await fetchDecoded(account, 'range', target, params, context, async (body) => {
    await nextTurn()
    return readSeriesPart(body, time, offset)
  })
  const { response, body, part, failed } = fetched
  // The client requests fewer records if the device's hourly limit does not have enough left.
  const requested = { ...page, number: response.number ?? page.number }
  const { recordsRemaining } = response.quota
  const received: ReceivedPage = { requested, count: body.records.length, recordsRemaining }
  return { response, part, failed, received }
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

function buildPageParams({ from, to, number }: Page): Partial<DeviceParams> {
  return { 'unixtime-from': from, 'unixtime-to': to, number }
}
