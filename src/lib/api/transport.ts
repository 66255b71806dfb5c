import type { Dispatcher } from 'undici'
import { isLoopback } from '../../shared/account'
import { EnvlogError } from '../errors'

export interface WireRequest {
  /** Absolute address. */
  url: string
  headers: Record<string, string>
  body: string
  signal: AbortSignal
}

export interface WireAnswer {
  status: number
  /** Names in lower case. */
  headers: Record<string, string | string[] | undefined>
  /** The body's bytes as they arrive; breaks with `no-connection` where the connection does. */
  chunks: AsyncIterable<Uint8Array>
}

/** How requests reach the service: a port, so that the client is tested without a network. */
export interface Transport {
  /** @throws EnvlogError `no-connection`, `no-certificate`, `proxy-refused`, `proxy-invalid` */
  send(request: WireRequest): Promise<WireAnswer>
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
  tls?: TlsOptions
  /** Without it the proxy environment variables hold. */
  proxy?: { url: string; noProxy: readonly string[]; username?: string; password?: string }
}

/** One keep-alive agent. undici is loaded at the first request: it costs a start-up 50 ms. */
export function undiciTransport(options: TransportOptions): Transport {
  let agent: Dispatcher | undefined
  return {
    async send({ url, headers, body, signal }) {
      const { origin, pathname, hostname } = new URL(url)
      agent ??= openAgent(options, hostname)
      try {
        const answer = await agent.request({
          origin,
          path: pathname,
          method: 'POST',
          headers,
          body,
          signal,
        })
        return { status: answer.statusCode, headers: answer.headers, chunks: named(answer.body) }
      } catch (error) {
        throw networkError(error)
      }
    },
    async close() {
      await agent?.destroy()
      agent = undefined
    },
  }
}

/** An address that undici cannot use is a proxy's: ours was checked. Its words may hold the proxy's password. */
function openAgent(options: TransportOptions, hostname: string): Dispatcher {
  try {
    return createAgent(options, hostname)
  } catch {
    throw new EnvlogError('proxy-invalid')
  }
}

function createAgent(options: TransportOptions, hostname: string): Dispatcher {
  const { Agent, EnvHttpProxyAgent } = require('undici') as typeof import('undici')
  const { connections, tls, proxy } = options
  // Silence is timed by the client (`deadline.ts`), within an answer as well as before it.
  const common = {
    connections,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: 0, ...tls },
  }
  // The environment's proxy is for what lies outside: a service on this machine never goes through it.
  if (!proxy && isLoopback(hostname)) return new Agent(common)
  const through = proxy && {
    httpProxy: proxyAddress(proxy),
    httpsProxy: proxyAddress(proxy),
    noProxy: proxy.noProxy.join(','),
  }
  return new EnvHttpProxyAgent({ ...common, requestTls: { ...tls }, ...through })
}

function proxyAddress({ url, username, password }: NonNullable<TransportOptions['proxy']>): string {
  const address = new URL(url)
  if (username) address.username = encodeURIComponent(username)
  if (password) address.password = encodeURIComponent(password)
  return address.href
}

/** The same, breaking with an error of ours. No generator: that would cost another round of promises a chunk. */
function named(body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      const chunks = body[Symbol.asyncIterator]()
      return {
        next: () =>
          chunks.next().catch((error) => {
            throw networkError(error)
          }),
        return: async () => (await chunks.return?.()) ?? { done: true, value: undefined },
      }
    },
  }
}

/** Only the system's code goes into the error: messages of the network stack may hold a proxy's password. */
function networkError(error: unknown): EnvlogError {
  const { code, message } = deepest(error)
  if (/CERT|SELF_SIGNED|UNABLE_TO_|ALTNAME/.test(code))
    return new EnvlogError('no-certificate', { detail: code })
  const tunnel = /Proxy response \((\d+)\)/.exec(message)
  if (tunnel) return new EnvlogError('proxy-refused', { detail: tunnel[1] ?? '' })
  return new EnvlogError('no-connection', { detail: code })
}

function deepest(error: unknown): { code: string; message: string } {
  let found = { code: 'unknown', message: '' }
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code } = at as NodeJS.ErrnoException
    found = { code: typeof code === 'string' ? code : found.code, message: `${found.message} ${at.message}` }
  }
  return found
}
