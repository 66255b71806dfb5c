import type { EndpointName } from './endpoints'
import type { QuotaHeaders } from './quota/headers'

/** Queue key of requests from the editor, which precede those of all nodes. */
export const EDITOR = Symbol('editor')

/** Requests of one key are sent in the order of their arrival; keys take turns. Nodes use their id. */
export type QueueKey = string | typeof EDITOR

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
  /** Longest wait for quota since the request was made; `null` without limit. */
  maxWaitMs: number | null
  /** Longest wait for records of the device; `maxWaitMs` where it is left out. */
  maxRecordsWaitMs?: number
  /** Called when a wait for quota begins, when its estimate changes by a second or more, and when it ends. */
  onWait?(wait: QuotaWait): void
}

/** A decoded response of status 200. */
export interface Answer<B> {
  endpoint: EndpointName
  body: B
  /** When the last byte arrived, in ms since 1970 UTC. */
  receivedAt: number
  quota: QuotaHeaders
  /** Records that were requested: fewer than wanted if the device's limit has fewer left; only of `data`. */
  number?: number
}
