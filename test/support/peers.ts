/**
 * Peers that behave as no service should, on real sockets: each is a TCP server that a client meets in place of the
 * service, or of a proxy. Mended, it leads to a service that works.
 */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface Peer {
  port: number
  /** Connections that are open now. */
  open(): number
  /** From now on what connects is led to this port. */
  mend(port: number): void
  close(): Promise<void>
}

/**
 * Does with a connection what a peer of its kind does; `mended` is the port that leads to a service that works, if any.
 */
export type PeerBehaviour = (socket: Socket, mended: () => number | undefined) => void

/** Takes what comes, and never says a word: of TLS it is a handshake that never ends. */
export const silent: PeerBehaviour = (socket) => void socket.resume()

/** A proxy that opens the way, and leads nowhere. */
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

/** Leads a connection to a port; `read` is what has been read of it already. */
export function forward(socket: Socket, port: number, read: Buffer = Buffer.alloc(0)): void {
  const there = connect(port, '127.0.0.1')
  there.on('error', () => socket.destroy())
  there.write(read)
  socket.pipe(there).pipe(socket)
  socket.once('close', () => there.destroy())
}
