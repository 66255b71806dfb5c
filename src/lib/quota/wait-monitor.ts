import type { Clock } from '../clock'
import type { EndpointName } from '../endpoints'
import { EnvlogError } from '../errors'
import type { AccountLimiter } from './account-limiter'
import { isWaiting, type Job, type JobQueue, type Waiter } from './job-queue'
import { mapEndpoints } from './limits'
import type { RequestContext, StartEstimate } from './types'

/** Shorter waits, and smaller changes of an estimate, are not reported. */
const MIN_REPORTED_MS = 1000
/** How soon estimates are looked at again that may have changed. */
const SWEEP_MS = 1000
/** Waits that end shortly after one another are looked at together. */
const MIN_SWEEP_MS = 100
/** Jobs that a sweep looks at before it yields to the event loop. */
const SWEEP_BATCH = 250

interface WaitMonitorPorts {
  clock: Clock
  limiter: Pick<AccountLimiter, 'endpoints'>
  queue: JobQueue
  /** Rejects one caller of a job. */
  leave(job: Job, waiter: Waiter, error: EnvlogError): void
}

/** The callers of one endpoint that have to be looked at. */
interface Watch {
  /** Callers that listen, or that do not wait without limit. */
  observers: number
  /** `WindowLimiter.revision` at the last sweep. */
  revision: number
  /** When the next sweep is due, monotonic ms. */
  dueAt: number
  cancel(): void
  /** Cancels the rest of a sweep that has begun. */
  cancelBatch(): void
}

/**
 * Watches how long jobs wait: notifies their callers, and rejects those whose maximum wait would be exceeded. All jobs
 * of an endpoint are swept together, because each alone would count those before it: immediately when permits became
 * unavailable that could be counted on, otherwise within a second.
 */
export function createWaitMonitor({ clock, limiter, queue, leave }: WaitMonitorPorts) {
  const now = () => clock.monotonic()
  const toWallMs = () => clock.now() - clock.monotonic()
  const revisionOf = (endpoint: EndpointName) => limiter.endpoints[endpoint].requests.revision()
  const watches = mapEndpoints((): Watch => {
    const timers = { dueAt: Number.POSITIVE_INFINITY, cancel: () => {}, cancelBatch: () => {} }
    return { observers: 0, revision: 0, ...timers }
  })

  /** Why a job is not waited for any longer: what the service answered, or else that it takes too long. */
  function waitError({ endpoint, lastRefusal, lastError }: Job, estimate: StartEstimate): EnvlogError {
    if (lastError) return lastError
    const { at, isForRecords } = estimate
    const retryAt = new Date(at + toWallMs()).toISOString()
    if (lastRefusal) {
      const { error, scope } = lastRefusal
      const reason = scope === 'device' ? 'records-refused' : 'quota-refused'
      return new EnvlogError(reason, { ...error.params, retryAt }, { ...error.cause, retryAt })
    }
    return new EnvlogError(isForRecords ? 'records-wait' : 'quota-wait', { retryAt }, { endpoint, retryAt })
  }

  /** Waiting only for a connection, with an estimate of now, is never too long. */
  function isTooLong({ context, queuedAt }: Waiter, { at, isForRecords }: StartEstimate): boolean {
    const { maxWaitMs, maxRecordsWaitMs = maxWaitMs } = context
    const limit = isForRecords ? maxRecordsWaitMs : maxWaitMs
    return limit !== null && at > Math.max(now(), queuedAt + limit)
  }

  /** Rejects the callers whose estimate is too late, and notifies the others. */
  function applyEstimate(job: Job, estimate: StartEstimate): void {
    for (const waiter of job.waiters) {
      if (isTooLong(waiter, estimate)) leave(job, waiter, waitError(job, estimate))
    }
    if (!isWaiting(job)) return
    for (const waiter of job.waiters) {
      notify(job.endpoint, waiter, estimate)
      scheduleSweep(job.endpoint, nextSweepFor(waiter))
    }
  }

  function notify(endpoint: EndpointName, waiter: Waiter, estimate: StartEstimate): void {
    const { context, notified } = waiter
    const { at, isForRecords } = estimate
    if (!context.onWait) return
    if (at - now() < MIN_REPORTED_MS) {
      if (notified && notified.at < now()) notifyEnd(endpoint, waiter)
      return
    }
    const isSame = notified?.isForRecords === isForRecords && Math.abs(notified.at - at) < MIN_REPORTED_MS
    if (isSame) return
    waiter.notified = estimate
    context.onWait({ endpoint, until: at + toWallMs(), records: isForRecords })
  }

  /**
   * When a caller has to be looked at again if nothing happens before: a limit of its wait, or its estimate, passes.
   */
  function nextSweepFor({ context, queuedAt, notified }: Waiter): number {
    const instant = now()
    const soon = instant + SWEEP_MS
    const endOf = (limit: number | null = null) => {
      if (limit === null) return Number.POSITIVE_INFINITY
      return queuedAt + limit > instant ? queuedAt + limit : soon
    }
    const passed = notified ? Math.max(notified.at + SWEEP_MS, soon) : Number.POSITIVE_INFINITY
    return Math.min(endOf(context.maxWaitMs), endOf(context.maxRecordsWaitMs), passed)
  }

  function scheduleSweep(endpoint: EndpointName, at: number): void {
    const watch = watches[endpoint]
    if (at >= watch.dueAt) return
    watch.cancel()
    watch.dueAt = at
    watch.cancel = clock.after(Math.max(MIN_SWEEP_MS, Math.ceil(at - now())), () => sweep(endpoint))
  }

  /** Looks at all jobs of an endpoint, the first of them immediately. */
  function sweep(endpoint: EndpointName): void {
    const watch = watches[endpoint]
    stop(watch)
    watch.revision = revisionOf(endpoint)
    if (watch.observers === 0) return
    const batches = sweepInBatches(endpoint)
    const runBatch = () => {
      watch.cancelBatch = batches.next().done ? () => {} : clock.after(0, runBatch)
    }
    runBatch()
  }

  /** A caller that leaves may let jobs start or end meanwhile: those are not waiting any more. */
  function* sweepInBatches(endpoint: EndpointName): Generator<void> {
    const estimate = queue.createEstimator(endpoint, now())
    let [position, count] = [0, 0]
    for (const job of queue.inOrder(endpoint)) {
      if (job.state !== 'queued') continue
      applyEstimate(job, estimate(job, position))
      if (isWaiting(job)) position++
      if (++count % SWEEP_BATCH === 0) yield
    }
    for (const job of queue.blocked(endpoint)) {
      if (job.state === 'blocked') applyEstimate(job, estimate(job, 0))
    }
  }

  return {
    /** The error of a job that is given up. */
    createError: (job: Job) => waitError(job, queue.estimate(job, now())),

    /** The wait of one job has begun, or changed. */
    evaluate(job: Job): void {
      if (isWaiting(job) && [...job.waiters].some(isObserver)) applyEstimate(job, queue.estimate(job, now()))
    },

    /** The jobs of an endpoint may have to wait longer, or less long. */
    update(endpoint: EndpointName): void {
      const { observers, revision } = watches[endpoint]
      if (observers === 0) return
      if (revisionOf(endpoint) !== revision) sweep(endpoint)
      else scheduleSweep(endpoint, now() + SWEEP_MS)
    },

    /** A job is being sent. */
    notifyStart({ endpoint, waiters }: Job): void {
      for (const waiter of waiters) notifyEnd(endpoint, waiter)
    },

    /** A caller does not wait any more: what it was notified of is over. */
    notifyLeft({ endpoint }: Job, waiter: Waiter): void {
      if (waiter.notified) notifyEnd(endpoint, waiter)
    },

    /** Begins to watch a caller: its signal, and its endpoint if it listens or does not wait without limit. */
    watch(job: Job, waiter: Waiter): void {
      const { signal } = waiter.context
      const watch = watches[job.endpoint]
      const count = isObserver(waiter) ? 1 : 0
      const abort = () => leave(job, waiter, new EnvlogError('closed'))
      watch.observers += count
      signal.addEventListener('abort', abort, { once: true })
      waiter.stopListening = () => {
        signal.removeEventListener('abort', abort)
        watch.observers -= count
        if (watch.observers === 0) stop(watch)
      }
    },
  }
}

function stop(watch: Watch): void {
  watch.cancel()
  watch.cancelBatch()
  watch.dueAt = Number.POSITIVE_INFINITY
}

function notifyEnd(endpoint: EndpointName, waiter: Waiter): void {
  waiter.notified = undefined
  waiter.context.onWait?.({ endpoint, until: null, records: false })
}

function isObserver({ context: { onWait, maxWaitMs, maxRecordsWaitMs } }: Waiter): boolean {
  return onWait !== undefined || maxWaitMs !== null || maxRecordsWaitMs !== undefined
}

/** A listener that throws fails only its own request: it is called in the middle of the work for others. */
export function withSafeListener(context: RequestContext, onError: (error: unknown) => void): RequestContext {
  const { onWait } = context
  if (!onWait) return context
  let isBroken = false
  return {
    ...context,
    onWait(wait) {
      if (isBroken) return
      try {
        onWait(wait)
      } catch (error) {
        isBroken = true
        onError(error)
      }
    },
  }
}
