import type { QuotaHeaders } from '../quota-headers'
import type { EndpointLimits } from './account-limits'
import { createLimit, mostGenerous, type OwnLimits, type RateLimit, type Use } from './window'

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

/** Statuses whose headers must not be used for the quota. */
const NOT_ABOUT_QUOTA = new Set([401, 403])

/** The limit reported by headers; if they do not contain one, their `remaining` refers to the account's limit. */
export function reportedLimit(headers: QuotaHeaders | null, own: OwnLimits): RateLimit | undefined {
  const { limit = null, windowSeconds = null, remaining = null } = headers ?? {}
  if (limit !== null && windowSeconds !== null) return createLimit(limit, windowSeconds)
  return remaining === null ? undefined : mostGenerous(own)
}

/**
 * How much an attempt used, and what its response reports, of the limit of requests and of that of a device's records.
 * @param reserved number of records
 */
export function usesOf(outcome: Outcome, reserved: number, { requests, records }: EndpointLimits): Use[] {
  const { headers, isSent } = outcome
  const ofRecords = records && mostGenerous(records)
  return [
    {
      used: isSent ? 1 : 0,
      reported: reportedLimit(headers, requests) ?? null,
      remaining: headers?.remaining ?? -1,
    },
    {
      used: ofRecords ? recordsUsed(reserved, ofRecords.limit, outcome) : 0,
      reported: ofRecords,
      remaining: headers?.recordsRemaining ?? -1,
    },
  ]
}

/**
 * Number of records used. If the response was incomplete, this is derived from the header or, without a header, it is
 * the reserved number.
 */
function recordsUsed(reserved: number, limit: number, { isSent, headers, records }: Outcome): number {
  if (!isSent) return 0
  const remaining = headers?.recordsRemaining ?? null
  // The account's own limit may be lower than that of the service.
  const byHeader = remaining === null || remaining > limit ? reserved : limit - remaining
  return Math.min(reserved, Math.max(0, records ?? byHeader))
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
  const { remaining = null, recordsRemaining = null } = headers ?? {}
  if (errorStatus === 429) {
    const isForRecords = remaining !== 0 && (recordsRemaining ?? Number.POSITIVE_INFINITY) < records
    return isForRecords ? 'records-refused' : 'quota-refused'
  }
  const isOtherRefusal = errorStatus >= 400 && errorStatus < 500 && !NOT_ABOUT_QUOTA.has(errorStatus)
  // Otherwise, the device was refused with the last request of the window.
  return isOtherRefusal && remaining === 0 && showsOthers ? 'quota-refused' : undefined
}
