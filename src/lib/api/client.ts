import { createHash } from 'node:crypto'
import { type LinkedAbort, linkAbort } from '../abort'
import { inBackground } from '../background'
import type { Clock } from '../clock'
import { runCooperatively, runToEnd } from '../cooperative'
import type { EnvelopeOf } from '../decode/envelopes'
import type { IncrementalArrayParser } from '../decode/incremental-array-parser'
import {
  createRawDecoder,
  createResponseDecoder,
  type ResponseBody,
  type ResponseDecoder,
} from '../decode/response-decoder'
import {
  buildPath,
  type DeviceParams,
  type Endpoint,
  type EndpointName,
  endpoints,
  type ParamsOf,
} from '../endpoints'
import { type Cause, EnvlogError, type Reason } from '../errors'
import type { Quota } from '../quota/quota'
import type { AttemptResult, RequestContext } from '../quota/types'
import { type Comparison, MAX_ERROR_BYTES, readBody } from './body'
import { withDeadline } from './deadline'
import { readErrorResponse } from './error-response'
import { type QuotaHeaders, readQuotaHeaders } from './quota-headers'
import { createRedactor, createSecretGuard, createSecretSearch } from './redact'
import { retryDelayMs } from './retry'
import type { HttpResponse, Transport } from './transport'

export interface ClientSettings {
  /** Normalized service address, without a trailing slash. */
  baseUrl: string
  relaySuffix: string
  credentials: { apiKey: string; loginId: string; loginPass: string }
  /** Longest silence in seconds; a whole response may take ten times that. */
  timeout: number
  /** How often a request is repeated if there is no response or the service fails. */
  retries: number
  /** Secrets beside the credentials that must not appear in answers and errors: passwords of a proxy. */
  secrets?: readonly string[]
}

export interface ClientPorts {
  transport: Transport
  clock: Clock
  /** Schedules each request within the limits of the service. */
  quota: Quota
  /** 0 ≤ x < 1, for the jitter of retry delays. */
  random(): number
}

/** A decoded response of status 200. */
export interface Answer<B> {
  endpoint: EndpointName
  body: B
  /** When the last byte arrived, in ms since 1970 UTC. */
  receivedAt: number
  quota: QuotaHeaders
  /** Of the body's bytes, where the answer was compared with another. */
  digest?: string
  /** Records that were requested: fewer than wanted where the device's limit has fewer left; only of `data`. */
  number?: number
}

export interface Client {
  /**
   * Requests an answer and decodes it to its envelope. Equal requests at the same time share one response.
   * @param compare an answer that is equal to the known one is decoded only where its `body` is read
   * @throws EnvlogError of any code but `ENVLOG_CONFIG` and `ENVLOG_INPUT`
   */
  read<E extends EndpointName>(
    endpoint: E,
    params: ParamsOf<E>,
    context: RequestContext,
    compare?: Comparison,
  ): Promise<Answer<EnvelopeOf<E>>>
  /**
   * Requests an answer as the service sends it: a JSON object whose fields are not checked, or the CSV text that the
   * parameter `type` asks for.
   * @throws EnvlogError of any code but `ENVLOG_CONFIG` and `ENVLOG_INPUT`
   */
  readRaw<E extends EndpointName>(
    endpoint: E,
    params: ParamsOf<E>,
    context: RequestContext,
  ): Promise<Answer<unknown>>
  /** True where a text holds the address or a part of the credentials: it must not be shown to others. */
  revealsLogin(text: string): boolean
  /** Rejects all requests of this client with `closed`. */
  close(): Promise<void>
}

/** Longest time in ms for a whole response, by the longest silence in seconds. */
export const maxResponseMs = (timeoutSeconds: number) => timeoutSeconds * 10_000

/** Fewer records are not worth a request: it waits until the device's limit has so many left (docs/quota.md). */
const MIN_RECORDS = 1000

/** Creates a client for one login (docs/service.md, *Requests*). */
export function createClient(settings: ClientSettings, ports: ClientPorts): Client {
  const { transport, clock, quota, random } = ports
  const { apiKey, loginId, loginPass } = settings.credentials
  const passwords = [loginPass, ...(settings.secrets ?? [])]
  const guard = createSecretGuard([apiKey, ...passwords])
  const redactor = createRedactor([apiKey], passwords)
  /** Created when a report first needs it. */
  let hasLogin: ((text: string) => boolean) | undefined
  const { hostname } = new URL(settings.baseUrl)
  const login = createHash('sha256')
    .update(JSON.stringify([loginId, loginPass]))
    .digest('base64')
  const timeouts = { silenceMs: settings.timeout * 1000, totalMs: maxResponseMs(settings.timeout) }
  const callers = new Set<LinkedAbort>()
  const attempts = new Set<Promise<unknown>>()
  let isClosed = false

  function* decodeStepwise(decoder: ResponseDecoder<unknown>, body: ResponseBody): Generator<undefined> {
    const decoded = decoder.decode(body)
    yield undefined
    return typeof decoded === 'string' ? redactor.redactCsv(decoded) : yield* redactor.redactJson(decoded)
  }

  /** @param onHeaders called as soon as the headers have arrived */
  async function exchange(
    endpoint: EndpointName,
    requestBody: string,
    signal: AbortSignal,
    onHeaders: (response: HttpResponse) => void,
    accepted: { parser: IncrementalArrayParser | undefined; compare: Comparison | undefined },
  ) {
    return await withDeadline(clock, timeouts, signal, async (exchangeSignal, onActivity) => {
      const response = await transport.send({
        url: settings.baseUrl + buildPath(endpoint, settings.relaySuffix),
        headers: { 'content-type': 'application/json', 'x-http-method-override': 'GET' },
        body: requestBody,
        signal: exchangeSignal,
      })
      onHeaders(response)
      onActivity()
      const options = response.status === 200 ? accepted : { keepBytes: MAX_ERROR_BYTES }
      return { response, body: await readBody(response.chunks, onActivity, options) }
    })
  }

  /** Sends one attempt; never rejects. */
  async function attempt(
    endpoint: EndpointName,
    params: object,
    decoder: ResponseDecoder<unknown>,
    compare: Comparison | undefined,
    signal: AbortSignal,
  ): Promise<AttemptResult<Answer<unknown>>> {
    const requestBody = JSON.stringify({
      'api-key': apiKey,
      'login-id': loginId,
      'login-pass': loginPass,
      ...params,
    })
    let headers: QuotaHeaders | null = null
    const cause = causeOf(endpoint, params)
    try {
      const onHeaders = (response: HttpResponse) => {
        if (response.status === 200) headers = readQuotaHeaders(response.headers)
      }
      const { parser } = decoder
      const { response, body } = await exchange(endpoint, requestBody, signal, onHeaders, { parser, compare })
      const receivedAt = clock.now()
      const quotaHeaders = readQuotaHeaders(response.headers)
      const { status } = response
      if (status !== 200) {
        const { error, isFromService } = readErrorResponse({ endpoint, status, text: body.text(), guard })
        const trusted = isFromService ? quotaHeaders : readQuotaHeaders({})
        return { headers: trusted, records: 0, error: error.with(cause) }
      }
      const decode = () => decodeStepwise(decoder, body)
      const answer = { endpoint, receivedAt, quota: quotaHeaders }
      const { digest } = body
      if (digest !== undefined && digest === compare?.known)
        return { headers: quotaHeaders, value: withLateBody({ ...answer, digest }, () => runToEnd(decode())) }
      const decoded = await runCooperatively(decode(), signal)
      const value = { ...answer, body: decoded, ...(digest !== undefined && { digest }) }
      return { headers: quotaHeaders, records: countRecords(decoded), value }
    } catch (error) {
      const failure = error instanceof EnvlogError ? error.with(cause) : (error as EnvlogError)
      // The page is not the service's, so its headers are not either.
      if (failure.reason === 'reply-not-json') headers = readQuotaHeaders({})
      return { headers, records: null, error: failure, isUnsent: UNSENT_REASONS.has(failure.reason) }
    }
  }

  /** The request as the quota schedules it. */
  function buildRequest<E extends EndpointName>(
    form: 'read' | 'raw',
    endpoint: E,
    params: ParamsOf<E>,
    createDecoder: () => ResponseDecoder<unknown>,
    compare?: Comparison,
  ) {
    const { retries = Number.POSITIVE_INFINITY, records }: Endpoint = endpoints[endpoint]
    const maxRetries = Math.min(settings.retries, retries)
    const { number: wanted } = params as Partial<DeviceParams>
    return {
      endpoint,
      key: JSON.stringify([login, form, buildPath(endpoint, settings.relaySuffix), params]),
      ...(records !== undefined && wanted !== undefined
        ? { records: { device: deviceKey(params), wanted, minimum: form === 'raw' ? wanted : MIN_RECORDS } }
        : {}),
      async send(
        number: number | undefined,
        signal: AbortSignal,
        retriesDone: number,
      ): Promise<AttemptResult<Answer<unknown>>> {
        const actualParams = number === undefined ? params : { ...params, number }
        const pending = attempt(endpoint, actualParams, createDecoder(), compare, signal)
        attempts.add(pending)
        const result = await pending.finally(() => attempts.delete(pending))
        if ('value' in result) return number ? { ...result, value: { ...result.value, number } } : result
        if (retriesDone >= maxRetries || !isRetryable(result.error)) return result
        return { ...result, retryAfterMs: retryDelayMs(retriesDone, random()) }
      },
      copy: (answer: Answer<unknown>) => structuredClone(answer),
    }
  }

  /** Runs `work` with a signal that aborts with the caller's, and when the client closes. */
  async function abortOnClose<T>(
    context: RequestContext,
    work: (context: RequestContext) => Promise<T>,
  ): Promise<T> {
    if (isClosed) throw new EnvlogError('closed')
    const caller = linkAbort(context.signal)
    callers.add(caller)
    try {
      return await work({ ...context, signal: caller.signal })
    } finally {
      callers.delete(caller)
      caller.release()
    }
  }

  return {
    read: (endpoint, params, context, compare) =>
      abortOnClose(context, (linked) => {
        const createDecoder = () => createResponseDecoder(endpoint)
        const request = buildRequest('read', endpoint, params, createDecoder, compare)
        return quota.submit(request, linked) as Promise<never>
      }),
    readRaw: (endpoint, params, context) =>
      abortOnClose(context, (linked) => {
        const type = ('type' in params && params.type) || 'json'
        const createDecoder = () => createRawDecoder(type)
        return quota.submit(buildRequest('raw', endpoint, params, createDecoder), linked)
      }),
    revealsLogin(text) {
      hasLogin ??= createSecretSearch([apiKey, loginId, ...passwords])
      return text.toLowerCase().includes(hostname) || hasLogin(text)
    },
    async close() {
      isClosed = true
      for (const caller of callers) caller.abort()
      // Callers of other clients may share these attempts: the connections stay until they have ended.
      inBackground(Promise.allSettled(attempts).then(() => transport.close()))
    },
  }
}

/** An answer whose body is decoded when it is first read. */
function withLateBody<B>(answer: Omit<Answer<B>, 'body'>, decode: () => B): Answer<B> {
  let decoded: { body: B } | undefined
  const get = () => {
    decoded ??= { body: decode() }
    return decoded.body
  }
  return Object.defineProperty(answer, 'body', { enumerable: true, get }) as Answer<B>
}

/** True if there was no response, or the service failed. A response that cannot be decoded is not requested again. */
function isRetryable(error: EnvlogError): boolean {
  if (error.reason === 'no-certificate') return false
  return (
    error.code === 'ENVLOG_NETWORK' || error.code === 'ENVLOG_TIMEOUT' || error.reason === 'service-failed'
  )
}

/** Failures without a connection to the service: the request was not sent, so it uses no quota. */
const UNSENT_REASONS: ReadonlySet<Reason> = new Set([
  'no-connection',
  'timeout-connect',
  'no-certificate',
  'proxy-refused',
  'proxy-invalid',
])

/** Lines above the records of CSV (docs/service.md, *Fields*). */
const CSV_HEADER_LINES = 3

/** The number of records in an answer, decoded or raw; `null` where it has no list of records. */
function countRecords(value: unknown): number | null {
  if (typeof value === 'string') return Math.max(0, value.trimEnd().split('\n').length - CSV_HEADER_LINES)
  const { records, data } = (value ?? {}) as { records?: { length?: unknown }; data?: unknown }
  if (typeof records?.length === 'number') return records.length
  return Array.isArray(data) ? data.length : null
}

/** What the service counts records by. */
function deviceKey(params: object): string {
  const { 'remote-serial': serial = '', 'base-serial': base = '' } = params as Partial<DeviceParams>
  return `${base}/${serial}`
}

/** What an error of a request says about it. */
function causeOf(endpoint: EndpointName, params: object): Cause {
  const cause: Cause = { endpoint }
  const { 'remote-serial': serial, 'base-serial': base } = params as Record<string, unknown>
  if (typeof serial === 'string') cause.serial = serial
  if (typeof base === 'string') cause.base = base
  return cause
}
