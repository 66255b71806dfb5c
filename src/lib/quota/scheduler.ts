import { inBackground } from '../background'
import { type Clock, createAlarm } from '../clock'
import { EnvlogError } from '../errors'
import type { AccountLimiter } from './account-limiter'
import {
  createJob,
  createJobQueue,
  type Job,
  rejectJob,
  requestOf,
  resolveJob,
  type Waiter,
} from './job-queue'
import { ENDPOINT_NAMES } from './limits'
import type { Admission, SharedQuota } from './shared/shared-quota'
import type { AttemptResult, LimitScope, QuotaRequest, RequestContext, Reservation } from './types'
import { createWaitMonitor, withSafeListener } from './wait-monitor'

/** Jobs that may wait for one account. */
export const MAX_QUEUED = 10_000
/** A request fails when it has been refused so often. */
const MAX_REFUSALS = 3
/** When to ask again for what other members have only reserved: soon, then after twice as long each time. */
const CONFLICT_RETRY_MS = 250
const MAX_CONFLICT_RETRY_MS = 15_000

export interface SchedulerPorts {
  clock: Clock
  limiter: AccountLimiter
  /** Requests that may run at the same time; 0 while none may be sent. */
  maxConcurrency(): number
  /** The quota that is shared with other processes, if it is: it has to admit each request. */
  sharedQuota(): SharedQuota | undefined
  onUsageChange(): void
}

/**
 * Sends the requests of one account: a request is queued, reserves its permits, is attempted, and its outcome is a
 * result, or another attempt. Identical requests are coalesced into one job.
 */
export function createScheduler(ports: SchedulerPorts) {
  const { clock, limiter, maxConcurrency, sharedQuota, onUsageChange } = ports
  const now = () => clock.monotonic()
  const jobs = new Map<string, Job>()
  const running = new Set<Job>()
  /** Jobs that are not running, also those in a backoff. */
  let waiting = 0
  const queue = createJobQueue(limiter)
  const monitor = createWaitMonitor({ clock, limiter, queue, leave })
  const dispatch = createLoop(dispatchReady)
  const wakeAt = createAlarm(clock, dispatch)

  /** Sends all jobs that have permits. */
  function dispatchReady(): void {
    const limit = maxConcurrency()
    if (limit === 0) return
    // One instant for both questions, what is available and when more will be: a change between two would be missed.
    let instant = now()
    while (running.size < limit) {
      instant = now()
      const job = queue.dequeue(instant)
      if (!job) break
      const reservation = limiter.endpoints[job.endpoint].reserve(requestOf(job).records, instant)
      if ('recordsAt' in reservation) {
        queue.restoreTurn(job.endpoint)
        block(job, reservation.recordsAt)
      } else inBackground(run(job, reservation))
    }
    wakeAt(queue.nextChange(instant))
  }

  /** From a reservation to the outcome of the attempt. */
  async function run(job: Job, reservation: Reservation): Promise<void> {
    job.state = 'running'
    running.add(job)
    waiting--
    onUsageChange()
    try {
      const shared = sharedQuota()
      const admission = shared ? await shared.reserve(reservation) : 'admitted'
      if (admission === 'admitted') {
        const result = await attempt(job, reservation).catch((error) => ({ headers: null, error }))
        onResult(job, reservation, result, shared)
      } else onDenied(job, reservation, admission)
    } catch (error) {
      // An error of this package: it fails the job, and nothing else.
      running.delete(job)
      finish(job, () => rejectJob(job, error))
    }
    dispatch()
    monitor.update(job.endpoint)
  }

  /** If an attempt rejects, which should not happen, it may still have reached the service. */
  async function attempt(job: Job, { maxRecords }: Reservation): Promise<AttemptResult<unknown>> {
    job.conflicts = 0
    monitor.notifyStart(job)
    // All callers may have left while the shared store was requested.
    if (job.waiters.size === 0) return { headers: null, isUnsent: true, error: new EnvlogError('closed') }
    return await requestOf(job).send(maxRecords, job.abort.signal, job.retries)
  }

  /** @param reservedWith where the permits were reserved: after a deploy meanwhile there is another shared quota */
  function onResult(
    job: Job,
    reservation: Reservation,
    result: AttemptResult<unknown>,
    reservedWith: SharedQuota | undefined,
  ): void {
    running.delete(job)
    const shared = sharedQuota()
    const cost = limiter.commit(reservation, result, now(), shared?.isConnected() ?? false)
    for (const one of new Set([reservedWith, shared])) {
      if (one) inBackground(one.commit(reservation, result.headers, cost, one === reservedWith))
    }
    onUsageChange()
    if (reservation.records) unblock(reservation)
    if (job.waiters.size > 0) conclude(job, result, cost.refusedBy)
  }

  /** The shared quota did not admit the request: other members were faster, or the store was lost. */
  function onDenied(job: Job, reservation: Reservation, denial: Exclude<Admission, 'admitted'>): void {
    running.delete(job)
    limiter.endpoints[job.endpoint].cancel(reservation, now())
    inBackground(sharedQuota()?.cancel(reservation) ?? Promise.resolve())
    if (job.waiters.size === 0) return
    waiting++
    if (denial !== 'over-share') {
      const { waitMs, scope, isInFlight } = denial
      const backoffMs = Math.min(MAX_CONFLICT_RETRY_MS, CONFLICT_RETRY_MS * 2 ** job.conflicts++)
      const until = now() + (isInFlight ? Math.min(waitMs, backoffMs) : waitMs)
      if (scope === 'device') {
        job.recordsBlockedUntil = until
        block(job, until)
        return
      }
      limiter.endpoints[job.endpoint].block(until)
    }
    queue.requeueFirst(job)
    monitor.evaluate(job)
  }

  function conclude(job: Job, result: AttemptResult<unknown>, refusedBy: LimitScope | undefined): void {
    if (!('error' in result)) finish(job, () => resolveJob(job, result.value))
    else if (refusedBy) {
      job.lastRefusal = { error: result.error, scope: refusedBy }
      if (++job.refusals < MAX_REFUSALS) {
        job.lastError = undefined
        waiting++
        queue.requeueFirst(job)
      } else finish(job, () => rejectJob(job, monitor.createError(job)))
    } else if (result.retryAfterMs !== undefined) {
      waiting++
      job.lastError = result.error
      job.retries++
      job.state = 'backoff'
      requeueAfter(job, result.retryAfterMs)
    } else finish(job, () => rejectJob(job, result.error))
  }

  function finish(job: Job, end: () => void): void {
    jobs.delete(job.key)
    end()
  }

  /** The device of a job has no records left until then; others of its endpoint are sent meanwhile. */
  function block(job: Job, until: number): void {
    queue.block(job)
    requeueAfter(job, until - now())
    monitor.evaluate(job)
  }

  /** Records that were reserved but not received are available to other jobs of the same device. */
  function unblock({ endpoint, records }: Reservation): void {
    for (const job of queue.blocked(endpoint)) {
      if (requestOf(job).records?.device !== records?.device) continue
      job.cancelTimer()
      queue.requeueFirst(job)
    }
  }

  function requeueAfter(job: Job, ms: number): void {
    job.cancelTimer = clock.after(Math.max(0, Math.ceil(ms)), () => {
      queue.requeueFirst(job)
      dispatch()
      monitor.evaluate(job)
    })
  }

  /** Rejects one caller; without callers the job ends. */
  function leave(job: Job, waiter: Waiter, error: unknown): void {
    waiter.stopListening()
    job.waiters.delete(waiter)
    monitor.notifyLeft(job, waiter)
    waiter.reject(error)
    if (job.waiters.size > 0) {
      const { queueKey } = waiter.context
      if (![...job.waiters].some(({ context }) => context.queueKey === queueKey))
        queue.removeFrom(job, queueKey)
      return
    }
    jobs.delete(job.key)
    queue.remove(job)
    job.cancelTimer()
    if (job.state !== 'running') waiting--
    job.state = 'done'
    job.abort.abort()
    dispatch()
  }

  function getOrCreateJob({ key, endpoint }: QuotaRequest<unknown>): Job {
    const known = jobs.get(key)
    if (known) return known
    if (waiting >= MAX_QUEUED) throw new EnvlogError('queue-full', { most: MAX_QUEUED })
    const job = createJob(key, endpoint)
    jobs.set(key, job)
    waiting++
    return job
  }

  return {
    counts: () => ({ running: running.size, waiting }),
    waitingFor: queue.size,

    /** What may be sent has changed from outside. */
    update(): void {
      dispatch()
      for (const name of ENDPOINT_NAMES) monitor.update(name)
    },

    /** Queues a request; see `Quota.submit` for what it throws. */
    submit(request: QuotaRequest<unknown>, context: RequestContext): Promise<unknown> {
      return new Promise((resolve, reject) => {
        if (context.signal.aborted) throw new EnvlogError('closed')
        const job = getOrCreateJob(request)
        const onListenerError = (error: unknown) => leave(job, waiter, error)
        const safe = withSafeListener(context, onListenerError)
        const waiter: Waiter = {
          ...{ context: safe, request, queuedAt: now() },
          ...{ resolve, reject, stopListening: () => {} },
        }
        job.waiters.add(waiter)
        monitor.watch(job, waiter)
        if (job.state === 'queued') {
          queue.enqueue(job, context.queueKey)
          dispatch()
        }
        monitor.evaluate(job)
        // Jobs under other queue keys may have one more before them.
        monitor.update(job.endpoint)
      })
    },
  }
}

/** A function that runs again afterwards, instead of recursing, if it is called from within itself. */
function createLoop(work: () => void): () => void {
  let isRunning = false
  let isRequested = false
  return () => {
    isRequested = true
    if (isRunning) return
    isRunning = true
    try {
      while (isRequested) {
        isRequested = false
        work()
      }
    } finally {
      isRunning = false
    }
  }
}
