import type { EndpointName } from '../api/endpoints'
import type { Clock } from '../clock'
import { EnvlogError } from '../errors'
import type { AccountLimiter, Expected } from './account-limiter'
import type { Job, Waiter } from './job'
import { mapEndpoints } from './limits'

/** Waits shorter than this, and changes of less, are not worth telling. */
const TOLD_FROM_MS = 1000
/** How soon one looks at estimates that may have moved, and whether a request that may go still cannot. */
const LOOK_AGAIN_MS = 1000
/** Many whose waits end one after another are looked at together. */
const LEAST_LOOK_MS = 100
/** So many are looked at before anything else in the process has its turn. */
const SLICE = 250

interface Desk {
  clock: Clock
  places: AccountLimiter
  /** Whose devices have no records left: they are in no line. */
  parked: ReadonlySet<Job>
  /** Takes a waiter out, with the reason why. */
  leave(job: Job, waiter: Waiter, error: EnvlogError): void
}

interface Watch {
  /** Those who listen, or do not wait for ever. */
  attentive: number
  /** `AccountLimiter.surprises` when it was looked at last. */
  surprises: number
  /** The next look. */
  at: number
  cancel(): void
  /** The rest of a long look. */
  cancelSlice(): void
}

/**
 * How long those who ask are ready to wait, and what they are told meanwhile. All of an endpoint are looked at
 * together, or thousands who wait would each count those before them: at once where places were taken away
 * that nobody could know of, else within a second.
 */
export function createWaitMonitor({ clock, places, parked, leave }: Desk) {
  const now = () => clock.monotonic()
  const toWall = () => clock.now() - clock.monotonic()
  const isQueued = ({ state }: Job) => state === 'waiting' || state === 'parked'
  const watches = mapEndpoints((): Watch => {
    return {
      attentive: 0,
      surprises: 0,
      at: Number.POSITIVE_INFINITY,
      cancel: () => {},
      cancelSlice: () => {},
    }
  })

  /** Why it is not waited for any longer: what the service said, or else that it would take too long. */
  function givenUp(job: Job, { at, records }: Expected): EnvlogError {
    const { endpoint, refusal, failure } = job
    const retryAt = new Date(at + toWall()).toISOString()
    if (failure) return failure
    if (refusal) {
      const { error, of } = refusal
      const reason = of === 'device' ? 'records-refused' : 'quota-refused'
      return new EnvlogError(reason, { ...error.params, retryAt }, { ...error.cause, retryAt })
    }
    const reason = records ? 'records-wait' : 'quota-wait'
    return new EnvlogError(reason, { retryAt }, { endpoint, retryAt })
  }

  function isTooLong({ context, since }: Waiter, { at, records }: Expected): boolean {
    const most = records ? (context.maxRecordsWaitMs ?? context.maxWaitMs) : context.maxWaitMs
    return most !== null && at > Math.max(now(), since + most)
  }

  /** Those who cannot wait so long give up, the others are told what has changed. Ten thousand in a row. */
  function consider(job: Job, expected: Expected): void {
    // A set lets go of one while it is walked.
    for (const waiter of job.waiters) {
      if (isTooLong(waiter, expected)) leave(job, waiter, givenUp(job, expected))
    }
    if (!isQueued(job)) return
    for (const waiter of job.waiters) {
      tell(job.endpoint, waiter, expected)
      lookBy(job.endpoint, nextLook(waiter))
    }
  }

  function tell(endpoint: EndpointName, waiter: Waiter, { at, records }: Expected): void {
    const { context, told } = waiter
    if (!context.onWait) return
    const isLong = at - now() >= TOLD_FROM_MS
    if (isLong && (told?.records !== records || Math.abs(told.at - at) >= TOLD_FROM_MS)) {
      waiter.told = { at, records }
      context.onWait({ endpoint, until: at + toWall(), records })
    } else if (!isLong && told && told.at < now()) {
      tellOver(endpoint, waiter)
    }
  }

  /** When a waiter is to be looked at again, if nothing happens before. */
  function nextLook({ context: { maxWaitMs, maxRecordsWaitMs }, since, told }: Waiter): number {
    const instant = now()
    const again = instant + LOOK_AGAIN_MS
    const ending = (most: number | null = null) => {
      if (most === null) return Number.POSITIVE_INFINITY
      return since + most > instant ? since + most : again
    }
    const passed = told ? Math.max(told.at + LOOK_AGAIN_MS, again) : Number.POSITIVE_INFINITY
    return Math.min(ending(maxWaitMs), ending(maxRecordsWaitMs), passed)
  }

  function lookBy(endpoint: EndpointName, at: number): void {
    const watch = watches[endpoint]
    if (at >= watch.at) return
    watch.cancel()
    watch.at = at
    watch.cancel = clock.after(Math.max(LEAST_LOOK_MS, Math.ceil(at - now())), () => look(endpoint))
  }

  /** Looks at all who wait for an endpoint, the first of them at once. */
  function look(endpoint: EndpointName): void {
    const watch = watches[endpoint]
    stopLooking(watch)
    watch.surprises = places.surprises(endpoint)
    if (watch.attentive === 0) return
    const slices = inSlices(endpoint)
    const goOn = () => {
      watch.cancelSlice = slices.next().done ? () => {} : clock.after(0, goOn)
    }
    goOn()
  }

  function* inSlices(endpoint: EndpointName): Generator<void> {
    const expect = places.outlook(endpoint, now())
    let [ahead, looked] = [0, 0]
    for (const job of places.inOrder(endpoint)) {
      // It went meanwhile, or who gave up before it let it go.
      if (job.state !== 'waiting') continue
      consider(job, expect(job, ahead))
      if (isQueued(job)) ahead++
      if (++looked % SLICE === 0) yield
    }
    for (const job of parked) if (job.endpoint === endpoint) consider(job, expect(job, 0))
  }

  return {
    giveUp: (job: Job) => givenUp(job, places.expected(job, now())),

    /** The wait of one ticket has begun, or changed. */
    reconsider(job: Job): void {
      if (!isQueued(job)) return
      for (const waiter of job.waiters) {
        if (!isAttentive(waiter)) continue
        consider(job, places.expected(job, now()))
        return
      }
    },

    /** What waits for an endpoint may have to wait longer, or less long. */
    moved(endpoint: EndpointName): void {
      const { attentive, surprises } = watches[endpoint]
      if (attentive === 0) return
      if (places.surprises(endpoint) !== surprises) look(endpoint)
      else lookBy(endpoint, now() + LOOK_AGAIN_MS)
    },

    /** It goes now. */
    tellGoing({ endpoint, waiters }: Job): void {
      for (const waiter of waiters) tellOver(endpoint, waiter)
    },

    /** It does not wait any more: what it was told holds no longer. */
    tellGone({ endpoint }: Job, waiter: Waiter): void {
      if (waiter.told) tellOver(endpoint, waiter)
    },

    /** Listens to a waiter's signal, and to its endpoint where it is not content with waiting in silence. */
    watch(job: Job, waiter: Waiter): void {
      const { signal } = waiter.context
      const stop = () => leave(job, waiter, new EnvlogError('closed'))
      const watch = watches[job.endpoint]
      const counts = isAttentive(waiter) ? 1 : 0
      watch.attentive += counts
      signal.addEventListener('abort', stop, { once: true })
      waiter.release = () => {
        signal.removeEventListener('abort', stop)
        watch.attentive -= counts
        if (watch.attentive === 0) stopLooking(watch)
      }
    },
  }
}

function stopLooking(watch: Watch): void {
  watch.cancel()
  watch.cancelSlice()
  watch.at = Number.POSITIVE_INFINITY
}

function tellOver(endpoint: EndpointName, waiter: Waiter): void {
  waiter.told = undefined
  waiter.context.onWait?.({ endpoint, until: null, records: false })
}

function isAttentive({ context: { onWait, maxWaitMs, maxRecordsWaitMs } }: Waiter): boolean {
  return onWait !== undefined || maxWaitMs !== null || maxRecordsWaitMs !== undefined
}
