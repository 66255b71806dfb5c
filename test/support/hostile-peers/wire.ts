/** Reads and writes HTTP byte by byte, for peers. */
import type { Socket } from 'node:net'
import { forward, type PeerBehaviour } from '../peers'

export interface ReceivedRequest {
  path: string
  head: string
  body: Buffer
  /** Number of earlier requests on all connections of this peer. */
  before: number
}

/** An answer of the service that works, to be spoiled. */
export interface GoodAnswer {
  status: number
  headers: Record<string, string>
  body: Buffer
}

/** Provides the answers of a working service, which peers change. */
export interface WorkingService {
  answer(received: ReceivedRequest): Promise<GoodAnswer>
  /** A port to which nothing should connect. */
  unrelatedPort: number
}

const HEAD_END = '\r\n\r\n'

/** The first complete request in these bytes, and its length. */
function requestIn(bytes: Buffer): { head: string; body: Buffer; length: number } | undefined {
  const end = bytes.indexOf(HEAD_END)
  if (end < 0) return undefined
  const responseHead = bytes.subarray(0, end).toString('latin1')
  const start = end + HEAD_END.length
  const length = start + Number(/^content-length: *(\d+)/im.exec(responseHead)?.[1] ?? 0)
  return bytes.length < length
    ? undefined
    : { head: responseHead, body: bytes.subarray(start, length), length }
}

/** A peer that reads each request and answers it. After the repair it forwards the next one. */
export function respondWith(answer: (socket: Socket, received: ReceivedRequest) => unknown): PeerBehaviour {
  let before = 0
  return (socket, mended) => {
    let read: Buffer = Buffer.alloc(0)
    const take = (piece: Buffer) => {
      read = Buffer.concat([read, piece])
      const found = requestIn(read)
      if (!found) return
      const port = mended()
      if (port !== undefined) {
        socket.off('data', take)
        forward(socket, port, read)
        return
      }
      read = read.subarray(found.length)
      const [, path = '/'] = found.head.split(' ', 2)
      Promise.resolve(answer(socket, { path, head: found.head, body: found.body, before: before++ })).catch(
        () => socket.destroy(),
      )
    }
    socket.on('data', take)
  }
}

/** Status line and headers; a number as value is for Content-Length. */
export function head(status: number | string, headers: Record<string, string | number> = {}): string {
  const line = typeof status === 'number' ? `${status} whatever` : status
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [`HTTP/1.1 ${line}`, ...lines].join('\r\n') + HEAD_END
}

export const JSON_HEADERS = { 'Content-Type': 'application/json; charset=utf-8' }

/** A complete, valid response with the given body. */
export function response(body: Buffer | string, headers: Record<string, string> = {}, status = 200): Buffer {
  const bytes = Buffer.from(body)
  return Buffer.concat([
    Buffer.from(head(status, { ...JSON_HEADERS, ...headers, 'Content-Length': bytes.length })),
    bytes,
  ])
}

/** Writes pieces as fast as they are accepted, until the end or until the client disconnects. */
export async function writeAll(socket: Socket, pieces: Iterable<Buffer | string>): Promise<void> {
  for (const piece of pieces) {
    if (socket.destroyed) return
    if (!socket.write(piece)) {
      await new Promise<void>((resolve) => {
        const next = () => {
          socket.off('drain', next)
          socket.off('close', next)
          resolve()
        }
        socket.on('drain', next)
        socket.on('close', next)
      })
    }
  }
}

/** Writes one piece per interval. */
export function drip(socket: Socket, pieces: Iterable<Buffer | string>, everyMs: number): void {
  const iterator = pieces[Symbol.iterator]()
  const timer = setInterval(() => {
    const { value, done } = iterator.next()
    if (done || socket.destroyed) clearInterval(timer)
    else socket.write(value)
  }, everyMs)
  socket.once('close', () => clearInterval(timer))
}

/** The same for ever. */
export function* repeatForever<T>(one: T): Generator<T> {
  for (;;) yield one
}
