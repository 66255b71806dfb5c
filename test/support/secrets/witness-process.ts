/**
 * A Node-RED in a process of its own that keeps all texts that anybody behind it could see: of messages as they are
 * sent and as they end, of statuses, and of what it tells editors.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Order = { id: number } & ({ what: 'trigger'; node: string; msg: object } | { what: 'stop' })

/** How a trigger ended, and what was seen meanwhile. */
export interface Ended {
  error?: { code?: string; message: string }
  texts: string[]
}

interface Runtime {
  init(server: object, settings: object): void
  start(): Promise<void>
  stop(): Promise<void>
  httpAdmin: (request: object, response: object) => void
  hooks: { add(name: string, told: (event: never) => void): void }
  events: { on(name: string, listener: (told: unknown) => void): void }
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
const seen = new Set<string>()
const running = new Map<number, string>()

/** All texts that a value holds: keys, and what nobody lists. */
function see(value: unknown, known = new Set<unknown>()): void {
  if (typeof value === 'string') seen.add(value)
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null || known.has(value)) return
  known.add(value)
  if (Buffer.isBuffer(value)) seen.add(value.toString()).add(value.toString('latin1'))
  else if (value instanceof Map || value instanceof Set) see([...value], known)
  else if (!ArrayBuffer.isView(value)) {
    for (const key of Reflect.ownKeys(value)) {
      seen.add(String(key))
      see((value as Record<PropertyKey, unknown>)[key], known)
    }
  }
}

const tell = (id: number, told: object) => void process.send?.({ id, ...told })

function take(): string[] {
  const texts = [...seen]
  seen.clear()
  return texts
}

/** What a trigger has led to is sent within some turns of the event loop. */
async function end(id: number, error: Completed['error']): Promise<void> {
  for (let turns = 0; turns < 5; turns++) await new Promise(setImmediate)
  tell(id, { ...(error ? { error: { code: error.code, message: error.message } } : {}), texts: take() })
}

function listen(): void {
  RED.hooks.add('onSend.witness', ((events: object[]) =>
    see(events.map((one) => (one as Completed).msg))) as never)
  RED.hooks.add('onComplete.witness', (({ msg, node, error }: Completed) => {
    see([msg, error])
    const id = msg.cell ?? 0
    if (running.get(id) !== node.id) return
    running.delete(id)
    void end(id, error)
  }) as never)
}

process.on('message', (order: Order) => {
  const { id } = order
  if (order.what === 'trigger') {
    running.set(id, order.node)
    RED.nodes.getNode(order.node).receive({ ...order.msg, cell: id })
  } else void RED.stop().then(() => tell(id, { texts: take() }))
})
process.once('disconnect', () => process.exit())

RED.init(server, JSON.parse(settings))
// Statuses, and all that editors are told: the debug sidebar too.
for (const name of ['node-status', 'comms']) RED.events.on(name, (told) => see(told))
RED.events.on('flows:started', () => {
  listen()
  server.listen(0, '127.0.0.1', () => tell(0, { port: (server.address() as AddressInfo).port }))
})
void RED.start()
