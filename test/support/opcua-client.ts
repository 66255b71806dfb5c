/** A client of an OPC UA server on loopback, from the palette `opcua`. */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { paletteFolder } from './palette'
import { temporaryFolder } from './run'
import { until } from './wait'

export interface DataValue {
  /** `Good`, … */
  status: string
  value: unknown
  time: number | undefined
}

export interface Reference {
  nodeId: string
  name: string
  /** 1: object, 2: variable */
  nodeClass: number
}

export interface OpcuaClient {
  read(nodeId: string): Promise<DataValue>
  /** The name of the status code. */
  write(nodeId: string, value: number): Promise<string>
  /** What is below a node, of namespace 1. */
  browse(nodeId: string): Promise<Reference[]>
  /** What is reported of each node, newest last; also after the server was away. */
  subscribe(nodeIds: readonly string[]): Promise<Map<string, DataValue[]>>
  close(): Promise<void>
}

/** The parts of node-opcua-client that are used here. */
interface Answer {
  statusCode: { name: string }
  value: { value: unknown }
  sourceTimestamp: Date | null
}
interface Session {
  read(node: object): Promise<Answer>
  write(node: object): Promise<{ name: string }>
  browse(nodeId: string): Promise<{
    references: { nodeId: object; browseName: { name: string }; nodeClass: number }[]
  }>
  createSubscription2(options: object): Promise<{
    monitorItems(
      nodes: object[],
      options: object,
      timestamps: number,
    ): Promise<{ on(event: 'changed', heard: (item: object, answer: Answer, index: number) => void): void }>
  }>
}

const VALUE = 13
const FLOAT = 10
const BOTH_TIMES = 2

const brief = ({ statusCode, value, sourceTimestamp }: Answer): DataValue => ({
  status: statusCode.name,
  value: value.value,
  time: sourceTimestamp?.getTime(),
})

export async function connectOpcua(port: number): Promise<OpcuaClient> {
  const palette = createRequire(join(await paletteFolder('opcua'), 'package.json'))
  const { OPCUACertificateManager } = palette('node-opcua-certificate-manager')
  const clientCertificateManager = new OPCUACertificateManager({ rootFolder: temporaryFolder('opcua') })
  const client = palette('node-opcua-client').OPCUAClient.create({
    clientCertificateManager,
    endpointMustExist: false,
    keepSessionAlive: true,
    connectionStrategy: { initialDelay: 100, maxDelay: 500, maxRetry: -1 },
  })
  await client.connect(`opc.tcp://127.0.0.1:${port}`)
  const session: Session = await client.createSession()

  return {
    read: async (nodeId) => brief(await session.read({ nodeId, attributeId: VALUE })),
    async write(nodeId, value) {
      const written = { value: { dataType: FLOAT, value } }
      return (await session.write({ nodeId, attributeId: VALUE, value: written })).name
    },
    async browse(nodeId) {
      const { references } = await session.browse(nodeId)
      return references
        .map(({ nodeId: id, browseName, nodeClass }) => ({
          nodeId: String(id),
          name: browseName.name,
          nodeClass,
        }))
        .filter((found) => found.nodeId.startsWith('ns=1;s='))
    },
    async subscribe(nodeIds) {
      const subscription = await session.createSubscription2({
        requestedPublishingInterval: 200,
        requestedLifetimeCount: 1000,
        requestedMaxKeepAliveCount: 10,
        publishingEnabled: true,
      })
      const nodes = nodeIds.map((nodeId) => ({ nodeId, attributeId: VALUE }))
      const options = { samplingInterval: 500, discardOldest: true, queueSize: 100 }
      const group = await subscription.monitorItems(nodes, options, BOTH_TIMES)
      const heard = new Map<string, DataValue[]>(nodeIds.map((nodeId) => [nodeId, []]))
      group.on('changed', (_item, answer, index) => heard.get(nodeIds[index] ?? '')?.push(brief(answer)))
      await until('each is reported', () => [...heard.values()].every(({ length }) => length > 0))
      return heard
    },
    close: () => client.disconnect(),
  }
}
