import type { Socket } from 'node:net'
import type { Dispatcher, Pool } from 'undici'
import { decodePercent, isLoopback } from '../../shared/account-rules'
import { inBackground } from '../background'
import { EnvlogError } from '../errors'
import { version } from '../version'

export interface HttpRequest {
  /** Absolute URL. */
  url: string
  body: string
  signal: AbortSignal
  /** Called before the first byte is written. If it was not called, the service cannot have received the request. */
  onSent(): void
}

export interface HttpResponse {
  status: number
  /** Names in lower case. */
  headers: Record<string, string | string[] | undefined>
  /** The bytes of the body as they arrive. */
  chunks: AsyncIterable<Uint8Array>
}

/** Sends requests to the service. A port, so that the client can be tested without a network. */
export interface Transport {
  /**
   * Sends a request.
   * @param read called when the headers have arrived; reads the body
   * @returns the result of `read`
   * @throws EnvlogError `connection-broken`, `no-connection`, `timeout-connect`, `no-certificate`, `proxy-refused`,
   * `proxy-invalid`; any error of `read`
   */
  send<T>(request: HttpRequest, read: (response: HttpResponse) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** TLS options as for Node's `tls.connect`. */
export interface TlsOptions {
  ca?: string | Buffer
  cert?: string | Buffer
  key?: string | Buffer
  passphrase?: string
  servername?: string
  rejectUnauthorized?: boolean
}

export interface TransportOptions {
  /** Maximum number of simultaneous connections. */
  connections: number
  /** Longest silence of a peer, in ms. Connecting times out after 90 % of it. */
  timeoutMs: number
  tls?: TlsOptions
  /** If absent, the proxy environment variables apply. */
  proxy?: { url: string; noProxy: readonly string[]; username?: string; password?: string }
}

const PROXY_VARIABLES = ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY']

/**
 * Passwords that are sent to proxies, including those from the environment. A proxy may repeat them in its response.
 */
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

/** A pool of keep-alive connections and the number of requests that use it. */
interface Agent {
  dispatcher: Dispatcher
  inFlight: number
}

const HEADERS = {
  'content-type': 'application/json',
  'x-http-method-override': 'GET',
  'accept-encoding': 'identity',
  'user-agent': `envlog/${version}`,
}

/**
 * Sends requests over keep-alive connections. An aborted request may leave a connection behind that never becomes
 * usable, because undici does not abort the TLS handshake or the proxy's CONNECT together with the request that caused
 * it. So after an abort, the next request gets a new agent, and the old one is destroyed once its other requests have
 * ended. undici is loaded at the first request, because loading it takes 50 ms.
 */
export class UndiciTransport implements Transport {
  readonly #options: TransportOptions
  readonly #agents = new Set<Agent>()
  #current: Agent | undefined

  constructor(options: TransportOptions) {
    this.#options = options
  }

  async send<T>(
    { url, body, signal, onSent }: HttpRequest,
    read: (response: HttpResponse) => Promise<T>,
  ): Promise<T> {
    const { origin, pathname, protocol, hostname } = new URL(url)
    this.#current ??= { dispatcher: createAgent(this.#options, protocol, hostname), inFlight: 0 }
    const agent = this.#current
    this.#agents.add(agent)
    const release = this.#use(agent)
    const onAbort = () => {
      if (this.#current === agent) this.#current = undefined
      release()
    }
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      // With a proxy, undici adds the host to the headers that it receives.
      const headers = { ...HEADERS }
      const request = { origin, path: pathname, method: 'POST', headers, body, signal, onSent } as const
      const response = await agent.dispatcher.request(request)
      return await read({ status: response.statusCode, headers: response.headers, chunks: response.body })
    } catch (error) {
      throw error instanceof EnvlogError ? error : toNetworkError(error, this.#options)
    } finally {
      signal.removeEventListener('abort', onAbort)
      release()
    }
  }

  async close(): Promise<void> {
    this.#current = undefined
    await Promise.all([...this.#agents].map((agent) => this.#destroy(agent)))
  }

  /** Counts a request as using the agent until the returned function is called. */
  #use(agent: Agent): () => void {
    agent.inFlight++
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      agent.inFlight--
      if (this.#current !== agent && agent.inFlight === 0) inBackground(this.#destroy(agent))
    }
  }

  async #destroy(agent: Agent): Promise<void> {
    this.#agents.delete(agent)
    // Its pending requests reject on their own.
    await agent.dispatcher.destroy().catch(() => {})
  }
}

/**
 * The connect timeout is shorter than the silence timeout, so that it fires first: then the request is known to be
 * unsent.
 */
const CONNECT_SHARE = 0.9
/**
 * Share of the timeout for each address of a host before the next one is tried. Node's default of 250 ms is shorter
 * than a slow handshake.
 */
const ADDRESS_SHARE = 0.1

/**
 * An address that undici rejects is the proxy's, because the service's address was checked before. undici's message is
 * dropped, because it may contain the proxy's password.
 */
function createAgent(options: TransportOptions, protocol: string, hostname: string): Dispatcher {
  try {
    return createDispatcher(options, protocol, hostname).compose(reportStart())
  } catch {
    throw new EnvlogError('proxy-invalid')
  }
}

type Handler = Dispatcher.DispatchHandler

/** A method that is missing from undici's handler types. */
interface StartListener extends Handler {
  onRequestStart(...args: unknown[]): void
}

/** Calls a request's `onSent` when it has a connection, before its first byte is written. */
function reportStart(): Dispatcher.DispatcherComposeInterceptor {
  const { DecoratorHandler } = require('undici') as typeof import('undici')
  const Base = DecoratorHandler as new (handler: Handler) => StartListener
  class StartHandler extends Base {
    constructor(
      handler: Handler,
      readonly onSent: (() => void) | undefined,
    ) {
      super(handler)
    }
    override onRequestStart(...args: unknown[]): void {
      this.onSent?.()
      super.onRequestStart(...args)
    }
  }
  return (dispatch) => (options, handler) =>
    dispatch(options, new StartHandler(handler, (options as { onSent?: () => void }).onSent))
}

function createDispatcher(options: TransportOptions, protocol: string, hostname: string): Dispatcher {
  const { Agent, EnvHttpProxyAgent } = require('undici') as typeof import('undici')
  const { connections, timeoutMs, tls, proxy } = options
  const connect = {
    timeout: timeoutMs * CONNECT_SHARE,
    autoSelectFamilyAttemptTimeout: Math.max(250, timeoutMs * ADDRESS_SHARE),
  }
  // The client monitors silence itself, before and during a response (`deadline.ts`).
  const common = {
    connections,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { ...connect, ...tls },
  }
  // Requests to this machine never use the proxy from the environment, and without TLS no proxy at all: their secrets
  // would leave this machine in plain text.
  if (isLoopback(hostname) && (!proxy || protocol === 'http:')) return new Agent(common)
  const proxyOptions = proxy && {
    httpProxy: proxyAddress(proxy),
    httpsProxy: proxyAddress(proxy),
    noProxy: proxy.noProxy.join(','),
  }
  // Used for two connections: to the proxy, and through it to the service.
  return new EnvHttpProxyAgent({
    ...common,
    proxyTls: connect,
    requestTls: { ...connect, ...tls },
    factory: createPool,
    ...proxyOptions,
  })
}

/**
 * undici reconnects endlessly if the proxy closes the connection in response to CONNECT, because it mistakes the error
 * of the proxy's socket for that of a keep-alive connection. With a different error code, the request fails
 * immediately.
 */
function createPool(origin: string | URL, options: Pool.Options): Pool {
  const { Pool } = require('undici') as typeof import('undici')
  const { connect } = options
  if (typeof connect !== 'function') return new Pool(origin, options)
  const failOnce: typeof connect = (target, callback) =>
    connect(target, (error, socket) => {
      if (!error) callback(null, socket as Socket)
      else callback(new Error('No tunnel through the proxy', { cause: error }), null)
    })
  return new Pool(origin, { ...options, connect: failOnce })
}

function proxyAddress({ url, username, password }: NonNullable<TransportOptions['proxy']>): string {
  const address = new URL(url)
  if (username) address.username = encodeURIComponent(username)
  if (password) address.password = encodeURIComponent(password)
  return address.href
}

/** Keeps only the code of an error: messages of the network stack may contain a proxy's password. */
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

/** The code and system call of the innermost cause that has them, and the messages of all causes. */
function collectCauses(error: unknown): { code: string; message: string; syscall: string } {
  let collected = { code: 'unknown', message: '', syscall: '' }
  for (let cause = error; cause instanceof Error; cause = causeOf(cause)) {
    const { code = collected.code, syscall = collected.syscall } = cause as NodeJS.ErrnoException
    collected = { code: String(code), syscall, message: `${collected.message} ${cause.message}` }
  }
  return collected
}

/** If a host has several addresses, Node.js tries each of them; only the first error is used. */
function causeOf(error: Error): unknown {
  return error instanceof AggregateError ? error.errors[0] : error.cause
}
