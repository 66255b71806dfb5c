import { inBackground } from '../background'
import { type Clock, nextTurn, sleep } from '../clock'
import { type EnvelopeOf, parseResponse, readFields, readRaw } from '../decode/envelopes'
import {
  buildPath,
  type DeviceParams,
  type Endpoint,
  type EndpointName,
  endpoints,
  type ParamsOf,
} from '../endpoints'
import { type Cause, EnvlogError, type Reason } from '../errors'
import { demandOf } from '../quota/endpoint-quota'
import { JoinedRequest } from '../quota/joined-request'
import type { Outcome } from '../quota/outcome'
import type { Quota, QuotaRefusal } from '../quota/quota'
import { readQuotaHeaders } from '../quota-headers'
import { Redactor } from '../redact'
import { MAX_AGE_MS, type RequestContext, type ServiceResponse } from '../request'
import { withDeadline } from './deadline'
import { readErrorResponse } from './error-response'
import { readBody } from './response-body'
import { isRetryable, retryDelayMs } from './retry'
import type { Transport } from './transport'

export interface ClientSettings {
  /** Normalized service address, without a trailing slash. */
  baseUrl: string
  relaySuffix: string
  credentials: { apiKey: string; loginId: string; loginPass: string }
  /** Longest time without a byte, in seconds. A complete response may take ten times as long. */
  timeout: number
  /** How often a request is retried if there is no response or the service fails. */
  retries: number
  /** Other secrets that must not appear in errors, such as proxy passwords. */
  secrets?: readonly string[]
}

export interface ClientPorts {
  transport: Transport
  clock: Clock
  /** Schedules requests within the service's limits. */
  quota: Quota
  /** 0 ≤ x < 1, for the jitter of retry delays. */
  random(): number
}

/** A request to the service: endpoint, parameters, and the decoder for the response body. */
interface Call {
  endpoint: EndpointName
  params: object
  isRaw: boolean
  /** May return a promise. */
  decode(body: string): unknown
}

/** A longer body, in characters, is parsed and read in two turns of the event loop. */
const MAX_AT_ONCE = 200_000

/** A response that other callers may get. */
interface RecentResponse {
  response: ServiceResponse<unknown>
  /** When it arrived, monotonic ms. */
  at: number
  /** Cancels the timer that deletes it. */
  forget(): void
}

/** The outcome of one attempt. */
interface Attempt extends Outcome {
  response?: ServiceResponse<unknown>
  error?: unknown
}

/** A request fails after this many refusals because of a limit. */
export const MAX_REFUSALS = 3

/** Sends the requests of one login (docs/service.md, *Requests*). */
export class Client {
  readonly #settings: ClientSettings
  readonly #ports: ClientPorts
  readonly #redactor: Redactor
  readonly #loginRedactor: Redactor
  /** Waiting and running requests, by endpoint and parameters. */
  readonly #requests = new Map<string, JoinedRequest>()
  /** The last responses of `current`, by the same key. */
  readonly #recent = new Map<string, RecentResponse>()
  #isClosed = false

  constructor(settings: ClientSettings, ports: ClientPorts) {
    this.#settings = settings
    this.#ports = ports
    const { apiKey, loginId, loginPass } = settings.credentials
    const secrets = [apiKey, loginPass, ...(settings.secrets ?? [])]
    this.#redactor = new Redactor(secrets)
    this.#loginRedactor = new Redactor([...secrets, loginId, new URL(settings.baseUrl).hostname])
  }

  /**
   * Sends a request and decodes the response into its envelope. Identical requests at the same time share one response.
   * @throws EnvlogError of any code except `ENVLOG_CONFIG` and `ENVLOG_INPUT`
   */
  read<E extends EndpointName>(
    endpoint: E,
    params: ParamsOf<E>,
    context: RequestContext,
  ): Promise<ServiceResponse<EnvelopeOf<E>>> {
    const decode = async (body: string) => {
      const fields = parseResponse(body)
      if (body.length > MAX_AT_ONCE) await nextTurn()
      return readFields(endpoint, fields)
    }
    return this.#submit({ endpoint, params, isRaw: false, decode }, context) as Promise<never>
  }

  /**
   * Sends a request and returns the response unchanged: a JSON object whose fields are not checked, or CSV text if the
   * parameter `type` asks for it.
   * @throws EnvlogError of any code except `ENVLOG_CONFIG` and `ENVLOG_INPUT`
   */
  readRaw<E extends EndpointName>(
    endpoint: E,
    params: ParamsOf<E>,
    context: RequestContext,
  ): Promise<ServiceResponse<unknown>> {
    const type = ('type' in params && params.type) || 'json'
    return this.#submit({ endpoint, params, isRaw: true, decode: (body) => readRaw(type, body) }, context)
  }

  /**
   * Whether a text contains the address or the login, so that it must not be shown to others. This is a property, so
   * that it can be passed as a callback.
   */
  readonly revealsLogin = (text: string): boolean => this.#loginRedactor.reveals(text)

  /** Whether a text contains the API key or a password. */
  revealsSecret(text: string): boolean {
    return this.#redactor.reveals(text)
  }

  /** Rejects all requests of this client with `closed`. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const { forget } of this.#recent.values()) forget()
    for (const request of this.#requests.values()) request.reject(new EnvlogError('closed'))
    await this.#ports.transport.close()
  }

  /**
   * Takes a recent response, if the caller accepts one, joins an identical waiting or running request, or starts a new
   * one.
   */
  async #submit(call: Call, context: RequestContext): Promise<ServiceResponse<unknown>> {
    if (this.#isClosed || context.signal.aborted) throw new EnvlogError('closed')
    const key = JSON.stringify([call.isRaw, call.endpoint, call.params])
    const { maxAgeMs = 0 } = context
    const recent = this.#recent.get(key)
    if (recent && this.#ports.clock.monotonic() - recent.at < maxAgeMs)
      return call.isRaw ? structuredClone(recent.response) : recent.response
    const known = this.#requests.get(key)
    const isNew = known === undefined || known.signal.aborted
    const request = isNew ? new JoinedRequest(call.endpoint, demandOf(call.params, call.isRaw)) : known
    const joined = request.join(context, this.#ports.clock.monotonic())
    if (isNew) inBackground(this.#begin(key, call, request))
    else this.#ports.quota.proceedSoon()
    const response = (await joined) as ServiceResponse<unknown>
    // Decoded responses are never modified; raw ones become payloads, which flows may modify.
    const isUsedAgain = !isNew || this.#recent.has(key)
    return call.isRaw && isUsedAgain ? structuredClone(response) : response
  }

  async #begin(key: string, call: Call, request: JoinedRequest): Promise<void> {
    this.#requests.set(key, request)
    try {
      const response = await this.#send(call, request)
      if (call.endpoint === 'current') this.#keep(key, response)
      request.resolve(response)
    } catch (error) {
      request.reject(error)
    }
    // If all its callers have left, a later one has started a new request.
    if (this.#requests.get(key) === request) this.#requests.delete(key)
  }

  #keep(key: string, response: ServiceResponse<unknown>): void {
    if (this.#isClosed) return
    this.#recent.get(key)?.forget()
    const { clock } = this.#ports
    const forget = clock.after(MAX_AGE_MS, () => this.#recent.delete(key))
    this.#recent.set(key, { response, at: clock.monotonic(), forget })
  }

  /**
   * Waits for a permit, sends the request, and settles the permit according to the response. Retries if this may help.
   */
  async #send(call: Call, request: JoinedRequest): Promise<ServiceResponse<unknown>> {
    const { quota } = this.#ports
    const { retries: endpointRetries = Number.POSITIVE_INFINITY }: Endpoint = endpoints[call.endpoint]
    const ownRetries = Math.min(this.#settings.retries, endpointRetries)
    let retries = 0
    let refusals = 0
    for (;;) {
      const permit = await quota.acquire(request)
      const attempt = await this.#attempt(withNumber(call, permit.records), request.signal, retries)
      const refusal = permit.settle(attempt)
      const { response, error } = attempt
      if (response) return response
      if (!(error instanceof EnvlogError)) throw error
      request.lastError = refusal ? refusalOf(error, refusal) : error
      const isLast = refusal
        ? ++refusals === MAX_REFUSALS || request.isTriedOnce
        : !isRetryable(error) || !(await this.#pause(request, ownRetries, retries++))
      if (isLast) throw request.lastError
    }
  }

  /** Waits before a retry. @returns whether to retry: the callers that allow it may have left meanwhile */
  async #pause(request: JoinedRequest, ownRetries: number, retriesDone: number): Promise<boolean> {
    const { clock, random } = this.#ports
    const mayRetry = () => retriesDone < Math.min(ownRetries, request.maxRetries)
    if (!mayRetry()) return false
    await sleep(clock, retryDelayMs(retriesDone, random()), request.signal)
    return mayRetry()
  }

  /** Sends a request once. Never rejects. */
  async #attempt(
    { endpoint, params, decode }: Call,
    signal: AbortSignal,
    retriesDone: number,
  ): Promise<Attempt> {
    const { baseUrl, relaySuffix, credentials, timeout } = this.#settings
    const { transport, clock } = this.#ports
    const body = JSON.stringify({
      'api-key': credentials.apiKey,
      'login-id': credentials.loginId,
      'login-pass': credentials.loginPass,
      ...params,
    })
    const url = baseUrl + buildPath(endpoint, relaySuffix)
    const attempt: Attempt = { isSent: false, hasResponse: false, headers: null, records: null }
    const onSent = () => {
      attempt.isSent = true
    }
    try {
      const { status, headers, text } = await withDeadline(clock, timeout, signal, (onActivity) =>
        transport.send({ url, body, onSent }, async (response) => {
          onActivity()
          const headers = readQuotaHeaders(response.headers)
          if (response.status === 200) attempt.headers = headers
          return { status: response.status, headers, text: await readBody(response, onActivity) }
        }),
      )
      if (status !== 200) {
        const parts = { endpoint, baseUrl, status, text, retriesDone, redactor: this.#redactor }
        const { error, isFromService } = readErrorResponse(parts)
        if (isFromService) Object.assign(attempt, { headers, hasResponse: true })
        Object.assign(attempt, { records: 0, errorStatus: status })
        throw error
      }
      const receivedAt = clock.now()
      attempt.hasResponse = true
      const decoded = await decode(text)
      const { number } = params as Partial<DeviceParams>
      attempt.records = countRecords(decoded)
      attempt.response = { endpoint, body: decoded, receivedAt, quota: headers, number }
    } catch (error) {
      attempt.error = error
      if (error instanceof EnvlogError) {
        if (PAGES.has(error.reason)) Object.assign(attempt, { headers: null, hasResponse: false })
        const isConnecting = error.reason === 'timeout-silent' && !attempt.isSent
        const actual = isConnecting ? new EnvlogError('timeout-connect', error.params) : error
        attempt.error = actual.with(causeOf(endpoint, params))
      }
    }
    return attempt
  }
}

/** Reasons that indicate a response of a gateway, whose headers say nothing about the quota. */
const PAGES: ReadonlySet<Reason> = new Set(['response-not-json', 'response-not-csv'])

/** @param number the number of records to request; `undefined` if the request does not specify one */
function withNumber(call: Call, number: number | undefined): Call {
  return number === undefined ? call : { ...call, params: { ...call.params, number } }
}

/** The error for a refusal because of a limit, with the time at which the request can be sent again. */
function refusalOf({ params, cause }: EnvlogError, { reason, retryAt }: QuotaRefusal): EnvlogError {
  return new EnvlogError(reason, { ...params, retryAt }, { ...cause, retryAt })
}

/** Header lines of CSV (docs/service.md, *Fields*). */
const CSV_HEADER_LINES = 3

/** Number of records in a response, decoded or raw; `null` if it has no list of records. */
function countRecords(value: unknown): number | null {
  if (typeof value === 'string') return Math.max(0, value.trimEnd().split('\n').length - CSV_HEADER_LINES)
  const { records, data } = (value ?? {}) as { records?: { length?: unknown }; data?: unknown }
  if (typeof records?.length === 'number') return records.length
  return Array.isArray(data) ? data.length : null
}

/** The endpoint and the device of a request, for its error. */
function causeOf(endpoint: EndpointName, params: object): Cause {
  const cause: Cause = { endpoint }
  const { 'remote-serial': serial, 'base-serial': base } = params as Record<string, unknown>
  if (typeof serial === 'string') cause.serial = serial
  if (typeof base === 'string') cause.base = base
  return cause
}
