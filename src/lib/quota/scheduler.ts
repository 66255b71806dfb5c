/**
 * The words of the quota, as a request meets them:
 *
 * - `QuotaRequest`, `RequestContext`: what is to be sent, and for whom; `Waiter`: the two while they wait
 * - `Job`: identical requests on their way together, through all their tries
 * - `Reservation`: what a try took in this process: a place, and so many records of its device
 * - `ReserveRequest`, `ReserveResult`: the same asked of a shared ledger, and what the ledger said; `Admission`: so may it go?
 * - `AttemptResult`: how sending ended; `AttemptCost`: what that cost, and whose limit it met
 * - `CommitRequest`: the bill as the ledger is told
 * - `UsageReplay`: all that this process uses of a limit, for a ledger that may not know
 */
import { inBackground } from '../background'
import type { Clock } from '../clock'
import { EnvlogError } from '../errors'
import type { AccountLimiter, Reservation } from './account-limiter'
import {
  type AttemptResult,
  createJob,
  fail,
  type Job,
  type LimitScope,
  type QuotaRequest,
  requestOf,
  succeed,
  type Waiter,
  withSafeListener,
} from './job'
import { ENDPOINT_NAMES } from './limits'
import type { Admission, SharedQuota } from './shared/client'
import type { RequestContext } from './types'
import { createWaitMonitor } from './wait-monitor'

/** Requests that may wait for one account: one more is refused. */
export const MAX_QUEUED = 10_000
/** A request that was refused so often is given up. */
const MAX_REFUSALS = 3
/** When to ask again for what others have only reserved: soon, then after twice as long each time. */
const FIRST_TRY_MS = 250
const LONGEST_TRY_MS = 15_000

export interface SchedulerPorts {
  clock: Clock
  places: AccountLimiter
  /** Requests at the same time; 0 while nothing may go. */
  lanes(): number
  /** Where several processes share the account: asked of each request that goes. */
  sharing(): SharedQuota | undefined
  /** Something was spent. */
  spent(): void
}

/** Sends requests one by one as their turns come: from the queue to the answer, whatever happens between. */
export function createScheduler({ clock, places, lanes, sharing, spent }: SchedulerPorts) {
  const jobs = new Map<string, Job>()
  const running = new Set<Job>()
  let waiting = 0
  let wakeAt = Number.POSITIVE_INFINITY
  let cancelWake = () => {}
  let isPumping = false
  let isWanted = false

  const now = () => clock.monotonic()
  /** Those whose devices have no records left. */
  const parked = new Set<Job>()
  const patience = createWaitMonitor({ clock, places, parked, leave })

  /** What it lets go of may call it again: then it goes round once more, instead of deeper and deeper. */
  function pump(): void {
    isWanted = true
    if (isPumping) return
    isPumping = true
    try {
      while (isWanted) {
        isWanted = false
        sendReady()
      }
    } finally {
      isPumping = false
    }
  }

  function sendReady(): void {
    const most = lanes()
    if (most === 0) return
    // What is free and when more will be is asked of one instant, or what comes free between would be overlooked.
    let instant = now()
    while (running.size < most) {
      instant = now()
      const job = places.next(instant)
      if (!job) break
      const { endpoint, records } = requestOf(job)
      const reservation = places.take(endpoint, records, instant)
      if ('parkedUntil' in reservation) {
        places.keepTurn(endpoint)
        park(job, reservation.parkedUntil)
      } else inBackground(go(job, reservation))
    }
    wakeFor(places.nextChange(instant))
  }

  /** One timer for whatever comes free first. */
  function wakeFor(at: number): void {
    if (at === wakeAt) return
    cancelWake()
    wakeAt = at
    if (at === Number.POSITIVE_INFINITY) return
    cancelWake = clock.after(Math.max(0, Math.ceil(at - now())), () => {
      wakeAt = Number.POSITIVE_INFINITY
      pump()
    })
  }

  /** Its device has no records left: others go on meanwhile. */
  function park(job: Job, until: number): void {
    job.state = 'parked'
    parked.add(job)
    rest(job, until - now())
    patience.reconsider(job)
  }

  function rest(job: Job, ms: number): void {
    const cancel = clock.after(Math.max(0, Math.ceil(ms)), () => {
      back(job)
      pump()
      patience.reconsider(job)
    })
    job.wake = () => {
      cancel()
      parked.delete(job)
      job.wake = () => {}
    }
  }

  /** Back to the head of its lines. */
  function back(job: Job): void {
    job.wake()
    job.state = 'waiting'
    job.othersUntil = undefined
    for (const { context } of job.waiters) places.putFirst(job, context.queueKey)
  }

  async function go(job: Job, reservation: Reservation): Promise<void> {
    job.state = 'running'
    running.add(job)
    waiting--
    spent()
    try {
      const shared = sharing()
      const admission = shared ? await shared.claim(reservation) : 'go'
      if (admission === 'go') await exchange(job, reservation, shared)
      else notSent(job, reservation, admission)
    } catch (error) {
      // A slip of ours: whoever asked is told, and nobody else suffers.
      running.delete(job)
      jobs.delete(job.key)
      fail(job, error)
    }
    pump()
    patience.moved(job.endpoint)
  }

  /** One try; one that fails as none should may have reached the service all the same. */
  async function send(job: Job, reservation: Reservation): Promise<AttemptResult<unknown>> {
    try {
      return await requestOf(job).send(reservation.number, job.abort.signal, job.retries)
    } catch (error) {
      return { reading: null, error: error as EnvlogError }
    }
  }

  /** @param claimed where it was claimed: a deploy may have opened another one when the answer comes */
  async function exchange(
    job: Job,
    reservation: Reservation,
    claimed: SharedQuota | undefined,
  ): Promise<void> {
    job.misses = 0
    patience.tellGoing(job)
    // While others were asked whether it may go, all who wanted it may have left.
    const result: AttemptResult<unknown> =
      job.waiters.size > 0
        ? await send(job, reservation)
        : { reading: null, unsent: true, error: new EnvlogError('closed') }
    running.delete(job)
    const shared = sharing()
    const cost = places.settle(reservation, result, now(), shared?.here() ?? false)
    for (const one of new Set([claimed, shared])) {
      if (one) inBackground(one.settle(reservation, result, cost, one === claimed))
    }
    spent()
    if (reservation.budget) wakeParked(reservation)
    if (job.waiters.size > 0) decide(job, result, cost.refused)
  }

  /** What was reserved and did not come is there for others of the same device. */
  function wakeParked({ endpoint, budget }: Reservation): void {
    for (const job of [...parked]) {
      if (job.endpoint === endpoint && requestOf(job).records?.device === budget?.device) back(job)
    }
  }

  /** Others were faster, or the ledger went away. */
  function notSent(job: Job, reservation: Reservation, admission: Exclude<Admission, 'go'>): void {
    running.delete(job)
    places.giveBack(reservation, now())
    inBackground(sharing()?.giveBack(reservation) ?? Promise.resolve())
    if (job.waiters.size === 0) return
    waiting++
    if (admission !== 'over-share') {
      const { waitMs, short, inFlight } = admission
      const soon = Math.min(LONGEST_TRY_MS, FIRST_TRY_MS * 2 ** job.misses++)
      const until = now() + (inFlight ? Math.min(waitMs, soon) : waitMs)
      if (short === 'device') {
        job.othersUntil = until
        park(job, until)
        return
      }
      places.holdBack(reservation.endpoint, until)
    }
    back(job)
    patience.reconsider(job)
  }

  function decide(job: Job, result: AttemptResult<unknown>, refused: LimitScope | undefined): void {
    if (!('error' in result)) {
      jobs.delete(job.key)
      succeed(job, result.value)
    } else if (refused && ++job.refusals < MAX_REFUSALS) {
      job.refusal = { error: result.error, of: refused }
      job.failure = undefined
      waiting++
      back(job)
    } else if (!refused && result.againAfter !== undefined) {
      waiting++
      job.failure = result.error
      job.retries++
      job.state = 'resting'
      rest(job, result.againAfter)
    } else {
      if (refused) job.refusal = { error: result.error, of: refused }
      jobs.delete(job.key)
      fail(job, refused ? patience.giveUp(job) : result.error)
    }
  }

  function leave(job: Job, waiter: Waiter, error: unknown): void {
    waiter.release()
    job.waiters.delete(waiter)
    patience.tellGone(job, waiter)
    waiter.reject(error)
    if (job.waiters.size > 0) {
      const { queueKey } = waiter.context
      if (![...job.waiters].some(({ context }) => context.queueKey === queueKey)) places.leave(job, queueKey)
      return
    }
    jobs.delete(job.key)
    places.remove(job)
    job.wake()
    if (job.state !== 'running') waiting--
    job.state = 'over'
    job.abort.abort()
    pump()
  }

  function enqueue({ key, endpoint }: QuotaRequest<unknown>): Job {
    const known = jobs.get(key)
    if (known) return known
    if (waiting >= MAX_QUEUED) throw new EnvlogError('queue-full', { most: MAX_QUEUED })
    const job = createJob(key, endpoint)
    jobs.set(key, job)
    waiting++
    return job
  }

  return {
    /** What may go has changed from outside. */
    pump(): void {
      pump()
      for (const name of ENDPOINT_NAMES) patience.moved(name)
    },
    counts: () => ({ running: running.size, waiting }),

    ask(request: QuotaRequest<unknown>, context: RequestContext): Promise<unknown> {
      return new Promise((resolve, reject) => {
        if (context.signal.aborted) throw new EnvlogError('closed')
        const job = enqueue(request)
        const failed = (error: unknown) => leave(job, waiter, error)
        const waiter: Waiter = {
          context: withSafeListener(context, failed),
          request,
          since: now(),
          resolve,
          reject,
          release: () => {},
        }
        job.waiters.add(waiter)
        patience.watch(job, waiter)
        if (job.state === 'waiting') {
          places.put(job, context.queueKey)
          pump()
        }
        patience.reconsider(job)
        // Those of other nodes may have one more before them.
        patience.moved(job.endpoint)
      })
    },
  }
}
