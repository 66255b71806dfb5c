import { createAbort } from '../abort'
import type { EndpointName } from '../api/endpoints'
import type { QuotaHeaders } from '../api/quota-headers'
import { EnvlogError } from '../errors'
import type { RequestContext } from './types'

/** Whose limit a refusal is about. */
export type LimitScope = 'endpoint' | 'device'

/** How a try ended, as far as the quota needs to know. */
export type AttemptResult<T> = {
  /** What the answer's headers said; `null` where no answer came. */
  reading: QuotaHeaders | null
  /** Records that came; `null` where the answer cannot be read. */
  records?: number | null
  /** True where it never reached the service: nothing is spent. */
  unsent?: boolean
} & ({ value: T } | { error: EnvlogError; againAfter?: number })

/** A request as it waits for its turn. */
export interface QuotaRequest<T> {
  endpoint: EndpointName
  /** Requests with equal keys become one. */
  key: string
  /** Whose records it asks for, how many, and with how few it would go. */
  records?: { device: string; wanted: number; least: number }
  /** One try, with so many records, after so many that failed; never rejects. */
  send(number: number | undefined, signal: AbortSignal, retries: number): Promise<AttemptResult<T>>
  /** A copy for each further context. */
  copy(value: T): T
}

/** One who waits for a ticket's answer. */
export interface Waiter {
  context: RequestContext
  request: QuotaRequest<unknown>
  /** Monotonic; when it was queued. */
  since: number
  /** When it was last told that it goes, monotonic, and what it waits for. */
  told?: { at: number; records: boolean } | undefined
  resolve(value: unknown): void
  reject(error: unknown): void
  /** Stops listening. */
  release(): void
}

/** Identical requests on their way together. */
export interface Job {
  key: string
  endpoint: EndpointName
  waiters: Set<Waiter>
  /** `waiting` in its lines, `parked` until its device has records again, `resting` before another try. */
  state: 'waiting' | 'parked' | 'resting' | 'running' | 'over'
  refusals: number
  /** Tries that failed otherwise and were worth another one. */
  retries: number
  /** What the service said when it refused last. */
  refusal?: { error: EnvlogError; of: LimitScope }
  /** How its last try failed, where another one is to come. */
  failure?: EnvlogError | undefined
  abort: AbortController
  /** Others have the records of its device till then, monotonic; how often it was told so in a row. */
  othersUntil?: number | undefined
  misses: number
  /** Ends a rest or a parking. */
  wake(): void
}

export function createJob(key: string, endpoint: EndpointName): Job {
  const waiters = new Set<Waiter>()
  return {
    key,
    endpoint,
    waiters,
    state: 'waiting',
    refusals: 0,
    retries: 0,
    misses: 0,
    abort: createAbort(),
    wake: () => {},
  }
}

/** Whose way of sending is used: of those who still wait, the first. */
export function requestOf({ waiters }: Job): QuotaRequest<unknown> {
  const [first] = waiters as Iterable<Waiter>
  return (first as Waiter).request
}

export function succeed(job: Job, value: unknown): void {
  job.state = 'over'
  const [first, ...others] = job.waiters
  first?.release()
  // Before anybody may change what came.
  for (const waiter of others) {
    waiter.release()
    try {
      waiter.resolve(waiter.request.copy(value))
    } catch {
      waiter.reject(new EnvlogError('reply-unreadable', { part: 'answer' }))
    }
  }
  first?.resolve(value)
  job.waiters.clear()
}

export function fail(job: Job, error: unknown): void {
  job.state = 'over'
  for (const waiter of [...job.waiters]) {
    waiter.release()
    waiter.reject(error)
  }
  job.waiters.clear()
}

/** A listener that throws fails only its own request: it is called in the middle of the work for others. */
export function withSafeListener(context: RequestContext, failed: (error: unknown) => void): RequestContext {
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
        failed(error)
      }
    },
  }
}
