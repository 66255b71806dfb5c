import type { QuotaHeaders } from '../../../src/lib/api/quota-headers'
import type { Clock } from '../../../src/lib/clock'
import type { EndpointName } from '../../../src/lib/endpoints'
import { EnvlogError } from '../../../src/lib/errors'
import type { AttemptResult, QuotaRequest, RequestContext } from '../../../src/lib/quota/types'

/** An answer without headers. */
export const NO_HEADERS: QuotaHeaders = {
  limit: null,
  remaining: null,
  windowSeconds: null,
  recordsRemaining: null,
}

export const headersWith = (headers: Partial<QuotaHeaders> = {}): QuotaHeaders => ({
  ...NO_HEADERS,
  ...headers,
})

/** A request that left. */
export interface SentRequest {
  key: string
  endpoint: EndpointName
  /** The number of requested records. */
  number: number | undefined
  signal: AbortSignal
  at: number
  /** Ends it: by default with an answer of its key, whose headers are silent. */
  answer(result?: Partial<AttemptResult<unknown>>): void
}

export interface RequestOptions {
  endpoint?: EndpointName
  device?: string
  wanted?: number
  minimum?: number
}

/** A service for a quota: stores sent requests, until a test answers them. */
export function createManualService(clock: Clock) {
  const sent: SentRequest[] = []
  const copies: unknown[] = []

  function send(key: string, endpoint: EndpointName, number: number | undefined, signal: AbortSignal) {
    return new Promise<AttemptResult<unknown>>((resolve) => {
      const answer = (result: Partial<AttemptResult<unknown>> = {}) => {
        const value = 'error' in result ? {} : { value: { of: key } }
        resolve({ headers: NO_HEADERS, ...value, ...result } as AttemptResult<unknown>)
      }
      sent.push({ key, endpoint, number, signal, at: clock.monotonic(), answer })
      signal.addEventListener('abort', () => resolve({ headers: null, error: new EnvlogError('closed') }))
    })
  }

  return {
    sent,
    copies,
    keys: () => sent.map(({ key }) => key),
    request(
      key: string,
      { endpoint = 'current', device, wanted = 16_000, minimum = 1000 }: RequestOptions = {},
    ) {
      const request: QuotaRequest<unknown> = {
        endpoint,
        key,
        ...(device === undefined ? {} : { records: { device, wanted, minimum } }),
        send: (number, signal) => send(key, endpoint, number, signal),
        copy(value) {
          const copy = structuredClone(value)
          copies.push(copy)
          return copy
        },
      }
      return request
    },
  }
}

/** A context without a maximum wait, unless given otherwise. */
export const contextWith = (over: Partial<RequestContext> = {}): RequestContext => ({
  signal: new AbortController().signal,
  queueKey: 'node',
  maxWaitMs: null,
  ...over,
})

export interface PromiseState {
  state: 'waiting' | 'done' | 'failed'
  value?: unknown
  error?: EnvlogError
}

/** What becomes of a promise. */
export function observe(promise: Promise<unknown>): PromiseState {
  const seen: PromiseState = { state: 'waiting' }
  promise.then(
    (value) => Object.assign(seen, { state: 'done', value }),
    (error: EnvlogError) => Object.assign(seen, { state: 'failed', error }),
  )
  return seen
}

/** A refusal as the client reports it: an error with the answer's status. */
export function refusedResult(
  status: number,
  headers: Partial<QuotaHeaders> = {},
): Partial<AttemptResult<unknown>> {
  const reason = status === 429 ? 'quota-refused' : 'device-refused'
  return { headers: headersWith(headers), records: 0, error: new EnvlogError(reason, { status }, { status }) }
}
