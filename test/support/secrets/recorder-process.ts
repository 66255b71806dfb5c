/**
 * A Node-RED in a separate process that records all texts that become visible: in messages when they are sent and
 * completed, in statuses, and in what editors receive.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export type RecorderCommand = { id: number } & (
  | { what: 'trigger'; node: string; msg: object }
  | { what: 'stop' }
)

/** How a trigger ended, and the texts that were recorded meanwhile. */
export interface RecordedResult {
  error?: { code?: string; message: string }
  texts: string[]
}

interface Runtime {
  init(server: object, settings: object): void
  start(): Promise<void>
  stop(): Promise<void>
  httpAdmin: (request: object, response: object) => void
  hooks: { add(name: string, data: (event: never) => void): void }
  events: { on(name: string, listener: (data: unknown) => void): void }
  nodes: { getNode(id: string): { receive(msg: object): void } }
}
interface Completed {
  msg: { cell?: number }
  node: { id: string }
  error?: { code?: string; message: string }
}

const RED = require('node-red') as Runtime
const [, , settings = '{}'] = process.argv
const server = createServer((request, response) => RED.httpAdmin(request, response))
const recorded = new Set<string>()
const running = new Map<number, string>()

/** Records all texts of a value, with keys and non-enumerable properties. */
function record(value: unknown, known = new Set<unknown>()): void {
  if (typeof value === 'string') recorded.add(value)
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null || known.has(value)) return
  known.add(value)
  if (Buffer.isBuffer(value)) recorded.add(value.toString()).add(value.toString('latin1'))
  else if (value instanceof Map || value instanceof Set) record([...value], known)
  else if (!ArrayBuffer.isView(value)) {
    for (const key of Reflect.ownKeys(value)) {
      recorded.add(String(key))
      record((value as Record<PropertyKey, unknown>)[key], known)
    }
  }
}

const reply = (id: number, data: object) => void process.send?.({ id, ...data })

function takeTexts(): string[] {
  const texts = [...recorded]
  recorded.clear()
  return texts
}

/** What a trigger has led to is sent within some turns of the event loop. */
async function end(id: number, error: Completed['error']): Promise<void> {
  for (let turns = 0; turns < 5; turns++) await new Promise(setImmediate)
  reply(id, { ...(error ? { error: { code: error.code, message: error.message } } : {}), texts: takeTexts() })
}

function listen(): void {
  RED.hooks.add('onSend.recorder', ((events: object[]) =>
    record(events.map((one) => (one as Completed).msg))) as never)
  RED.hooks.add('onComplete.recorder', (({ msg, node, error }: Completed) => {
    record([msg, error])
    const id = msg.cell ?? 0
    if (running.get(id) !== node.id) return
    running.delete(id)
    void end(id, error)
  }) as never)
}

process.on('message', (command: RecorderCommand) => {
  const { id } = command
  if (command.what === 'trigger') {
    running.set(id, command.node)
    RED.nodes.getNode(command.node).receive({ ...command.msg, cell: id })
  } else void RED.stop().then(() => reply(id, { texts: takeTexts() }))
})
process.once('disconnect', () => process.exit())

RED.init(server, JSON.parse(settings))
// Statuses, and everything that editors receive, also the debug sidebar.
for (const name of ['node-status', 'comms']) RED.events.on(name, (data) => record(data))
RED.events.on('flows:started', () => {
  listen()
  server.listen(0, '127.0.0.1', () => reply(0, { port: (server.address() as AddressInfo).port }))
})
void RED.start()
