import { createHash } from 'node:crypto'
import { type LinkedAbort, linkAbort } from '../abort'
import { inBackground } from '../background'
import type { Clock } from '../clock'
import type { EnvelopeOf } from '../decode/envelopes'
import type { IncrementalArrayParser } from '../decode/incremental-array-parser'
import type { ResponseBody } from '../decode/response-decoder'
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
import { MAX_ERROR_BYTES, readBody } from './body'
import { withDeadline } from './deadline'
import { readErrorResponse } from './error-response'
import { type QuotaHeaders, readQuotaHeaders } from './quota-headers'
import { createRedactor, createSecretGuard } from './redact'
import { retryDelayMs } from './retry'
import type { HttpResponse, Transport } from './transport'

export interface ClientSettings {
  /** Normalised service address, without a trailing slash. */
  baseUrl: string
  relaySuffix: string
  credentials: { apiKey: string; loginId: string; loginPass: string }
  /** Longest silence in seconds; a whole answer may take ten times that. */
  timeout: number
  /** Further tries after no answer or a failing service. */
  retries: number
  /** What nobody may be told beside the credentials: passwords of a proxy. */
  secrets?: readonly string[]
}

export interface ClientPorts {
  transport: Transport
  clock: Clock
  /** Decides when a request goes. */
  quota: Quota
  /** 0 ≤ x < 1, for the jitter of waits. */
  random(): number
}

/** An answer of status 200, with what its headers said. */
export interface Answer<B> {
  endpoint: EndpointName
  body: B
  /** When the last byte had arrived, ms since 1970 UTC. */
  receivedAt: number
  quota: QuotaHeaders
  /** Records that were asked for in the end: fewer than wanted where the device's budget has fewer left. */
  number?: number
}

export interface Client {
  /**
   * One read, parsed and checked as far as its envelope.
   * @throws EnvlogError: every code but `ENVLOG_CONFIG`, `ENVLOG_INPUT`
   */
  read<E extends EndpointName>(
    endpoint: E,
    params: ParamsOf<E>,
    context: RequestContext,
  ): Promise<Answer<EnvelopeOf<E>>>
  /**
   * One read as it came: JSON parsed but not looked into, or the CSV text that `type` asks for.
   * @throws EnvlogError
   */
  readRaw<E extends EndpointName>(
    endpoint: E,
    params: ParamsOf<E>,
    context: RequestContext,
  ): Promise<Answer<unknown>>
  /** Ends what is under way with `closed`. */
  close(): Promise<void>
}

/** Longest whole answer in ms, by the longest silence in seconds. */
export const maxResponseMs = (timeout: number) => timeout * 10_000

/** Fewer records than this are not worth a request of their own (docs/quota.md). */
const LEAST_RECORDS = 1000

/** How one answer is taken in. */
interface ResponseDecoder {
  /** Takes a part of it while it arrives. */
  slicer?: IncrementalArrayParser | undefined
  read(body: ResponseBody): unknown
}

/** Reads of one login: docs/service.md, *Requests*. */
export function createClient(settings: ClientSettings, ports: ClientPorts): Client {
  const { transport, clock, quota, random } = ports
  const { apiKey, loginId, loginPass } = settings.credentials
  const passwords = [loginPass, ...(settings.secrets ?? [])]
  const guard = createSecretGuard([apiKey, ...passwords])
  const redact = createRedactor([apiKey], passwords)
  const login = createHash('sha256')
    .update(JSON.stringify([loginId, loginPass]))
    .digest('base64')
  const limits = { silence: settings.timeout * 1000, total: maxResponseMs(settings.timeout) }
  const underWay = new Set<LinkedAbort>()
  const exchanges = new Set<Promise<unknown>>()
  let closed = false

  /** @param began told as soon as there are headers */
  async function exchange(
    endpoint: EndpointName,
    body: string,
    signal: AbortSignal,
    began: (answer: HttpResponse) => void,
    slicer: IncrementalArrayParser | undefined,
  ) {
    return await withDeadline(clock, limits, signal, async (inner, alive) => {
      const answer = await transport.send({
        url: settings.baseUrl + buildPath(endpoint, settings.relaySuffix),
        headers: { 'content-type': 'application/json', 'x-http-method-override': 'GET' },
        body,
        signal: inner,
      })
      began(answer)
      alive()
      const how = answer.status === 200 ? { slicer } : { kept: MAX_ERROR_BYTES }
      return { answer, body: await readBody(answer.chunks, alive, how) }
    })
  }

  /** One try; never rejects. */
  async function attempt(
    endpoint: EndpointName,
    params: object,
    understand: () => ResponseDecoder,
    signal: AbortSignal,
  ): Promise<AttemptResult<Omit<Answer<unknown>, 'number'>>> {
    const body = JSON.stringify({
      'api-key': apiKey,
      'login-id': loginId,
      'login-pass': loginPass,
      ...params,
    })
    let headers: QuotaHeaders | null = null
    const intake = understand()
    const known = knownCause(endpoint, params)
    try {
      const began = (answer: HttpResponse) => {
        if (answer.status === 200) headers = readQuotaHeaders(answer.headers)
      }
      const { answer, body: found } = await exchange(endpoint, body, signal, began, intake.slicer)
      const receivedAt = clock.now()
      const said = readQuotaHeaders(answer.headers)
      if (answer.status !== 200) {
        const { error, isOfService } = readErrorResponse({ endpoint, answer, text: found.text(), guard })
        return { headers: isOfService ? said : readQuotaHeaders({}), records: 0, error: error.with(known) }
      }
      const value = intake.read(found)
      const records = recordsIn(value)
      return { headers: said, records, value: { endpoint, body: value, receivedAt, quota: said } }
    } catch (error) {
      const failure = error instanceof EnvlogError ? error.with(known) : (error as EnvlogError)
      // A page of somebody else's, whatever its headers say.
      if (failure.reason === 'reply-not-json') headers = readQuotaHeaders({})
      return { headers, records: null, error: failure, isUnsent: NEVER_REACHED.has(failure.reason) }
    }
  }

  function request<E extends EndpointName>(
    kind: 'read' | 'raw',
    endpoint: E,
    params: ParamsOf<E>,
    understand: () => ResponseDecoder,
  ) {
    const { retries = Number.POSITIVE_INFINITY, records }: Endpoint = endpoints[endpoint]
    const most = Math.min(settings.retries, retries)
    const { number: wanted } = params as Partial<DeviceParams>
    return {
      endpoint,
      key: JSON.stringify([login, kind, buildPath(endpoint, settings.relaySuffix), params]),
      ...(records !== undefined && wanted !== undefined
        ? { records: { device: deviceOf(params), wanted, minimum: kind === 'raw' ? wanted : LEAST_RECORDS } }
        : {}),
      async send(
        number: number | undefined,
        signal: AbortSignal,
        retried: number,
      ): Promise<AttemptResult<Answer<unknown>>> {
        const asked = number === undefined ? params : { ...params, number }
        const trying = attempt(endpoint, asked, understand, signal)
        exchanges.add(trying)
        const tried = await trying.finally(() => exchanges.delete(trying))
        if ('value' in tried) return { ...tried, value: { ...tried.value, ...(number ? { number } : {}) } }
        if (retried >= most || !worthAnotherTry(tried.error)) return tried
        return { ...tried, retryAfterMs: retryDelayMs(retried, random()) }
      },
      copy: (answer: Answer<unknown>) => structuredClone(answer),
    }
  }

  /** Under a signal of its own, so that closing the client ends it. */
  async function reading<T>(
    context: RequestContext,
    work: (context: RequestContext) => Promise<T>,
  ): Promise<T> {
    if (closed) throw new EnvlogError('closed')
    const own = linkAbort(context.signal)
    underWay.add(own)
    try {
      return await work({ ...context, signal: own.signal })
    } finally {
      underWay.delete(own)
      own.release()
    }
  }

  return {
    read: (endpoint, params, context) =>
      reading(context, (own) => {
        const understand = () => {
          const { slicer, read } = loadIntake().createResponseDecoder(endpoint)
          return { slicer, read: (body: ResponseBody) => redact.within(read(body)) }
        }
        return quota.ask(request('read', endpoint, params, understand), own) as Promise<never>
      }),
    readRaw: (endpoint, params, context) =>
      reading(context, (own) => {
        const type = ('type' in params && params.type) || 'json'
        const read = ({ text }: ResponseBody) => {
          const { readJson, readCsv } = loadEnvelopes()
          return type === 'json' ? redact.within(readJson(text())) : redact.table(readCsv(text()))
        }
        return quota.ask(
          request('raw', endpoint, params, () => ({ read })),
          own,
        )
      }),
    async close() {
      closed = true
      for (const own of underWay) own.abort()
      // Others may wait for the same answers: the connection stays until they have them.
      inBackground(Promise.allSettled(exchanges).then(() => transport.close()))
    },
  }
}

/** No answer, or the service's own failure: the next try may succeed. A whole answer is never asked again. */
function worthAnotherTry(error: EnvlogError): boolean {
  if (error.reason === 'no-certificate') return false
  return (
    error.code === 'ENVLOG_NETWORK' || error.code === 'ENVLOG_TIMEOUT' || error.reason === 'service-failed'
  )
}

/** There was no connection to send it over: nothing is spent. */
const NEVER_REACHED: ReadonlySet<Reason> = new Set([
  'no-connection',
  'timeout-connect',
  'no-certificate',
  'proxy-refused',
  'proxy-invalid',
])

/** zod comes with these: loaded at the first request, not at start-up. */
function loadIntake() {
  return require('../decode/response-decoder') as typeof import('../decode/response-decoder')
}

function loadEnvelopes() {
  return require('../decode/envelopes') as typeof import('../decode/envelopes')
}

/** Rows above the records of a CSV answer (docs/service.md, *Fields*: CSV). */
const CSV_HEADERS = 3

/** How many records an answer holds, read or as it came. */
function recordsIn(value: unknown): number | null {
  if (typeof value === 'string') return Math.max(0, value.trimEnd().split('\n').length - CSV_HEADERS)
  const { records, data } = (value ?? {}) as { records?: { length?: unknown }; data?: unknown }
  if (typeof records?.length === 'number') return records.length
  return Array.isArray(data) ? data.length : null
}

function deviceOf(params: object): string {
  const { 'remote-serial': serial = '', 'base-serial': base = '' } = params as Partial<DeviceParams>
  return `${base}/${serial}`
}

function knownCause(endpoint: EndpointName, params: object): Cause {
  const cause: Cause = { endpoint }
  const { 'remote-serial': serial, 'base-serial': base } = params as Record<string, unknown>
  if (typeof serial === 'string') cause.serial = serial
  if (typeof base === 'string') cause.base = base
  return cause
}
