/** Peers whose answers are no HTTP, or never end. */
import { gzipSync } from 'node:zlib'
import type { HostilePeer } from './peer'
import {
  drip,
  head,
  JSON_HEADERS,
  type ReceivedRequest,
  repeatForever,
  respondWith,
  response,
  writeAll,
} from './wire'

const NETWORK = ['ENVLOG_NETWORK'] as const
const TIMEOUT = ['ENVLOG_TIMEOUT'] as const
const SERVICE = ['ENVLOG_SERVICE'] as const
const REPLY = ['ENVLOG_REPLY'] as const
/** A broken connection or an unreadable answer: both are documented. */
const BROKEN = ['ENVLOG_NETWORK', 'ENVLOG_REPLY'] as const
const OK = ['ok'] as const

const DRIP_MS = 100
const MANY_HEADERS = 100_000
const CUT_EVERY = 1000
const GZIP = { 'Content-Encoding': 'gzip' }
/** Zeros: compressed to a thousandth. */
const BOMB = gzipSync(Buffer.alloc(200_000_000))

/** The settings and a ping with which an HTTP/2 server begins. */
const HTTP2 = Buffer.from('00000604000000000000030000006400000806000000000000000000000000', 'hex')

/** The request, in each part of an answer that might echo it. */
const echo = ({ head: received, body }: ReceivedRequest) => `${received}\r\n\r\n${body}`

function* lines(count: number): Generator<string> {
  const some = 1000
  for (let done = 0; done < count; done += some) {
    yield Array.from({ length: some }, (_, index) => `X-${done + index}: x\r\n`).join('')
  }
}

/** Answers of 1xx, and then the right one. */
const interimThenRight =
  (count: number): HostilePeer['behaviour'] =>
  (service) =>
    respondWith(async (socket, received) => {
      const { body } = await service.answer(received)
      socket.write(head('102 Processing').repeat(count))
      socket.write(response(body))
    })

export const framingPeers: HostilePeer[] = [
  {
    title: 'sends headers one byte at a time',
    behaviour: () =>
      respondWith((socket) => {
        socket.write('HTTP/1.1 200 OK\r\nX-Slow: ')
        drip(socket, repeatForever('x'), DRIP_MS)
      }),
    ends: TIMEOUT,
    kind: 'slow',
  },
  {
    title: 'sends headers of 1 MB',
    behaviour: () =>
      respondWith((socket) =>
        socket.end(head(200, { 'X-Much': 'x'.repeat(1_000_000), 'Content-Length': 0 })),
      ),
    ends: BROKEN,
  },
  {
    title: 'sends 100,000 headers',
    behaviour: () =>
      respondWith(async (socket) => {
        await writeAll(socket, ['HTTP/1.1 200 OK\r\n', ...lines(MANY_HEADERS)])
        socket.end('Content-Length: 0\r\n\r\n')
      }),
    ends: BROKEN,
    // undici creates an error for each header above the limit: 70 ms for 64 kB in one piece.
    kind: 'huge',
  },
  {
    title: 'sends its body one byte at a time',
    behaviour: (service) =>
      respondWith(async (socket, received) => {
        const { body } = await service.answer(received)
        socket.write(head(200, { ...JSON_HEADERS, 'Content-Length': body.length }))
        drip(
          socket,
          Array.from(body, (byte) => Buffer.from([byte])),
          DRIP_MS,
        )
      }),
    ends: TIMEOUT,
    kind: 'slow',
  },
  {
    title: 'sends an endless chunk one byte at a time',
    behaviour: () =>
      respondWith((socket) => {
        socket.write(`${head(200, { ...JSON_HEADERS, 'Transfer-Encoding': 'chunked' })}ffffffff\r\n{`)
        drip(socket, repeatForever(' '), DRIP_MS)
      }),
    ends: TIMEOUT,
    kind: 'slow',
  },
  {
    title: 'sends half of its body and is silent then',
    behaviour: (service) =>
      respondWith(async (socket, received) => {
        const { body } = await service.answer(received)
        socket.write(head(200, { ...JSON_HEADERS, 'Content-Length': body.length }))
        socket.write(body.subarray(0, body.length / 2))
      }),
    ends: TIMEOUT,
    kind: 'slow',
    timeouts: 2,
  },
  {
    title: 'announces a body shorter than it is',
    behaviour: (service) =>
      respondWith(async (socket, received) => {
        const { body } = await service.answer(received)
        socket.write(head(200, { ...JSON_HEADERS, 'Content-Length': body.length - 10 }))
        socket.write(body)
      }),
    ends: BROKEN,
  },
  {
    title: 'sends a second answer without a request',
    behaviour: (service) =>
      respondWith(async (socket, received) => {
        const { body } = await service.answer(received)
        socket.write(Buffer.concat([response(body), response('{"devices":[{"serial":"FORGED01"}]}')]))
      }),
    ends: OK,
    maxOpen: 2,
  },
  {
    title: 'answers before the request',
    behaviour: () => {
      const nothing = respondWith(() => {})
      return (socket, mended) => {
        socket.write(response('{"devices":[{"serial":"FORGED01"}]}'))
        nothing(socket, mended)
      }
    },
    // It may arrive after the request was sent.
    ends: ['ok', ...BROKEN, 'ENVLOG_TIMEOUT', 'ENVLOG_INPUT'],
    maxOpen: 2,
  },
  {
    title: 'announces a body longer than it is',
    behaviour: (service) =>
      respondWith(async (socket, received) => {
        const { body } = await service.answer(received)
        socket.end(Buffer.concat([Buffer.from(head(200, { 'Content-Length': body.length + 10 })), body]))
      }),
    ends: NETWORK,
  },
  {
    title: 'announces two lengths',
    behaviour: (service) =>
      respondWith(async (socket, received) => {
        const { body } = await service.answer(received)
        const two = `HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: ${body.length}\r\n\r\n`
        socket.end(Buffer.concat([Buffer.from(two), body]))
      }),
    ends: BROKEN,
  },
  {
    title: 'sends chunks that are garbage',
    behaviour: () =>
      respondWith((socket) => socket.write(`${head(200, { 'Transfer-Encoding': 'chunked' })}xyz\r\n{"a":`)),
    ends: BROKEN,
  },
  {
    title: 'cuts the connection at every 1,000th byte',
    behaviour: (service) =>
      respondWith(async (socket, received) => {
        const { body } = await service.answer(received)
        socket.end(response(body).subarray(0, (received.before + 1) * CUT_EVERY))
      }),
    ends: NETWORK,
    kind: 'cut',
  },
  {
    title: 'cuts an answer without a length at every 1,000th byte',
    behaviour: (service) =>
      respondWith(async (socket, received) => {
        const { body } = await service.answer(received)
        const bytes = Buffer.concat([Buffer.from(head(200, JSON_HEADERS)), body])
        socket.end(bytes.subarray(0, (received.before + 1) * CUT_EVERY))
      }),
    ends: BROKEN,
    kind: 'cut',
  },
  {
    title: 'compresses its answer',
    behaviour: (service) =>
      respondWith(async (socket, received) =>
        socket.write(response(gzipSync((await service.answer(received)).body), GZIP)),
      ),
    ends: ['ok', 'ENVLOG_REPLY'],
    maxOpen: 2,
  },
  {
    title: 'compresses its answer, and breaks off',
    behaviour: (service) =>
      respondWith(async (socket, received) => {
        const body = gzipSync((await service.answer(received)).body)
        socket.write(response(body.subarray(0, body.length / 2), GZIP))
      }),
    ends: BROKEN,
    maxOpen: 2,
  },
  {
    title: 'sends a bomb of gzip',
    behaviour: () => respondWith((socket) => socket.write(response(BOMB, GZIP))),
    ends: REPLY,
    kind: 'huge',
    maxOpen: 2,
  },
  {
    title: 'redirects to itself, again and again',
    behaviour: () =>
      respondWith((socket, { path }) => socket.write(response('', { Location: `${path}?again` }, 307))),
    ends: SERVICE,
    maxOpen: 2,
  },
  {
    title: 'redirects to another host',
    behaviour: (service) =>
      respondWith((socket, received) => {
        const there = `http://127.0.0.1:${service.unrelatedPort}/?${encodeURIComponent(String(received.body))}`
        socket.write(response(echo(received), { Location: there }, 302))
      }),
    ends: SERVICE,
    maxOpen: 2,
  },
  {
    title: 'sends 1xx for ever',
    behaviour: () =>
      respondWith((socket) => drip(socket, repeatForever(head('103 Early Hints').repeat(10)), DRIP_MS)),
    ends: ['ENVLOG_TIMEOUT', ...BROKEN],
    kind: 'slow',
  },
  {
    title: 'sends 1xx for ever, as fast as it can',
    behaviour: () =>
      respondWith((socket) =>
        writeAll(socket, repeatForever(head('103 Early Hints', { Link: '</x>' }).repeat(100))),
      ),
    ends: NETWORK,
    kind: 'huge',
  },
  {
    title: 'sends 10,000 answers of 1xx and then the right one',
    behaviour: interimThenRight(10_000),
    ends: NETWORK,
  },
  {
    title: 'sends 50 answers of 1xx and then the right one',
    behaviour: interimThenRight(50),
    ends: OK,
    maxOpen: 2,
  },
  {
    title: 'switches protocols',
    behaviour: () =>
      respondWith((socket) => socket.write(head(101, { Upgrade: 'websocket', Connection: 'Upgrade' }))),
    ends: [...BROKEN, 'ENVLOG_SERVICE'],
  },
  {
    title: 'answers with HTTP/2',
    behaviour: () => (socket) => {
      socket.resume()
      socket.write(HTTP2)
    },
    ends: BROKEN,
  },
  {
    title: 'quotes the request as garbage with status 200',
    behaviour: () => respondWith((socket, received) => socket.write(response(echo(received)))),
    ends: REPLY,
    maxOpen: 2,
  },
  {
    title: 'quotes the request as broken JSON with status 200',
    behaviour: () => respondWith((socket, received) => socket.write(response(`${received.body},`))),
    ends: REPLY,
    maxOpen: 2,
  },
  {
    title: 'quotes the request as the service’s own refusal',
    behaviour: () =>
      respondWith((socket, received) => {
        const error = { code: 400, message: echo(received) }
        socket.write(response(JSON.stringify({ error }), {}, 400))
      }),
    ends: SERVICE,
    maxOpen: 2,
    refuses: true,
  },
  {
    title: 'quotes the request in its status line',
    behaviour: () =>
      respondWith((socket, received) => {
        const said = String(received.body).replace(/\s/g, ' ')
        socket.write(`HTTP/1.1 500 ${said}\r\nContent-Length: 0\r\nX-Said: ${said}\r\n\r\n`)
      }),
    ends: SERVICE,
    maxOpen: 2,
  },
]
