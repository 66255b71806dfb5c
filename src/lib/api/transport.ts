import type { LookupFunction, Socket } from 'node:net'
import type { ConnectionOptions } from 'node:tls'
import type { Dispatcher, Pool } from 'undici'
import { decodePercent, isLoopback } from '../../shared/addresses'
import { inBackground } from '../background'
import { EnvlogError } from '../errors'
import { version } from '../version'

export interface HttpRequest {
  /** Absolute URL. */
  url: string
  body: string
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

/** A request in flight. */
export interface HttpExchange<T> {
  /**
   * @throws EnvlogError `connection-broken`, `no-connection`, `certificate-time`, `no-certificate`, `no-tls`, `proxy-refused`;
   * any error of `read`
   */
  result: Promise<T>
  /** Closes its connection. The result may then be rejected or stay pending. */
  abandon(): void
}

/** Sends requests to the service. It is injected, so that the client can be tested without a network. */
export interface Transport {
  /**
   * Sends a request.
   * @param read called when the headers have arrived; reads the body, and its result is that of the exchange
   * @throws EnvlogError `proxy-invalid`
   */
  send<T>(request: HttpRequest, read: (response: HttpResponse) => Promise<T>): HttpExchange<T>
  /** Closes the connections. No request may be in flight, except abandoned ones. */
  close(): Promise<void>
}

export interface TransportOptions {
  /** Longest silence of a peer, in ms. */
  timeoutMs: number
  /** As for Node's `tls.connect`. */
  tls?: Omit<ConnectionOptions, 'port' | 'timeout'>
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
  const passwords = addresses.map((address) =>
    URL.canParse(address) ? decodePercent(new URL(address).password) : '',
  )
  return [proxy?.password ?? '', ...passwords].filter((password) => password !== '')
}

const HEADERS = {
  'content-type': 'application/json',
  'x-http-method-override': 'GET',
  'accept-encoding': 'identity',
  'user-agent': `envlog/${version}`,
}

/**
 * Sends requests over keep-alive connections. Each request in flight has an agent of its own, which a later request
 * reuses. If a request fails or is abandoned, its agent is destroyed, because undici's own abort signal has no effect on
 * a request that waits for a TLS handshake or a proxy's CONNECT. undici is loaded at the first request, because loading
 * it takes 50 ms.
 */
export class UndiciTransport implements Transport {
  readonly #options: TransportOptions
  readonly #idle: Dispatcher[] = []

  constructor(options: TransportOptions) {
    this.#options = options
  }

  send<T>({ url, body, onSent }: HttpRequest, read: (response: HttpResponse) => Promise<T>): HttpExchange<T> {
    const { origin, pathname: path, protocol, hostname } = new URL(url)
    const agent = this.#idle.pop() ?? createAgent(this.#options, protocol, hostname)
    let isInFlight = true
    let interimResponses = 0
    const abandon = () => {
      if (isInFlight) inBackground(agent.destroy())
      isInFlight = false
    }
    const exchange = async () => {
      try {
        const response = await agent.request({
          ...{ origin, path, method: 'POST' },
          // With a proxy, undici adds the host to the headers that it receives.
          headers: { ...HEADERS, 'content-length': String(Buffer.byteLength(body)) },
          // undici accepts any iterable, although its types do not say so. A stream is more work.
          body: reportStart(body, onSent) as never,
          onInfo() {
            if (++interimResponses > MAX_INTERIM_RESPONSES)
              throw new EnvlogError('connection-broken', { detail: 'INTERIM_RESPONSES' })
          },
        })
        const { statusCode: status, headers, body: chunks } = response
        const result = await read({ status, headers, chunks })
        if (isInFlight) this.#idle.push(agent)
        isInFlight = false
        return result
      } catch (error) {
        abandon()
        throw error instanceof EnvlogError ? error : toNetworkError(error)
      }
    }
    return { result: exchange(), abandon }
  }

  async close(): Promise<void> {
    await Promise.all(this.#idle.splice(0).map((agent) => agent.destroy()))
  }
}

/** A peer that never stops sending interim responses (102, 103) would keep a processor busy until the timeout. */
export const MAX_INTERIM_RESPONSES = 100

/**
 * Calls `onSent` when undici reads the body, which is after it has a connection and before it writes the first byte.
 */
function* reportStart(body: string, onSent: () => void): Generator<string> {
  onSent()
  yield body
}

/** undici's timers may be half a second early, and the client's own timeout must be first. */
const CONNECT_MARGIN_MS = 1000
/**
 * Share of the timeout for each address of a host before the next one is tried. Node's default of 250 ms is shorter
 * than a slow handshake.
 */
const ADDRESS_SHARE = 0.1

/**
 * If undici rejects an address, it is that of the proxy, because the service's address was checked before. undici's
 * message is dropped, because it may contain the proxy's password.
 */
function createAgent(options: TransportOptions, protocol: string, hostname: string): Dispatcher {
  try {
    return createDispatcher(options, protocol, hostname)
  } catch {
    throw new EnvlogError('proxy-invalid')
  }
}

function createDispatcher(options: TransportOptions, protocol: string, hostname: string): Dispatcher {
  const { Agent, EnvHttpProxyAgent } = require('undici') as typeof import('undici')
  const { timeoutMs, tls, proxy } = options
  // The client monitors silence itself (`deadline.ts`). The connect timeout only closes the socket of an abandoned TLS
  // handshake, which `destroy` does not.
  const connect = {
    timeout: timeoutMs + CONNECT_MARGIN_MS,
    autoSelectFamilyAttemptTimeout: Math.max(250, timeoutMs * ADDRESS_SHARE),
  }
  const common = {
    connections: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { ...connect, ...tls },
  }
  // Requests to this machine never use the proxy from the environment. Without TLS, they use no proxy at all, because
  // their secrets would leave this machine in plain text.
  if (isLoopback(hostname) && (!proxy || protocol === 'http:'))
    return new Agent({ ...common, connect: { ...common.connect, lookup: lookUpLoopback } })
  const proxyOptions = proxy && {
    httpProxy: proxyAddress(proxy),
    httpsProxy: proxyAddress(proxy),
    noProxy: proxy.noProxy.join(','),
  }
  // Creates two connections, one to the proxy and, through it, one to the service.
  return new EnvHttpProxyAgent({
    ...common,
    proxyTls: connect,
    requestTls: { ...connect, ...tls },
    factory: createPool,
    ...proxyOptions,
  })
}

/** The addresses of `localhost`. A name server may give others, and the secrets would leave this machine. */
const lookUpLoopback: LookupFunction = (_name, { all }, done) => {
  if (!all) return done(null, '127.0.0.1', 4)
  done(null, [
    { address: '127.0.0.1', family: 4 },
    { address: '::1', family: 6 },
  ])
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

/** A response without TLS, as from an `http:` address that was entered as `https:`. */
const NO_TLS = ['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG']

/** Codes of a certificate that is not valid at this machine's time. Its clock is wrong more often than the certificate. */
const CERTIFICATE_TIME = ['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID']

/** The time by which certificates are checked, such as `2026-11-20 08:00 UTC`. */
const machineTime = () => `${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC`

/** Keeps only the code of an error, because messages of the network stack may contain a proxy's password. */
function toNetworkError(error: unknown): EnvlogError {
  const causes = causesOf(error)
  const code = String(causes.findLast(({ code }) => code !== undefined)?.code ?? 'unknown')
  if (CERTIFICATE_TIME.includes(code))
    return new EnvlogError('certificate-time', { detail: code, time: machineTime() })
  if (/CERT|SELF_SIGNED|UNABLE_TO_|ALTNAME/.test(code))
    return new EnvlogError('no-certificate', { detail: code })
  if (NO_TLS.includes(code)) return new EnvlogError('no-tls', { detail: code })
  const messages = causes.map(({ message }) => message).join(' ')
  const [, tunnelStatus] = /Proxy response \((\d{3})\)/.exec(messages) ?? []
  if (tunnelStatus) return new EnvlogError('proxy-refused', { detail: tunnelStatus })
  const isConnecting = causes.some(({ syscall }) => syscall === 'connect' || syscall === 'getaddrinfo')
  return new EnvlogError(isConnecting ? 'no-connection' : 'connection-broken', { detail: code })
}

/** An error and its causes. If a host has several addresses, Node.js tries each of them; the first error is used. */
function causesOf(error: unknown): NodeJS.ErrnoException[] {
  if (!(error instanceof Error)) return []
  return [error, ...causesOf(error instanceof AggregateError ? error.errors[0] : error.cause)]
}
