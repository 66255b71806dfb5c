import { createAbort } from '../abort'
import type { EndpointName } from '../endpoints'
import { EnvlogError } from '../errors'
import type { RecordDemand, StartEstimate } from '../quota/endpoint'
import type { RequestContext } from '../request'

/** Who waits for the result of a request. */
export interface Caller {
  context: RequestContext
  /** When it began to wait, in monotonic ms. */
  since: number
  /** The estimate that it was last told. */
  told?: StartEstimate | undefined
  resolve(value: unknown): void
  reject(error: unknown): void
  stopListening(): void
}

/** Equal requests at the same time are one: it is sent once, and each caller gets the answer, or the error. */
export class JoinedRequest {
  readonly endpoint: EndpointName
  readonly records: RecordDemand | undefined
  readonly callers = new Set<Caller>()
  /** What the last attempt failed with, while another one is pending. */
  lastError: EnvlogError | undefined
  readonly #abort = createAbort()

  constructor(endpoint: EndpointName, records?: RecordDemand) {
    this.endpoint = endpoint
    this.records = records
  }

  /** Aborts when the last caller has left. */
  get signal(): AbortSignal {
    return this.#abort.signal
  }

  /** Resolves or rejects with the request. @throws EnvlogError `closed` as soon as the caller's signal aborts */
  join(context: RequestContext, now: number): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const { signal } = context
      if (signal.aborted) throw new EnvlogError('closed')
      const stop = () => this.leave(caller, new EnvlogError('closed'))
      signal.addEventListener('abort', stop, { once: true })
      const stopListening = () => signal.removeEventListener('abort', stop)
      const caller: Caller = { context, since: now, resolve, reject, stopListening }
      this.callers.add(caller)
    })
  }

  /** Rejects one caller; without callers the request ends. */
  leave(caller: Caller, error: unknown): void {
    if (!this.callers.delete(caller)) return
    this.#tellEnd(caller)
    caller.stopListening()
    caller.reject(error)
    if (this.callers.size === 0) this.#abort.abort()
  }

  /** @param copy makes the copy that each further caller gets, before the first one can change the value */
  resolve<T>(value: T, copy: (value: T) => T): void {
    const [first, ...others] = this.callers
    for (const caller of others) {
      try {
        caller.resolve(copy(value))
      } catch {
        caller.reject(new EnvlogError('reply-unreadable', { part: 'answer' }))
      }
    }
    first?.resolve(value)
    this.#end()
  }

  reject(error: unknown): void {
    for (const caller of this.callers) caller.reject(error)
    this.#end()
  }

  /** Tells a caller when the request will be sent; `undefined`: it is being sent. */
  tell(caller: Caller, estimate: StartEstimate | undefined, toWallMs: number): void {
    const { told, context } = caller
    if (!context.onWait || (!told && !estimate)) return
    caller.told = estimate
    const until = estimate ? estimate.at + toWallMs : null
    try {
      context.onWait({ endpoint: this.endpoint, until, records: estimate?.isForRecords ?? false })
    } catch (error) {
      // It is called in the middle of the work for others.
      caller.told = undefined
      this.leave(caller, error)
    }
  }

  /** The request is being sent. */
  tellStart(): void {
    for (const caller of this.callers) this.#tellEnd(caller)
  }

  #tellEnd(caller: Caller): void {
    this.tell(caller, undefined, 0)
  }

  #end(): void {
    for (const caller of this.callers) caller.stopListening()
    this.callers.clear()
  }
}
