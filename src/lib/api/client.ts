import { type ChildAbort, childOf } from '../abort'
import type { Clock } from '../clock'
import { type Cause, EnvlogError } from '../errors'
import { readBody } from './body'
import { withDeadline } from './deadline'
import { type Endpoint, type EndpointName, endpoints, type ParamsOf, pathOf } from './endpoints'
import type { EnvelopeOf } from './envelopes'
import { type QuotaReading, readQuota } from './headers'
import { createLanes } from './lanes'
import { redactor } from './redact'
import { failureOf } from './refusal'
import { retryDelay } from './retry'
import type { Transport } from './transport'

export interface ClientSettings {
  /** Normalised service address, without a trailing slash. */
  baseUrl: string
  relaySuffix: string
  credentials: { apiKey: string; loginId: string; loginPass: string }
  /** Longest silence in seconds; a whole answer may take ten times that. */
  timeout: number
  /** Requests at the same time. */
  concurrency: number
  /** Further tries after no answer or a failing service. */
  retries: number
}

export interface ClientPorts {
  transport: Transport
  clock: Clock
  /** 0 ≤ x < 1, for the jitter of waits. */
  random(): number
}

/** An answer of status 200, with what its headers said. */
export interface Answer<B> {
  endpoint: EndpointName
  body: B
  /** When the last byte had arrived, ms since 1970 UTC. */
  receivedAt: number
  quota: QuotaReading
}

export interface Client {
  /**
   * One read, parsed and checked as far as its envelope.
   * @throws EnvlogError: every code but `ENVLOG_CONFIG`, `ENVLOG_INPUT`, `ENVLOG_BUSY`
   */
  read<E extends EndpointName>(
    endpoint: E,
    params: ParamsOf<E>,
    signal: AbortSignal,
  ): Promise<Answer<EnvelopeOf<E>>>
  /**
   * One read as it came: JSON parsed but not looked into, or the CSV text that `type` asks for.
   * @throws EnvlogError
   */
  readRaw<E extends EndpointName>(
    endpoint: E,
    params: ParamsOf<E>,
    signal: AbortSignal,
  ): Promise<Answer<unknown>>
  /** Ends what is under way with `closed`. */
  close(): Promise<void>
}

/** Reads of one account: *Common conventions* of the description, and the field notes' *Requests*. */
export function createClient(settings: ClientSettings, ports: ClientPorts): Client {
  const { transport, clock, random } = ports
  const { apiKey, loginId, loginPass } = settings.credentials
  const redact = redactor([apiKey, loginPass])
  const lanes = createLanes(settings.concurrency)
  const underWay = new Set<ChildAbort>()
  let closed = false
  const limits = { silence: settings.timeout * 1000, total: settings.timeout * 10_000 }

  async function exchange(endpoint: EndpointName, body: string, signal: AbortSignal) {
    const leave = await lanes.enter(signal)
    try {
      return await withDeadline(clock, limits, signal, async (inner, alive) => {
        const answer = await transport.send({
          url: settings.baseUrl + pathOf(endpoint, settings.relaySuffix),
          headers: { 'content-type': 'application/json', 'x-http-method-override': 'GET' },
          body,
          signal: inner,
        })
        alive()
        return { answer, text: await readBody(answer.chunks, alive) }
      })
    } finally {
      leave()
    }
  }

  async function attempt(
    endpoint: EndpointName,
    body: string,
    understand: (text: string) => unknown,
    signal: AbortSignal,
  ): Promise<Answer<unknown>> {
    const { answer, text } = await exchange(endpoint, body, signal)
    const receivedAt = clock.now()
    const quota = readQuota(answer.headers)
    if (answer.status !== 200) throw failureOf({ endpoint, answer, text, quota, receivedAt, redact })
    return { endpoint, body: understand(text), receivedAt, quota }
  }

  async function attempts<E extends EndpointName>(
    endpoint: E,
    params: ParamsOf<E>,
    understand: (text: string) => unknown,
    signal: AbortSignal,
  ): Promise<Answer<unknown>> {
    const known = knownCause(endpoint, params)
    const body = JSON.stringify({
      'api-key': apiKey,
      'login-id': loginId,
      'login-pass': loginPass,
      ...params,
    })
    const { retries = Number.POSITIVE_INFINITY }: Endpoint = endpoints[endpoint]
    const most = Math.min(settings.retries, retries)
    for (let tries = 0; ; tries++) {
      try {
        return await attempt(endpoint, body, understand, signal)
      } catch (error) {
        const failure = asEnvlogError(error).with(known)
        if (tries >= most || !worthAnotherTry(failure)) throw failure
        await clock.sleep(retryDelay(tries, random()), signal)
      }
    }
  }

  /** Under a signal of its own, so that closing the client ends it. */
  async function reading<T>(asker: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (closed) throw new EnvlogError('closed')
    const own = childOf(asker)
    underWay.add(own)
    try {
      return await work(own.signal)
    } finally {
      underWay.delete(own)
      own.release()
    }
  }

  return {
    read: (endpoint, params, asker) =>
      reading(asker, (signal) => {
        const understand = (text: string) => loadEnvelopes().readEnvelope(endpoint, text)
        return attempts(endpoint, params, understand, signal) as Promise<never>
      }),
    readRaw: (endpoint, params, asker) =>
      reading(asker, (signal) => {
        const type = ('type' in params && params.type) || 'json'
        const { readJson, readTable } = loadEnvelopes()
        return attempts(endpoint, params, type === 'json' ? readJson : readTable, signal)
      }),
    close() {
      closed = true
      for (const own of underWay) own.abort()
      return transport.close()
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

/** zod comes with it: loaded at the first answer, not at start-up. */
function loadEnvelopes() {
  return require('./envelopes') as typeof import('./envelopes')
}

function knownCause<E extends EndpointName>(endpoint: E, params: ParamsOf<E>): Cause {
  const cause: Cause = { endpoint }
  const { 'remote-serial': serial, 'base-serial': base } = params
  if (typeof serial === 'string') cause.serial = serial
  if (typeof base === 'string') cause.base = base
  return cause
}

function asEnvlogError(error: unknown): EnvlogError {
  if (error instanceof EnvlogError) return error
  throw error
}
