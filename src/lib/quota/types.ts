import type { QuotaHeaders } from '../api/quota-headers'
import type { EndpointName } from '../endpoints'
import type { EnvlogError } from '../errors'
import type { QueueKey } from './fair-queue'
import type { WindowLimiter } from './window-limiter'

/** What a request waits for. */
export interface QuotaWait {
  endpoint: EndpointName
  /** Estimated start, ms since 1970 UTC; `null` when the request starts, or waits only for a connection. */
  until: number | null
  /** True while the limit of records of the device is used up, false while that of requests is. */
  records: boolean
}

/** On whose behalf a request is made, and how long it may wait. */
export interface RequestContext {
  signal: AbortSignal
  queueKey: QueueKey
  /** Longest wait for quota since the request was queued; `null` without limit. */
  maxWaitMs: number | null
  /** Longest wait for records of the device; `maxWaitMs` where it is left out. */
  maxRecordsWaitMs?: number
  /** Called when a wait for quota begins, when its estimate changes by a second or more, and when it ends. */
  onWait?(wait: QuotaWait): void
}

/** A request as the quota sees it. */
export interface QuotaRequest<T> {
  endpoint: EndpointName
  /** Requests with equal keys are coalesced: they are sent once. */
  key: string
  records?: RecordDemand
  /**
   * Makes one attempt; never rejects.
   * @param maxRecords how many records it may request, where they are counted
   * @param retries how many attempts failed before
   */
  send(maxRecords: number | undefined, signal: AbortSignal, retries: number): Promise<AttemptResult<T>>
  /** A copy of the value for each further caller. */
  copy(value: T): T
}

/** Records that a request wants of a device, and with how few it is sent rather than wait for more. */
export interface RecordDemand {
  device: string
  wanted: number
  minimum: number
}

/** Permits that one attempt has reserved: one request and, where they are counted, records of its device. */
export interface Reservation {
  /** Unique among all reservations of all processes. */
  id: string
  endpoint: EndpointName
  /** In monotonic ms. */
  reservedAt: number
  requests: WindowLimiter
  /** From `WindowLimiter.reserve`; so are those of the records. */
  baseline: number
  records: { device: string; limiter: WindowLimiter; minimum: number; baseline: number } | null
  /** How many records the attempt may request; `undefined` if the request names no number. */
  maxRecords: number | undefined
}

/** When a job can be sent, in monotonic ms, and whether it waits for records of its device rather than for requests. */
export interface StartEstimate {
  at: number
  isForRecords: boolean
}

/** How an attempt ended, as far as the quota needs to know. */
export type AttemptResult<T> = {
  /** `null` if no response was received. */
  headers: QuotaHeaders | null
  /** Records received; `null` or left out if the response could not be read. */
  records?: number | null
  /** True if the request never reached the service: nothing is used. */
  isUnsent?: boolean
} & ({ value: T } | { error: EnvlogError; retryAfterMs?: number })

/** Which limit was exceeded: that of the endpoint's requests, or that of a device's records. */
export type LimitScope = 'endpoint' | 'device'

/** What an attempt cost: the same for this process and for a shared quota. */
export interface AttemptCost {
  /** What is used of the permits and records that were reserved. */
  used: { requests: number; records: number }
  /** Which limit the service refused the request for, if it did. */
  refusedBy: LimitScope | undefined
  /** What is closed for a window; of a device that has records left, fewer are requested immediately instead. */
  closes: LimitScope | undefined
  /** Refused with status 429. */
  is429: boolean
}
