import { inBackground } from '../background'
import type { EndpointName } from '../endpoints'
import { EnvlogError } from '../errors'
import type { RequestContext } from '../request'
import type { RecordDemand, StartEstimate } from './endpoint-quota'

/** A shorter wait does not count as one, and a smaller change of an estimate not as a change: no caller hears of them. */
const MIN_WAIT_MS = 1000

/** A caller that waits for the result of a request. */
interface Caller {
  context: RequestContext
  /** Start of the wait, in monotonic ms. */
  since: number
  /** The last estimate that was reported to the caller. */
  lastEstimate?: StartEstimate | undefined
  resolve(value: unknown): void
  reject(error: unknown): void
}

/** A request shared by identical concurrent calls. It is sent once, and every caller gets the response or the error. */
export class JoinedRequest {
  readonly endpoint: EndpointName
  readonly records: RecordDemand | undefined
  /** The error of the last attempt, while another one is pending. */
  lastError: EnvlogError | undefined
  readonly #callers = new Set<Caller>()
  readonly #abort = new AbortController()

  constructor(endpoint: EndpointName, records?: RecordDemand) {
    this.endpoint = endpoint
    this.records = records
  }

  /** Aborts when the last caller leaves, and after a failure. */
  get signal(): AbortSignal {
    return this.#abort.signal
  }

  get contexts(): RequestContext[] {
    return [...this.#callers].map(({ context }) => context)
  }

  /** The most retries that a caller allows. */
  get maxRetries(): number {
    return Math.max(...this.contexts.map(({ maxRetries = Number.POSITIVE_INFINITY }) => maxRetries))
  }

  /** Whether no caller allows another attempt after a refusal because of a limit. */
  get isTriedOnce(): boolean {
    return this.contexts.every(({ isTriedOnce = false }) => isTriedOnce)
  }

  /**
   * Adds a caller. @returns the result of the request @throws EnvlogError `closed` as soon as the caller's signal
   * aborts or the request is closed
   */
  async join(context: RequestContext, now: number): Promise<unknown> {
    let leave = () => {}
    try {
      return await new Promise((resolve, reject) => {
        const caller: Caller = { context, since: now, resolve, reject }
        leave = () => this.#leave(caller, new EnvlogError('closed'))
        context.signal.addEventListener('abort', leave)
        this.#callers.add(caller)
      })
    } finally {
      // The signal may live much longer.
      context.signal.removeEventListener('abort', leave)
    }
  }

  resolve(value: unknown): void {
    for (const caller of this.#callers) caller.resolve(value)
  }

  reject(error: unknown): void {
    for (const caller of this.#callers) caller.reject(error)
    this.#abort.abort('failed')
  }

  /** Reports the estimated start to all callers, and rejects those that would wait too long. */
  reportWait(estimate: StartEstimate, now: number, toWallMs: number): void {
    const shown = estimate.at - now < MIN_WAIT_MS ? undefined : estimate
    for (const caller of this.#callers) {
      if (isTooLong(caller, estimate, now)) this.#leave(caller, this.#waitError(estimate, toWallMs))
      else if (!isSame(caller.lastEstimate, shown)) this.#report(caller, shown, toWallMs)
    }
  }

  /** Reports to all callers that the request is being sent. */
  reportStart(): void {
    for (const caller of this.#callers) {
      this.#report(caller, undefined, 0)
      caller.context.onStart?.(this.endpoint)
    }
  }

  /** Rejects a caller. The request is aborted when its last caller leaves. */
  #leave(caller: Caller, error: unknown): void {
    this.#callers.delete(caller)
    this.#report(caller, undefined, 0)
    caller.reject(error)
    if (this.#callers.size === 0) this.#abort.abort('left')
  }

  #report(caller: Caller, estimate: StartEstimate | undefined, toWallMs: number): void {
    const { onWait } = caller.context
    if (!onWait || (!caller.lastEstimate && !estimate)) return
    caller.lastEstimate = estimate
    const until = estimate ? estimate.at + toWallMs : null
    const wait = { endpoint: this.endpoint, until, records: estimate?.isForRecords ?? false }
    // A callback that throws must not stop the processing of other requests.
    inBackground(Promise.resolve(wait).then(onWait))
  }

  /** The error of the last attempt or, if there was none, `quota-wait` or `records-wait`. */
  #waitError({ at, isForRecords }: StartEstimate, toWallMs: number): EnvlogError {
    const { endpoint, lastError } = this
    const retryAt = new Date(at + toWallMs).toISOString()
    if (lastError) return lastError
    return new EnvlogError(isForRecords ? 'records-wait' : 'quota-wait', { retryAt }, { endpoint, retryAt })
  }
}

/**
 * Whether a caller would wait too long. If the estimate is not in the future, the request waits only for a free
 * connection, which does not count toward the limit.
 */
function isTooLong({ context, since }: Caller, { at, isForRecords }: StartEstimate, now: number): boolean {
  const { maxWaitMs, maxRecordsWaitMs = maxWaitMs } = context
  const limit = isForRecords ? maxRecordsWaitMs : maxWaitMs
  return limit !== null && at > Math.max(now, since + limit)
}

function isSame(one: StartEstimate | undefined, other: StartEstimate | undefined): boolean {
  if (!one || !other) return one === other
  return one.isForRecords === other.isForRecords && Math.abs(one.at - other.at) < MIN_WAIT_MS
}
