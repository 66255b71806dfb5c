import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { createServer as createTlsServer } from 'node:tls'

const fixture = (name: string) => readFileSync(join(__dirname, '../fixtures/tls', name), 'utf8')

/** The authority that signed the test server's certificate (localhost, 127.0.0.1, service.test). */
export const authority = fixture('ca.pem')
export const authorityFile = join(__dirname, '../fixtures/tls/ca.pem')

export interface Listener {
  port: number
  close(): Promise<void>
}

/** Certificates for the same key and hosts that nobody else signed, and whose time is over, or not yet here. */
export const certificates = { expired: fixture('expired.pem'), notYetValid: fixture('not-yet-valid.pem') }

/** Provides the simulator with TLS: bytes are forwarded unchanged. */
export function startTls(target: number, cert = fixture('server.pem')): Promise<Listener> {
  const server = createTlsServer({ key: fixture('server.key'), cert }, (socket) => {
    tunnel(socket, connect(target, '127.0.0.1'))
  })
  return listen(server)
}

export interface Proxy extends Listener {
  /** The requested `host:port`, and the login of the request. */
  requests: { target: string; login: string | undefined }[]
}

/** A proxy that connects every tunnel to one port, for any host; requires the `login`, if given. */
export async function startProxy(target: number, login?: string): Promise<Proxy> {
  const requests: Proxy['requests'] = []
  const server = createServer((_request, response) => {
    response.writeHead(501).end()
  })
  server.on('connect', ({ url = '', headers }, socket: Socket) => {
    const [, basic = ''] = /^Basic (.*)$/.exec(headers['proxy-authorization'] ?? '') ?? []
    const given = Buffer.from(basic, 'base64').toString() || undefined
    requests.push({ target: url, login: given })
    if (login !== undefined && given !== login) {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
      return
    }
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
    tunnel(socket, connect(target, '127.0.0.1'))
  })
  return { ...(await listen(server)), requests }
}

function tunnel(one: Socket, other: Socket): void {
  one.pipe(other).pipe(one)
  one.on('error', () => other.destroy())
  other.on('error', () => one.destroy())
}

function listen(server: Server): Promise<Listener> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      const close = () =>
        new Promise<void>((closed) => {
          for (const socket of sockets) socket.destroy()
          server.close(() => closed())
        })
      resolve({ port, close })
    })
  })
}
