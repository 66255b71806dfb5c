import type { RequestContext } from '../request'
import type { DeviceFailure, ResolvedDevice } from './devices'
import type { AccountAccess, Collected } from './fetch'
import { addPage, lacksKnownRecord, nextPage, type Paging } from './pages'
import { fetchPage } from './range'
import type { ReceivedRecords } from './record-plan'

/** A fetch in progress of the records between a cursor and a response, with the pages received so far. */
export interface Backfill {
  received: ReceivedRecords
  /** The last response received, without its body. */
  response: Collected['response']
  paging: Paging
  /** Unreadable records, to be reported. */
  failed: readonly DeviceFailure[]
}

/**
 * Requests the next page and adds it. If the limit of records is used up, the device fails without waiting, and the
 * next trigger continues with the same page.
 * @throws EnvlogError `reply-other-period`, or if the request or decoding fails
 */
export async function fetchBackfillPage(
  account: AccountAccess,
  target: ResolvedDevice,
  backfill: Backfill,
  context: RequestContext,
): Promise<Backfill> {
  const { received, paging } = backfill
  // Pages do not say whether daylight saving time applied, so the offset of the response is used for all of them.
  const style = { time: received.time, offset: received.series.utcOffset }
  const fetchNext = () =>
    fetchPage(account, target, nextPage(paging), style, { ...context, maxRecordsWaitMs: 0 })
  let page = await fetchNext()
  // The service may have left out more records. If the record is missing again, the service may have deleted its oldest
  // records in the meantime.
  if (lacksKnownRecord(paging, page.part)) page = await fetchNext()
  return {
    ...backfill,
    response: page.response,
    paging: addPage(paging, page.part, page.received),
    failed: [...backfill.failed, ...page.failed],
  }
}
