/** An MQTT broker in this process, and a subscriber that keeps what comes. */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { connectAsync, type IPublishPacket } from 'mqtt'
import type { FlowNode } from './node-red'

export interface Received {
  topic: string
  text: string
  retained: boolean
}

export interface Broker {
  /** The config node `broker` of a flow. */
  node: FlowNode
  /** Clients that are connected now. */
  clients(): number
  /** What is retained and what is published from now on. */
  subscribe(...filters: string[]): Promise<{ received: Received[]; end(): Promise<void> }>
  close(): Promise<void>
}

export async function startBroker(): Promise<Broker> {
  const { Aedes } = await import('aedes')
  const broker = await Aedes.createBroker()
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    broker.handle(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  return {
    node: {
      id: 'broker',
      type: 'mqtt-broker',
      broker: '127.0.0.1',
      port,
      autoConnect: true,
      cleansession: true,
      keepalive: 60,
      protocolVersion: 4,
      usetls: false,
    },
    clients: () => broker.connectedClients,
    async subscribe(...filters) {
      const client = await connectAsync(`mqtt://127.0.0.1:${port}`)
      const received: Received[] = []
      client.on('message', (topic: string, payload: Buffer, { retain }: IPublishPacket) => {
        received.push({ topic, text: payload.toString(), retained: retain })
      })
      await client.subscribeAsync(filters)
      return { received, end: () => client.endAsync() }
    },
    async close() {
      await new Promise<void>((resolve) => broker.close(resolve))
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
