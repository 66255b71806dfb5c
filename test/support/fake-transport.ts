import { createAbort } from '../../src/lib/abort'
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

/** An in-memory service. Like a real connection, it fails as soon as the request's signal aborts. */
export function fakeTransport(script: Script): FakeTransport {
  const sent: HttpRequest[] = []
  const ending = createAbort()
  let open = 0
  return {
    sent,
    open: () => open,
    closed: false,
    async send(request, read) {
      sent.push(request)
      request.onSent()
      open++
      try {
        const { signal } = ending
        const response = await orAbort(
          signal,
          orAbort(request.signal, Promise.resolve(script(request, sent.length - 1))),
        )
        return await read({ ...response, chunks: abortable(response.chunks, request.signal) })
      } finally {
        open--
      }
    },
    /** Like a real transport: requests in flight fail. */
    async close() {
      this.closed = true
      ending.abort()
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
