/** Peers that never get as far as an answer: TCP, TLS, proxies. */
import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { TLSSocket } from 'node:tls'
import { type PeerBehaviour, proxyWithoutTarget, silent } from '../peers'
import type { HostilePeer } from './peer'
import { drip, head, repeatForever, respondWith } from './wire'

const fixture = (name: string) => readFileSync(join(__dirname, '../../fixtures/tls', name), 'utf8')

/** What the accounts trust: the authority of the tests, a certificate whose time is over, and one of another name. */
export const trusted = ['ca.pem', 'expired.pem', 'other-name.pem'].map(fixture).join('')

const DRIP_MS = 100
const NETWORK = ['ENVLOG_NETWORK'] as const
const TIMEOUT = ['ENVLOG_TIMEOUT'] as const

/** TLS with this certificate, and never a word of HTTP; all share one key. */
const certificate = (file: string) => (): PeerBehaviour => (socket: Socket) => {
  const secure = new TLSSocket(socket, {
    isServer: true,
    key: fixture('server.key'),
    cert: fixture(file),
  })
  secure.on('error', () => socket.destroy())
  secure.resume()
}

const refusal = (status: string) => () =>
  respondWith((socket) => socket.end(head(status, { 'Content-Length': 0 })))

/** The beginning of a TLS record with a large length. */
function* tlsRecord(): Generator<Buffer> {
  yield* [0x16, 3, 3, 0x3f, 0xff].map((byte) => Buffer.from([byte]))
  yield* repeatForever(Buffer.from([0]))
}

export const connectionPeers: HostilePeer[] = [
  {
    title: 'never accepts',
    hasFullBacklog: true,
    behaviour: () => silent,
    ends: TIMEOUT,
    kind: 'slow',
    timeouts: 2,
  },
  { title: 'accepts and is silent', behaviour: () => silent, ends: TIMEOUT, kind: 'slow', timeouts: 2 },
  {
    title: 'accepts and is silent, for two requests',
    behaviour: () => respondWith(() => {}),
    ends: TIMEOUT,
    kind: 'slow',
    retries: { setting: 1, requests: 2 },
  },
  { title: 'closes at once', behaviour: () => (socket) => socket.end(), ends: NETWORK },
  { title: 'resets at once', behaviour: () => (socket) => socket.resetAndDestroy(), ends: NETWORK },
  {
    title: 'resets on each of two requests',
    behaviour: () => respondWith((socket) => socket.resetAndDestroy()),
    ends: NETWORK,
    retries: { setting: 1, requests: 2 },
  },
  {
    title: 'never finishes TLS',
    connection: 'tls',
    behaviour: () => silent,
    ends: TIMEOUT,
    kind: 'slow',
    timeouts: 2,
  },
  {
    title: 'sends TLS one byte at a time',
    connection: 'tls',
    behaviour: () => (socket) => {
      socket.resume()
      drip(socket, tlsRecord(), DRIP_MS)
    },
    ends: TIMEOUT,
    kind: 'slow',
  },
  {
    title: 'has no TLS where it should',
    connection: 'tls',
    behaviour: () => (socket) => {
      socket.resume()
      socket.end(head(400, { 'Content-Length': 0 }))
    },
    ends: NETWORK,
  },
  {
    title: 'has a certificate of another name',
    connection: 'tls',
    behaviour: certificate('other-name.pem'),
    ends: NETWORK,
  },
  {
    title: 'has a certificate whose time is over',
    connection: 'tls',
    behaviour: certificate('expired.pem'),
    ends: NETWORK,
  },
  {
    title: 'has signed its certificate itself',
    connection: 'tls',
    behaviour: certificate('self-signed.pem'),
    ends: NETWORK,
  },
  {
    title: 'finishes TLS and is silent',
    connection: 'tls',
    behaviour: certificate('server.pem'),
    ends: TIMEOUT,
    kind: 'slow',
    timeouts: 2,
  },
  {
    title: 'is a proxy that never answers',
    connection: 'proxy',
    behaviour: () => silent,
    ends: TIMEOUT,
    kind: 'slow',
    timeouts: 2,
  },
  {
    title: 'is a proxy that refuses with 407',
    connection: 'proxy',
    behaviour: refusal('407 Proxy Authentication Required'),
    ends: NETWORK,
  },
  {
    title: 'is a proxy that refuses with 502',
    connection: 'proxy',
    behaviour: refusal('502 Bad Gateway'),
    ends: NETWORK,
  },
  {
    title: 'is a proxy that opens the way and is silent then',
    connection: 'proxy',
    behaviour: () => proxyWithoutTarget,
    ends: TIMEOUT,
    kind: 'slow',
    timeouts: 3,
  },
  {
    title: 'is a proxy that answers one byte at a time',
    connection: 'proxy',
    behaviour: () =>
      respondWith((socket) => {
        socket.write('HTTP/1.1 200 OK\r\nX-Slow: ')
        drip(socket, repeatForever('x'), DRIP_MS)
      }),
    ends: TIMEOUT,
    kind: 'slow',
  },
  {
    title: 'is a proxy with headers of 1 MB',
    connection: 'proxy',
    behaviour: () => respondWith((socket) => socket.end(head(200, { 'X-Much': 'x'.repeat(1_000_000) }))),
    ends: NETWORK,
  },
  {
    title: 'is a proxy without HTTP',
    connection: 'proxy',
    behaviour: () => respondWith((socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n')),
    ends: NETWORK,
  },
]
