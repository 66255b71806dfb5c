import { createAbort } from '../abort'
import type { EndpointName } from '../endpoints'
import { EnvlogError } from '../errors'
import type { RecordDemand, StartEstimate } from '../quota/endpoint'
import type { RequestContext } from '../request'

/** A caller who waits for the result of a request. */
export interface Caller {
  context: RequestContext
  /** Start of the wait, in monotonic ms. */
  since: number
  /** The last estimate that was reported to the caller. */
  lastEstimate?: StartEstimate | undefined
  resolve(value: unknown): void
  reject(error: unknown): void
  stopListening(): void
}

/** A request shared by identical concurrent calls. It is sent once, and every caller gets the response or the error. */
export class JoinedRequest {
  readonly endpoint: EndpointName
  readonly records: RecordDemand | undefined
  readonly callers = new Set<Caller>()
  /** The error of the last attempt, while another one is pending. */
  lastError: EnvlogError | undefined
  readonly #abort = createAbort()

  constructor(endpoint: EndpointName, records?: RecordDemand) {
    this.endpoint = endpoint
    this.records = records
  }

  /** Aborts when the last caller leaves. */
  get signal(): AbortSignal {
    return this.#abort.signal
  }

  /**
   * Adds a caller. @returns the result of the request @throws EnvlogError `closed` as soon as the caller's signal
   * aborts or the request is closed
   */
  join(context: RequestContext, now: number): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const { signal } = context
      const stop = () => this.leave(caller, new EnvlogError('closed'))
      signal.addEventListener('abort', stop, { once: true })
      const stopListening = () => signal.removeEventListener('abort', stop)
      const caller: Caller = { context, since: now, resolve, reject, stopListening }
      this.callers.add(caller)
    })
  }

  /** Rejects a caller. The request is aborted when its last caller leaves. */
  leave(caller: Caller, error: unknown): void {
    if (!this.callers.delete(caller)) return
    this.report(caller, undefined, 0)
    caller.stopListening()
    caller.reject(error)
    if (this.callers.size === 0) this.#abort.abort()
  }

  /** Rejects all callers with `closed`. */
  close(): void {
    for (const caller of this.callers) this.leave(caller, new EnvlogError('closed'))
  }

  /** @param copy copies the value, because a caller may modify it */
  resolve<T>(value: T, copy: (value: T) => T): void {
    const isOnly = this.callers.size === 1
    for (const caller of this.callers) caller.resolve(isOnly ? value : copy(value))
    this.#end()
  }

  reject(error: unknown): void {
    for (const caller of this.callers) caller.reject(error)
    this.#end()
  }

  /** Reports to a caller when the request will be sent; `estimate` is `undefined` if it is being sent now. */
  report(caller: Caller, estimate: StartEstimate | undefined, toWallMs: number): void {
    const { lastEstimate, context } = caller
    if (!context.onWait || (!lastEstimate && !estimate)) return
    caller.lastEstimate = estimate
    const until = estimate ? estimate.at + toWallMs : null
    try {
      context.onWait({ endpoint: this.endpoint, until, records: estimate?.isForRecords ?? false })
    } catch (error) {
      // If a callback throws, only its own caller is rejected.
      caller.lastEstimate = undefined
      this.leave(caller, error)
    }
  }

  /** Reports to all callers that the request is being sent. */
  reportStart(): void {
    for (const caller of this.callers) this.report(caller, undefined, 0)
  }

  #end(): void {
    for (const caller of this.callers) caller.stopListening()
    this.callers.clear()
  }
}
