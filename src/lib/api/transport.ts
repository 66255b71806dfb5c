import type { Dispatcher } from 'undici'
import { decodePercent, isLoopback } from '../../shared/account'
import { inBackground } from '../background'
import { EnvlogError } from '../errors'

export interface HttpRequest {
  /** Absolute address. */
  url: string
  headers: Record<string, string>
  body: string
  signal: AbortSignal
}

export interface HttpResponse {
  status: number
  /** Names in lower case. */
  headers: Record<string, string | string[] | undefined>
  /** The bytes of the body as they arrive; throws `connection-broken` where the connection ends before it. */
  chunks: AsyncIterable<Uint8Array>
}

/** How requests reach the service. A port, so that the client can be tested without a network. */
export interface Transport {
  /**
   * Resolves when the headers have arrived.
   * @throws EnvlogError `connection-broken`; `no-connection`, `timeout-connect`, `no-certificate`, `proxy-refused` or
   * `proxy-invalid` where the request cannot have reached the service
   */
  send(request: HttpRequest): Promise<HttpResponse>
  close(): Promise<void>
}

/** TLS options as Node's `tls.connect` takes them. */
export interface TlsOptions {
  ca?: string | Buffer
  cert?: string | Buffer
  key?: string | Buffer
  passphrase?: string
  servername?: string
  rejectUnauthorized?: boolean
}

export interface TransportOptions {
  /** The most connections at the same time. */
  connections: number
  /** Longest silence of a peer, in ms. Connecting times out after 90 % of it. */
  timeoutMs: number
  tls?: TlsOptions
  /** Without it the proxy environment variables apply. */
  proxy?: { url: string; noProxy: readonly string[]; username?: string; password?: string }
}

const PROXY_VARIABLES = ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY']

/** Passwords that are sent to proxies, those of the environment included. A proxy may repeat them in its answer. */
export function proxyPasswords(
  { proxy }: TransportOptions,
  env: Record<string, string | undefined>,
): string[] {
  const addresses = proxy ? [proxy.url] : PROXY_VARIABLES.map((name) => env[name] ?? '')
  return [proxy?.password ?? '', ...addresses.map(readPassword)].filter((password) => password !== '')
}

function readPassword(address: string): string {
  if (!URL.canParse(address)) return ''
  return decodePercent(new URL(address).password)
}

/** A pool of keep-alive connections, and the requests on them. */
interface Agent {
  dispatcher: Dispatcher
  inFlight: number
  /** Gets no further requests, and is destroyed with the last that it has. */
  isRetired: boolean
}

/**
 * Creates a transport with keep-alive connections. An aborted request may leave a connection behind that never becomes
 * usable, because undici does not abort a TLS handshake or a proxy's CONNECT with the request that caused it. So after
 * an abort the next request gets a new agent. undici is loaded at the first request: loading it takes 50 ms.
 */
export function createUndiciTransport(options: TransportOptions): Transport {
  const agents = new Set<Agent>()
  let current: Agent | undefined

  function agentFor(address: URL): Agent {
    current ??= { dispatcher: createAgent(options, address), inFlight: 0, isRetired: false }
    agents.add(current)
    return current
  }

  function retire(agent: Agent): void {
    agent.isRetired = true
    if (current === agent) current = undefined
  }

  /** Counts a request as in flight until the returned function is called, or the signal aborts. */
  function track(agent: Agent, signal: AbortSignal): () => void {
    agent.inFlight++
    const onAbort = () => {
      retire(agent)
      end()
    }
    const end = () => {
      signal.removeEventListener('abort', onAbort)
      agent.inFlight--
      if (agent.isRetired && agent.inFlight === 0) inBackground(destroy(agent))
    }
    signal.addEventListener('abort', onAbort, { once: true })
    let isOver = false
    return () => {
      if (!isOver && !signal.aborted) end()
      isOver = true
    }
  }

  async function destroy(agent: Agent): Promise<void> {
    agents.delete(agent)
    // Its pending requests reject by themselves.
    await agent.dispatcher.destroy().catch(() => {})
  }

  return {
    async send({ url, headers, body, signal }) {
      const address = new URL(url)
      const agent = agentFor(address)
      const end = track(agent, signal)
      try {
        const response = await agent.dispatcher.request({
          origin: address.origin,
          path: address.pathname,
          method: 'POST',
          headers,
          body,
          signal,
          onInfo: countInterim(),
        })
        return {
          status: response.statusCode,
          headers: response.headers,
          chunks: wrapErrors(response.body, end, options),
        }
      } catch (error) {
        end()
        throw toNetworkError(error, options)
      }
    },
    async close() {
      current = undefined
      await Promise.all([...agents].map(destroy))
    },
  }
}

/** Most 1xx responses before the response to a request. HTTP has no limit, and a peer that never stops has a processor busy. */
const MAX_INTERIM = 100

function countInterim(): () => void {
  let count = 0
  return () => {
    if (++count > MAX_INTERIM) throw Object.assign(new Error(), { code: 'TOO_MANY_1XX' })
  }
}

/** Connecting gets less time than silence, so that its timeout comes first: then the request is known to be unsent. */
const CONNECT_SHARE = 0.9

/**
 * An address that undici refuses is the proxy's, because the service's was checked. undici's message is dropped: it may
 * hold the proxy's password.
 */
function createAgent(options: TransportOptions, address: URL): Dispatcher {
  try {
    return createDispatcher(options, address)
  } catch {
    throw new EnvlogError('proxy-invalid')
  }
}

function createDispatcher(options: TransportOptions, { protocol, hostname }: URL): Dispatcher {
  const { Agent, EnvHttpProxyAgent } = require('undici') as typeof import('undici')
  const { connections, timeoutMs, tls, proxy } = options
  const timeout = timeoutMs * CONNECT_SHARE
  // The client watches silence by itself, before and within a response (`deadline.ts`).
  const common = {
    connections,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout, ...tls },
  }
  // Requests to this machine never go through the environment's proxy, and without TLS through no proxy at all: their
  // secrets would leave this machine in plain text.
  if (isLoopback(hostname) && (!proxy || protocol === 'http:')) return new Agent(common)
  const proxyOptions = proxy && {
    httpProxy: proxyAddress(proxy),
    httpsProxy: proxyAddress(proxy),
    noProxy: proxy.noProxy.join(','),
  }
  // Two connections are made: to the proxy, and through it to the service.
  return new EnvHttpProxyAgent({
    ...common,
    proxyTls: { timeout },
    requestTls: { timeout, ...tls },
    ...proxyOptions,
  })
}

function proxyAddress({ url, username, password }: NonNullable<TransportOptions['proxy']>): string {
  const address = new URL(url)
  if (username) address.username = encodeURIComponent(username)
  if (password) address.password = encodeURIComponent(password)
  return address.href
}

/**
 * Turns errors of a body into `EnvlogError`. It is no generator, which would take another promise for each chunk.
 * @param end called when the body has been read, has failed or is no longer read
 */
function wrapErrors(
  body: AsyncIterable<Uint8Array>,
  end: () => void,
  options: TransportOptions,
): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      const chunks = body[Symbol.asyncIterator]()
      const onResult = (result: IteratorResult<Uint8Array>) => {
        if (result.done) end()
        return result
      }
      const onError = (error: unknown) => {
        end()
        throw toNetworkError(error, options)
      }
      return {
        next: () => chunks.next().then(onResult, onError),
        return: async () => {
          end()
          return (await chunks.return?.()) ?? { done: true, value: undefined }
        },
      }
    },
  }
}

/** Keeps only the code of an error: messages of the network stack may hold a proxy's password. */
function toNetworkError(error: unknown, { timeoutMs }: TransportOptions): EnvlogError {
  const { code, message, syscall } = collectCauses(error)
  if (code === 'UND_ERR_CONNECT_TIMEOUT')
    return new EnvlogError('timeout-connect', { seconds: Math.round((timeoutMs * CONNECT_SHARE) / 1000) })
  if (/CERT|SELF_SIGNED|UNABLE_TO_|ALTNAME/.test(code))
    return new EnvlogError('no-certificate', { detail: code })
  const tunnel = /Proxy response \((\d{3})\)/.exec(message)
  if (tunnel) return new EnvlogError('proxy-refused', { detail: tunnel[1] ?? '' })
  const isConnecting = syscall === 'connect' || syscall === 'getaddrinfo'
  return new EnvlogError(isConnecting ? 'no-connection' : 'connection-broken', { detail: code })
}

/** The code and system call of the innermost cause that has them, and the messages of all. */
function collectCauses(error: unknown): { code: string; message: string; syscall: string } {
  let collected = { code: 'unknown', message: '', syscall: '' }
  for (let cause = error; cause instanceof Error; cause = causeOf(cause)) {
    const { code = collected.code, syscall = collected.syscall } = cause as NodeJS.ErrnoException
    collected = { code: String(code), syscall, message: `${collected.message} ${cause.message}` }
  }
  return collected
}

/** Where a host has several addresses, Node.js tries each; the first error stands for all. */
function causeOf(error: Error): unknown {
  return error instanceof AggregateError ? error.errors[0] : error.cause
}
