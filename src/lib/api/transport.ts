import type { Dispatcher } from 'undici'
import { isLoopback, unescaped } from '../../shared/account'
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
  /** The body's bytes as they arrive; breaks with `connection-broken` where the connection does. */
  chunks: AsyncIterable<Uint8Array>
}

/** How requests reach the service: a port, so that the client is tested without a network. */
export interface Transport {
  /**
   * @throws EnvlogError `connection-broken`; where the request cannot have reached the service, `no-connection`,
   * `timeout-connect`, `no-certificate`, `proxy-refused`, `proxy-invalid`
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
  /** Connections at the same time. */
  connections: number
  /** Longest silence of a peer, ms: a connection has to be there a little sooner. */
  timeoutMs: number
  tls?: TlsOptions
  /** Without it the proxy environment variables hold. */
  proxy?: { url: string; noProxy: readonly string[]; username?: string; password?: string }
}

const PROXY_VARIABLES = ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY']

/** Passwords that requests take to a proxy, of the environment's too: it may repeat them in the service's place. */
export function proxyPasswords(
  { proxy }: TransportOptions,
  env: Record<string, string | undefined>,
): string[] {
  const addresses = proxy ? [proxy.url] : PROXY_VARIABLES.map((name) => env[name] ?? '')
  return [proxy?.password ?? '', ...addresses.map(passwordIn)].filter((password) => password !== '')
}

function passwordIn(address: string): string {
  if (!URL.canParse(address)) return ''
  return unescaped(new URL(address).password)
}

/** A keep-alive agent, and what goes over it. */
interface Agent {
  dispatcher: Dispatcher
  inFlight: number
  /** Takes no more requests, and ends with the last of those it has. */
  isRetired: boolean
}

/**
 * Keep-alive connections. A request that is given up may leave one behind that will never be of use: undici does not
 * end a TLS handshake or a proxy's CONNECT with the request that wants them. So the next request gets a new agent.
 * undici is loaded at the first request: it costs a start-up 50 ms.
 */
export function createUndiciTransport(options: TransportOptions): Transport {
  const agents = new Set<Agent>()
  let current: Agent | undefined

  function agentFor(address: URL): Agent {
    current ??= { dispatcher: openAgent(options, address), inFlight: 0, isRetired: false }
    agents.add(current)
    return current
  }

  function retire(agent: Agent): void {
    agent.isRetired = true
    if (current === agent) current = undefined
  }

  /** Counts a request until it is over, or given up. */
  function track(agent: Agent, signal: AbortSignal): () => void {
    agent.inFlight++
    const giveUp = () => {
      retire(agent)
      end()
    }
    const end = () => {
      signal.removeEventListener('abort', giveUp)
      agent.inFlight--
      if (agent.isRetired && agent.inFlight === 0) inBackground(destroy(agent))
    }
    signal.addEventListener('abort', giveUp, { once: true })
    let isOver = false
    return () => {
      if (!isOver && !signal.aborted) end()
      isOver = true
    }
  }

  async function destroy(agent: Agent): Promise<void> {
    agents.delete(agent)
    // What it still waits for ends with errors of its own.
    await agent.dispatcher.destroy().catch(() => {})
  }

  return {
    async send({ url, headers, body, signal }) {
      const address = new URL(url)
      const agent = agentFor(address)
      const end = track(agent, signal)
      try {
        const answer = await agent.dispatcher.request({
          origin: address.origin,
          path: address.pathname,
          method: 'POST',
          headers,
          body,
          signal,
        })
        return {
          status: answer.statusCode,
          headers: answer.headers,
          chunks: named(answer.body, end, options),
        }
      } catch (error) {
        end()
        throw networkError(error, options)
      }
    },
    async close() {
      current = undefined
      await Promise.all([...agents].map(destroy))
    },
  }
}

/** A connection that takes longer is known never to have carried a request, which silence alone would not tell. */
const CONNECT_SHARE = 0.9

/** An address that undici cannot use is a proxy's: ours was checked. Its words may hold the proxy's password. */
function openAgent(options: TransportOptions, address: URL): Dispatcher {
  try {
    return createAgent(options, address)
  } catch {
    throw new EnvlogError('proxy-invalid')
  }
}

function createAgent(options: TransportOptions, { protocol, hostname }: URL): Dispatcher {
  const { Agent, EnvHttpProxyAgent } = require('undici') as typeof import('undici')
  const { connections, timeoutMs, tls, proxy } = options
  const timeout = timeoutMs * CONNECT_SHARE
  // Silence is timed by the client (`deadline.ts`), within an answer as well as before it.
  const common = {
    connections,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout, ...tls },
  }
  // The environment's proxy is for what lies outside: a service on this machine never goes through it. Nor does what is
  // sent in clear, through any proxy: that would leave this machine.
  if (isLoopback(hostname) && (!proxy || protocol === 'http:')) return new Agent(common)
  const through = proxy && {
    httpProxy: proxyAddress(proxy),
    httpsProxy: proxyAddress(proxy),
    noProxy: proxy.noProxy.join(','),
  }
  // To the proxy, and through it: each of the two has a connection to make.
  return new EnvHttpProxyAgent({
    ...common,
    proxyTls: { timeout },
    requestTls: { timeout, ...tls },
    ...through,
  })
}

function proxyAddress({ url, username, password }: NonNullable<TransportOptions['proxy']>): string {
  const address = new URL(url)
  if (username) address.username = encodeURIComponent(username)
  if (password) address.password = encodeURIComponent(password)
  return address.href
}

/**
 * The same, breaking with an error of ours. No generator: that would cost another round of promises a chunk.
 * @param end called once it is read, has broken or is left
 */
function named(
  body: AsyncIterable<Uint8Array>,
  end: () => void,
  options: TransportOptions,
): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      const chunks = body[Symbol.asyncIterator]()
      const read = (result: IteratorResult<Uint8Array>) => {
        if (result.done) end()
        return result
      }
      const broken = (error: unknown) => {
        end()
        throw networkError(error, options)
      }
      return {
        next: () => chunks.next().then(read, broken),
        return: async () => {
          end()
          return (await chunks.return?.()) ?? { done: true, value: undefined }
        },
      }
    },
  }
}

/** Only the system's code goes into the error: messages of the network stack may hold a proxy's password. */
function networkError(error: unknown, { timeoutMs }: TransportOptions): EnvlogError {
  const { code, message, syscall } = deepest(error)
  if (code === 'UND_ERR_CONNECT_TIMEOUT')
    return new EnvlogError('timeout-connect', { seconds: Math.round((timeoutMs * CONNECT_SHARE) / 1000) })
  if (/CERT|SELF_SIGNED|UNABLE_TO_|ALTNAME/.test(code))
    return new EnvlogError('no-certificate', { detail: code })
  const tunnel = /Proxy response \((\d{3})\)/.exec(message)
  if (tunnel) return new EnvlogError('proxy-refused', { detail: tunnel[1] ?? '' })
  const isConnecting = syscall === 'connect' || syscall === 'getaddrinfo'
  return new EnvlogError(isConnecting ? 'no-connection' : 'connection-broken', { detail: code })
}

function deepest(error: unknown): { code: string; message: string; syscall: string } {
  let found = { code: 'unknown', message: '', syscall: '' }
  for (let at = error; at instanceof Error; at = causeOf(at)) {
    const { code = found.code, syscall = found.syscall } = at as NodeJS.ErrnoException
    found = { code: String(code), syscall, message: `${found.message} ${at.message}` }
  }
  return found
}

/** Where a name has several addresses, Node tries each: the errors of all of them are much the same. */
function causeOf(error: Error): unknown {
  return error instanceof AggregateError ? error.errors[0] : error.cause
}
