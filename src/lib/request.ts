import type { EndpointName } from './endpoints'
import type { QuotaHeaders } from './quota-headers'

/** Queue key of requests from the editor, which take precedence over those of all nodes. */
export const EDITOR = Symbol('editor')

/** How long a response of `current` is kept for nodes that trigger themselves. */
export const MAX_AGE_MS = 10_000

/** Requests with the same key are sent in order of arrival, and keys take turns. Nodes use their id. */
export type QueueKey = string | typeof EDITOR

/** The wait of a request. */
export interface QuotaWait {
  endpoint: EndpointName
  /** Estimated start, ms since 1970 UTC; `null` when the request starts, or waits only for a connection. */
  until: number | null
  /** Whether the device's limit of records is used up; otherwise, it is the limit of requests. */
  records: boolean
}

/** The caller of a request, and the longest time that it may wait. */
export interface RequestContext {
  signal: AbortSignal
  queueKey: QueueKey
  /** Longest wait for quota since the request was made; `null` for no limit. */
  maxWaitMs: number | null
  /** Longest wait for records of the device; defaults to `maxWaitMs`. */
  maxRecordsWaitMs?: number
  /** Maximum age of a response of `current` to the same request, up to `MAX_AGE_MS`; by default, it must be new. */
  maxAgeMs?: number
  /** Maximum number of retries, if it is smaller than that of the account. */
  maxRetries?: number
  /** Whether a request that was refused because of a limit is not sent again, even if quota is left. */
  isTriedOnce?: boolean
  /** Called when a wait for quota begins, when its estimate changes by a second or more, and when it ends. */
  onWait?(wait: QuotaWait): void
  /** Called when data waits for names before its delivery; if absent, it does not wait. */
  onNamesWait?(): void
  /** Called each time that a request is sent. */
  onStart?(endpoint: EndpointName): void
}

/** A decoded response of status 200. */
export interface ServiceResponse<B> {
  endpoint: EndpointName
  body: B
  /** When the last byte arrived, in ms since 1970 UTC. */
  receivedAt: number
  quota: QuotaHeaders
  /**
   * Number of requested records, which is smaller than wanted if the device's limit has fewer left. Only for `data` and
   * `data-relay`.
   */
  number?: number | undefined
}
