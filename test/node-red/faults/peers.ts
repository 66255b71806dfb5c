/**
 * Misbehaving peers on real sockets: each is a TCP server in place of the service, or of a proxy. After its repair it
 * forwards to a working service.
 */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface Peer {
  port: number
  /** Currently open connections. */
  open(): number
  /** Repairs the peer: further connections are forwarded to this port. */
  mend(port: number): void
  close(): Promise<void>
}

/**
 * Handles a connection of the peer. @param mended returns the port of the working service after the repair
 */
export type PeerBehaviour = (socket: Socket, mended: () => number | undefined) => void

/** Accepts data and never responds: with TLS, the handshake never ends. */
export const silent: PeerBehaviour = (socket) => void socket.resume()

/** A proxy that accepts the tunnel and connects it to nothing. */
export const proxyWithoutTarget: PeerBehaviour = (socket) => {
  socket.once('data', () => socket.write('HTTP/1.1 200 Connection established\r\n\r\n'))
  socket.resume()
}

export async function startPeer(behaviour: PeerBehaviour): Promise<Peer> {
  const sockets = new Set<Socket>()
  let mended: number | undefined
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('close', () => sockets.delete(socket))
    if (mended === undefined) behaviour(socket, () => mended)
    else forward(socket, mended)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    open: () => sockets.size,
    mend: (port) => {
      mended = port
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Forwards a connection to a port. @param read data that has already been read from it */
export function forward(socket: Socket, port: number, read: Buffer = Buffer.alloc(0)): void {
  const there = connect(port, '127.0.0.1')
  there.on('error', () => socket.destroy())
  there.write(read)
  socket.pipe(there).pipe(socket)
  socket.once('close', () => there.destroy())
}
