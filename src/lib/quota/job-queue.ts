import { createAbort } from '../abort'
import type { EndpointName } from '../endpoints'
import { EnvlogError } from '../errors'
import type { AccountLimiter } from './account-limiter'
import { createFairQueue, type QueueKey } from './fair-queue'
import { ENDPOINT_NAMES, mapEndpoints } from './limits'
import type { LimitScope, QuotaRequest, RequestContext, StartEstimate } from './types'

/** A caller that waits for the result of a job. */
export interface Waiter {
  context: RequestContext
  request: QuotaRequest<unknown>
  /** In monotonic ms. */
  queuedAt: number
  /** The estimate that it was last notified of. */
  notified?: StartEstimate | undefined
  resolve(value: unknown): void
  reject(error: unknown): void
  stopListening(): void
}

/** Identical requests, coalesced (singleflight): sent once for all waiting callers, through all attempts. */
export interface Job {
  key: string
  endpoint: EndpointName
  waiters: Set<Waiter>
  /** `queued` for permits; `blocked` until its device has records again; `backoff` before a further attempt. */
  state: 'queued' | 'blocked' | 'backoff' | 'running' | 'done'
  /** Attempts that the service refused for a limit, and the last of them. */
  refusals: number
  lastRefusal?: { error: EnvlogError; scope: LimitScope }
  /** Attempts that failed otherwise; the error of the last one while another is pending. */
  retries: number
  lastError?: EnvlogError | undefined
  /** Other members have reserved the records of its device until then, in monotonic ms. */
  recordsBlockedUntil?: number | undefined
  /** How often in a row other members had reserved what it needs. */
  conflicts: number
  abort: AbortController
  /** Ends a block or a backoff. */
  cancelTimer(): void
}

export function createJob(key: string, endpoint: EndpointName): Job {
  const counters = { refusals: 0, retries: 0, conflicts: 0 }
  const timer = { abort: createAbort(), cancelTimer: () => {} }
  return { key, endpoint, waiters: new Set(), state: 'queued', ...counters, ...timer }
}

/** True while a job waits for quota. */
export const isWaiting = ({ state }: Job): boolean => state === 'queued' || state === 'blocked'

/** The request that is sent: that of the first caller that still waits. */
export function requestOf({ waiters }: Job): QuotaRequest<unknown> {
  const [first] = waiters as Iterable<Waiter>
  return (first as Waiter).request
}

/**
 * Ends a job with a value. Each further caller gets a copy, which is made before the first one can change the value.
 */
export function resolveJob(job: Job, value: unknown): void {
  job.state = 'done'
  const [first, ...others] = job.waiters
  first?.stopListening()
  for (const waiter of others) {
    waiter.stopListening()
    try {
      waiter.resolve(waiter.request.copy(value))
    } catch {
      waiter.reject(new EnvlogError('reply-unreadable', { part: 'answer' }))
    }
  }
  first?.resolve(value)
  job.waiters.clear()
}

/** Ends a job with an error. */
export function rejectJob(job: Job, error: unknown): void {
  job.state = 'done'
  for (const waiter of [...job.waiters]) {
    waiter.stopListening()
    waiter.reject(error)
  }
  job.waiters.clear()
}

/** The jobs that wait for quota, by endpoint: decides which one is sent next, and estimates when. */
export function createJobQueue({ endpoints }: Pick<AccountLimiter, 'endpoints'>) {
  const queues = mapEndpoints(() => createFairQueue<Job>())
  /** Jobs whose devices have no records left. They are in no queue, so others of their endpoint are sent meanwhile. */
  const blocked = new Set<Job>()
  /** Endpoints take turns for connections: the one that was served last is at the end. */
  const rotation = [...ENDPOINT_NAMES]

  /** Estimates when jobs of an endpoint are sent; a function for many of them. */
  function createEstimator(endpoint: EndpointName, now: number) {
    const estimate = endpoints[endpoint].createEstimator(now)
    return ({ waiters, recordsBlockedUntil }: Job, position: number): StartEstimate => {
      const [first] = waiters
      return estimate(first?.request.records, position, recordsBlockedUntil)
    }
  }

  return {
    size: (endpoint: EndpointName) => queues[endpoint].size(),
    enqueue: (job: Job, key: QueueKey) => queues[job.endpoint].enqueue(key, job),
    removeFrom: (job: Job, key: QueueKey) => queues[job.endpoint].removeFrom(key, job),
    /** The job that was dequeued last cannot be sent: its queue key keeps its turn. */
    restoreTurn: (endpoint: EndpointName) => queues[endpoint].restoreTurn(),
    inOrder: (endpoint: EndpointName) => queues[endpoint].inOrder(),
    blocked: (endpoint: EndpointName) => [...blocked].filter((job) => job.endpoint === endpoint),
    createEstimator,

    remove(job: Job): void {
      queues[job.endpoint].remove(job)
      blocked.delete(job)
    },

    /** Puts a job before all others of its callers' queue keys: it had its turn already. */
    requeueFirst(job: Job): void {
      blocked.delete(job)
      job.state = 'queued'
      job.recordsBlockedUntil = undefined
      for (const { context } of job.waiters) queues[job.endpoint].requeueFirst(context.queueKey, job)
    },

    block(job: Job): void {
      job.state = 'blocked'
      blocked.add(job)
    },

    /** Takes out the next job that has a permit; the editor's come first. */
    dequeue(now: number): Job | undefined {
      const ready = rotation.filter((name) => queues[name].size() > 0 && endpoints[name].available(now) > 0)
      const name = ready.find((one) => queues[one].hasEditor()) ?? ready[0]
      if (name === undefined) return undefined
      rotation.splice(rotation.indexOf(name), 1)
      rotation.push(name)
      return queues[name].dequeue()
    },

    /** When the next permit becomes available to a job that waits for one; infinite if only a response can free it. */
    nextChange(now: number): number {
      const waiting = ENDPOINT_NAMES.filter(
        (name) => queues[name].size() > 0 && endpoints[name].available(now) <= 0,
      )
      return Math.min(...waiting.map((name) => endpoints[name].nextChange(now)).filter((at) => at > now))
    },

    estimate(job: Job, now: number): StartEstimate {
      const queue = queues[job.endpoint]
      return createEstimator(job.endpoint, now)(job, queue.has(job) ? queue.position(job) : 0)
    },
  }
}

export type JobQueue = ReturnType<typeof createJobQueue>
