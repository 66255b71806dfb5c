import type { QuotaHeaders } from '../quota-headers'
import { createLimit, mostGenerous, type OwnLimits, type Use } from './window'

/** The parts of an attempt's outcome that the quota depends on. */
export interface Outcome {
  /** False if no byte of the request can have reached the service, so that nothing is used. */
  isSent: boolean
  /** Whether there is a complete response from the service itself, and not from a gateway. */
  hasResponse: boolean
  /** Headers of the response; `null` if there was none, or only a page from a gateway. */
  headers: QuotaHeaders | null
  /** Status of an error response. */
  errorStatus?: number | undefined
  /** Number of records received; `null` if unknown. */
  records: number | null
}

/** Why the service has refused a request: the limit on the endpoint's requests, or that on the device's records. */
export type LimitReason = 'quota-refused' | 'records-refused'

/** How much an attempt used of the limit of requests, and what its response reports of that. */
export function useOfRequests({ isSent, headers }: Outcome, own: OwnLimits): Use {
  const { limit = null, windowSeconds = null, remaining = null } = headers ?? {}
  // Without a limit in the headers, what remains refers to the account's limit.
  const ofAccount = remaining === null ? null : mostGenerous(own)
  const reported = limit !== null && windowSeconds !== null ? createLimit(limit, windowSeconds) : ofAccount
  return { used: isSent ? 1 : 0, reported, remaining: remaining ?? -1 }
}

/**
 * The same of the records of a device. If the response was incomplete, their number is derived from the header or,
 * without a header, it is the reserved number.
 */
export function useOfRecords({ isSent, headers, records }: Outcome, own: OwnLimits, reserved: number): Use {
  const reported = mostGenerous(own)
  const remaining = headers?.recordsRemaining ?? -1
  const used = reported.limit - remaining
  // The account's own limit may be lower than that of the service.
  const byHeader = remaining < 0 || used < 0 ? reserved : used
  return { used: isSent ? Math.min(reserved, records ?? byHeader) : 0, reported, remaining }
}

/**
 * Why the service has refused a request, if a limit was the cause (docs/quota.md).
 * @param records the requested number
 * @param showsOthers whether the response reports more requests than are known
 */
export function findRefusal(
  { headers, errorStatus = 0 }: Outcome,
  records: number,
  showsOthers: boolean,
): LimitReason | undefined {
  const { remaining, recordsRemaining } = headers ?? {}
  if (errorStatus === 429) {
    const isForRecords = remaining !== 0 && (recordsRemaining ?? Number.POSITIVE_INFINITY) < records
    return isForRecords ? 'records-refused' : 'quota-refused'
  }
  // The headers of 401 and 403 say nothing about the quota.
  const isOtherRefusal = errorStatus >= 400 && errorStatus < 500 && ![401, 403].includes(errorStatus)
  // Otherwise, the device was refused with the last request of the window.
  return isOtherRefusal && remaining === 0 && showsOthers ? 'quota-refused' : undefined
}
