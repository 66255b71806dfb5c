import { EnvlogError } from '../errors'
import type { RequestContext } from '../request'
import type { DeviceFailure, ResolvedDevice } from './devices'
import type { AccountAccess, Collected } from './fetch'
import { addPage, lacksKnownRecord, nextPage, type Paging } from './pages'
import { fetchPage } from './range'
import type { ReceivedRecords } from './record-plan'
import type { SavedDevice } from './saved-state'

/** A gateway may fail for hours, so a backfill is given up only after a page has failed this often over this time. */
const GIVE_UP_AFTER = { count: 3, ms: 86_400_000 }

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

/** The backfill of a device, and the failures after which it is given up. Only the failures survive a restart. */
export class DeviceBackfill {
  /** The backfill in progress. Received pages are kept between triggers and across deploys. */
  current: Backfill | null = null
  /** Failures of one page that may be permanent, and the node's running time since the first one, ms. */
  #failures: { count: number; ms: number } | null = null
  /** When a page last failed, monotonic ms. */
  #failedAt: number | null = null
  /**
   * Whether a backfill was given up and no page has been received since, so that the next refused backfill is given up
   * immediately.
   */
  #hasGivenUp = false

  /** Number of records kept in memory. */
  get retainedCount(): number {
    const { received, paging } = this.current ?? {}
    const pages = paging?.parts.reduce((sum, { records }) => sum + records.length, 0) ?? 0
    return pages + (received?.series.records.length ?? 0)
  }

  addPage(backfill: Backfill): void {
    this.reset()
    this.current = backfill
  }

  /**
   * Call this when a page could not be fetched.
   * @param now monotonic ms
   * @returns whether to give up the backfill, because the same page keeps failing or the device is refused again
   */
  fail(error: unknown, now: number): boolean {
    const isRefused = error instanceof EnvlogError && error.reason === 'device-refused'
    const isUnreadable = error instanceof EnvlogError && error.code === 'ENVLOG_REPLY'
    if (!isRefused && !isUnreadable) return false
    const { count, ms } = this.#failures ?? { count: 0, ms: 0 }
    const failures = { count: count + 1, ms: ms + now - (this.#failedAt ?? now) }
    this.#failures = failures
    this.#failedAt = now
    const isPersistent = failures.count >= GIVE_UP_AFTER.count && failures.ms >= GIVE_UP_AFTER.ms
    const mustGiveUp = isPersistent || (isRefused && this.#hasGivenUp)
    this.#hasGivenUp ||= mustGiveUp
    return mustGiveUp
  }

  /** Call this when the records were delivered or are no longer needed. */
  end(): void {
    this.current = null
    this.#failures = null
    this.#failedAt = null
  }

  /** Call this when earlier failures no longer matter. */
  reset(): void {
    this.end()
    this.#hasGivenUp = false
  }

  toSave(): Pick<SavedDevice, 'pageFailures' | 'hasGivenUp'> {
    return {
      ...(this.#failures && { pageFailures: this.#failures }),
      ...(this.#hasGivenUp && { hasGivenUp: true }),
    }
  }

  /** Restores saved failures. Later ones take precedence. */
  restore({ pageFailures, hasGivenUp = false }: SavedDevice): void {
    this.#failures ??= pageFailures ?? null
    this.#hasGivenUp ||= hasGivenUp
  }
}
