/** An MQTT broker (mosquitto), and a subscriber that stores received messages. */
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connectAsync, type IPublishPacket } from 'mqtt'
import type { FlowNode } from './node-red'
import { temporaryFolder } from './run'
import { quiet, startServer } from './server-process'
import { findOrInstall } from './servers'

const STARTING_MS = 300_000

export interface Received {
  topic: string
  text: string
  retained: boolean
}

interface Subscriber {
  received: Received[]
  end(): Promise<void>
}

export interface Broker {
  /** The config node `broker` of a flow. */
  node: FlowNode
  /** Receives retained messages, and later ones. */
  subscribe(...filters: string[]): Promise<Subscriber>
  /** Closes all connections and loses retained messages. */
  stop(): Promise<void>
  /** After `stop`, on the same port. */
  startAgain(): Promise<void>
}

/** Hooks for a file of tests: one broker, without retained messages at the beginning of each test. */
export function useBroker(): () => Broker {
  let broker: Broker
  before('starts a broker', async function () {
    this.timeout(STARTING_MS)
    broker = await startBroker()
  })
  after('ends it', () => broker?.stop())
  beforeEach(async () => {
    await broker.stop()
    await broker.startAgain()
  })
  return () => broker
}

export async function startBroker(): Promise<Broker> {
  const mosquitto = await findOrInstall('mosquitto')
  const folder = temporaryFolder('mosquitto')
  const settings = join(folder, 'mosquitto.conf')
  const server = await startServer(
    (port) => {
      const lines = [
        `listener ${port} 127.0.0.1`,
        'allow_anonymous true',
        'persistence false',
        'log_dest stderr',
      ]
      writeFileSync(settings, `${lines.join('\n')}\n`)
      return spawn(mosquitto, ['-c', settings], { cwd: folder, ...quiet })
    },
    (log) => / running\b/.test(log),
    'SIGTERM',
  )
  return { ...brokerAt(server.port), ...server }
}

function brokerAt(port: number): Pick<Broker, 'node' | 'subscribe'> {
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
    async subscribe(...filters) {
      const client = await connectAsync(`mqtt://127.0.0.1:${port}`)
      const received: Received[] = []
      client.on('message', (topic: string, payload: Buffer, { retain }: IPublishPacket) => {
        received.push({ topic, text: payload.toString(), retained: retain })
      })
      await client.subscribeAsync(filters)
      return { received, end: () => client.endAsync() }
    },
  }
}
