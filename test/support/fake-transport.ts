import type { HttpRequest, HttpResponse, Transport } from '../../src/lib/api/transport'
import { EnvlogError } from '../../src/lib/errors'

/** What the fake service does with a request; `index` counts from 0. */
export type Script = (request: HttpRequest, index: number) => HttpResponse | Promise<HttpResponse>

export interface FakeTransport extends Transport {
  sent: HttpRequest[]
  /** Requests without a response, or whose body is still being read. */
  open(): number
  closed: boolean
}

/** An in-memory service. Like a real connection, a request fails as soon as it is abandoned. */
export function fakeTransport(script: Script): FakeTransport {
  const sent: HttpRequest[] = []
  const inFlight = new Set<() => void>()
  return {
    sent,
    open: () => inFlight.size,
    closed: false,
    send(request, read) {
      sent.push(request)
      request.onSent()
      const stop = new AbortController()
      const abandon = () => stop.abort()
      inFlight.add(abandon)
      const exchange = async () => {
        const response = await orAbort(stop.signal, Promise.resolve(script(request, sent.length - 1)))
        return await read({ ...response, chunks: abortable(response.chunks, stop.signal) })
      }
      return { result: exchange().finally(() => inFlight.delete(abandon)), abandon }
    },
    /** Like a real transport: requests in flight fail. */
    async close() {
      this.closed = true
      for (const abandon of inFlight) abandon()
    },
  }
}

async function* abortable(chunks: AsyncIterable<Uint8Array>, signal: AbortSignal) {
  const iterator = chunks[Symbol.asyncIterator]()
  try {
    for (;;) {
      const { value, done } = await orAbort(signal, iterator.next())
      if (done) return
      yield value
    }
  } finally {
    // Not awaited: a stalled body never ends.
    void iterator.return?.()
  }
}

function orAbort<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const broken = () => reject(new EnvlogError('connection-broken', { detail: 'UND_ERR_ABORTED' }))
    if (signal.aborted) broken()
    signal.addEventListener('abort', broken, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', broken))
  })
}

type Headers = HttpResponse['headers']

/** A response with this text as body. */
export function text(body: string, status = 200, headers: Headers = {}): HttpResponse {
  return { status, headers, chunks: chunksOf([body]) }
}

export function json(body: unknown, status = 200, headers: Headers = {}): HttpResponse {
  return text(JSON.stringify(body), status, headers)
}

/** The error object of the description. */
export function refusal(status: number, message = 'refused', code: unknown = status): HttpResponse {
  return json({ error: { code, message } }, status)
}

/** A response with a status and the given chunks. */
export function streamed(chunks: AsyncIterable<Uint8Array>, status = 200): HttpResponse {
  return { status, headers: {}, chunks }
}

export async function* chunksOf(parts: readonly (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield typeof part === 'string' ? Buffer.from(part) : part
}

/** Part of a body, followed by a broken connection. */
export async function* brokenOff(part = '{"dev'): AsyncGenerator<Uint8Array> {
  yield Buffer.from(part)
  throw connectionBroken()
}

export const connectionBroken = () => new EnvlogError('connection-broken', { detail: 'ECONNRESET' })

/** Never responds. */
export const silence = <T>(): Promise<T> => new Promise(() => {})
