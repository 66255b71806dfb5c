/** A client of an OPC UA server on loopback, from the palette `opcua`. */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { paletteFolder } from '../../support/palette'
import { temporaryFolder } from '../../support/run'

export interface DataValue {
  /** `Good`, … */
  status: string
  value: unknown
  /** ms */
  time?: number
}

export interface OpcuaClient {
  read(nodeId: string): Promise<DataValue>
  /** Node id → browse name of the children of a node, in namespace 1. */
  browse(nodeId: string): Promise<Record<string, string>>
  /** Values reported for a node from now on, newest last. */
  subscribe(nodeId: string): Promise<DataValue[]>
  close(): Promise<void>
}

/** The parts of node-opcua-client used here. */
interface Answer {
  statusCode: { name: string }
  value: { value: unknown }
  sourceTimestamp: Date | null
}
interface Session {
  read(node: object): Promise<Answer>
  browse(nodeId: string): Promise<{ references: { nodeId: object; browseName: { name: string } }[] }>
  createSubscription2(options: object): Promise<{
    monitor(
      node: object,
      options: object,
      timestamps: number,
    ): Promise<{ on(event: 'changed', listener: (answer: Answer) => void): void }>
  }>
}

const VALUE = 13
const BOTH_TIMES = 2

const brief = ({ statusCode, value, sourceTimestamp }: Answer): DataValue => ({
  status: statusCode.name,
  value: value.value,
  ...(sourceTimestamp && { time: sourceTimestamp.getTime() }),
})

/** Retries until the server is available, also after an outage. */
export async function connectOpcua(port: number): Promise<OpcuaClient> {
  const load = createRequire(join(await paletteFolder('opcua'), 'package.json'))
  const { OPCUACertificateManager } = load('node-opcua-certificate-manager')
  const clientCertificateManager = new OPCUACertificateManager({ rootFolder: temporaryFolder('opcua') })
  const client = load('node-opcua-client').OPCUAClient.create({
    clientCertificateManager,
    endpointMustExist: false,
    keepSessionAlive: true,
    connectionStrategy: { initialDelay: 100, maxDelay: 500, maxRetry: -1 },
  })
  await client.connect(`opc.tcp://127.0.0.1:${port}`)
  const session: Session = await client.createSession()
  return {
    read: async (nodeId) => brief(await session.read({ nodeId, attributeId: VALUE })),
    async browse(nodeId) {
      const { references } = await session.browse(nodeId)
      const found = references.map(({ nodeId: id, browseName }) => [String(id), browseName.name] as const)
      return Object.fromEntries(found.filter(([id]) => id.startsWith('ns=1;s=')))
    },
    async subscribe(nodeId) {
      const publishing = { requestedPublishingInterval: 200, publishingEnabled: true }
      const subscription = await session.createSubscription2(publishing)
      const options = { samplingInterval: 500, discardOldest: true, queueSize: 100 }
      const item = await subscription.monitor({ nodeId, attributeId: VALUE }, options, BOTH_TIMES)
      const heard: DataValue[] = []
      item.on('changed', (answer) => heard.push(brief(answer)))
      return heard
    },
    close: () => client.disconnect(),
  }
}
