/**
 * A Node-RED in a separate process that ends at the first unhandled rejection. It gets triggers over IPC, and reports
 * how they ended, how long they took, and the state of the process.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { performance } from 'node:perf_hooks'
import { SINKS } from './flows'

/** Interval of measuring the event loop. */
const SAMPLE_MS = 5
/** Number of elements of an output that are read. */
const MAX_ELEMENTS = 100

export type VictimCommand =
  | { id: number; what: 'trigger'; node: string; msg: object }
  | { id: number; what: 'loop' | 'state' }

export interface Triggered {
  ms: number
  /** The error of the catch node; absent if the trigger completed. */
  error?: { code?: string; message: string }
  /** All of that message, as text. */
  text: string
  /** Serials that the output was about. */
  about: string[]
}

export interface VictimState {
  /** Bytes, after garbage was collected. */
  memory: number
  resident: number
  /** Open TCP sockets, without those of this process's own server. */
  sockets: number
  /** Messages that catch nodes got, by the node that failed. */
  caught: Record<string, number>
  polluted: boolean
  /** All that was shown, once each. */
  statuses: string[]
}

interface Runtime {
  init(server: object, settings: object): void
  start(): Promise<void>
  httpAdmin: (request: object, response: object) => void
  events: { on(name: string, listener: () => void): void }
  nodes: { getNode(id: string): RuntimeNode }
}

interface RuntimeNode {
  on(event: 'input', listener: (msg: SinkMessage) => void): void
  receive(msg: object): void
}

interface SinkMessage {
  _msgid: string
  cell?: number
  error?: { code?: string; message: string; source: { id: string } }
  status?: object
  payload?: unknown
}

const RED = require('node-red') as Runtime
const [, , settings = '{}'] = process.argv
const server = createServer((request, response) => RED.httpAdmin(request, response))

const running = new Map<number, { start: number; about: Set<string> }>()
const caught: Record<string, number> = {}
const statuses = new Set<string>()

const reply = (id: number, data: object) => void process.send?.({ id, ...data })

function end(msg: SinkMessage, over: object): void {
  const { cell = -1 } = msg
  const trigger = running.get(cell)
  if (!trigger) return
  running.delete(cell)
  const { start, about } = trigger
  const data: Triggered = { ms: performance.now() - start, text: '', about: [...about], ...over }
  reply(cell, data)
}

function listen(): void {
  const on = (id: string, listener: (msg: SinkMessage) => void) => RED.nodes.getNode(id).on('input', listener)
  on(SINKS.output, ({ cell = -1, payload }) => {
    const devices = [payload].flat().slice(0, MAX_ELEMENTS) as { serial?: string }[]
    for (const { serial } of devices) running.get(cell)?.about.add(String(serial))
  })
  on(SINKS.status, ({ status }) => void statuses.add(JSON.stringify(status)))
  on(SINKS.completed, (msg) => end(msg, {}))
  on(SINKS.caught, (msg) => {
    const { code, message = '', source } = msg.error ?? {}
    caught[source?.id ?? ''] = (caught[source?.id ?? ''] ?? 0) + 1
    end(msg, { error: { code, message }, text: JSON.stringify(msg) })
  })
}

/**
 * Longest time that the event loop stood still and the process was at work: where others have the processor is no stop.
 */
let longest = 0
function watchLoop(): void {
  let wall = performance.now()
  let work = process.cpuUsage()
  setInterval(() => {
    const now = performance.now()
    const { user, system } = process.cpuUsage(work)
    longest = Math.max(longest, Math.min(now - wall, (user + system) / 1000) - SAMPLE_MS)
    wall = now
    work = process.cpuUsage()
  }, SAMPLE_MS)
}

async function state(): Promise<VictimState> {
  for (let times = 0; times < 3; times++) {
    globalThis.gc?.()
    await new Promise(setImmediate)
  }
  const { heapUsed, external, rss } = process.memoryUsage()
  const sockets = process
    .getActiveResourcesInfo()
    .filter((name) => /^(?:TCPSocket|TLS|TCPConnect)/.test(name))
  return {
    memory: heapUsed + external,
    resident: rss,
    sockets: sockets.length,
    caught,
    polluted: 'polluted' in {} || 'ch1' in {},
    statuses: [...statuses],
  }
}

process.on('message', (command: VictimCommand) => {
  const { id, what } = command
  if (what === 'trigger') {
    running.set(id, { start: performance.now(), about: new Set() })
    RED.nodes.getNode(command.node).receive({ ...command.msg, cell: id })
  } else if (what === 'loop') {
    reply(id, { longest })
    longest = 0
  } else void state().then((data) => reply(id, data))
})
process.once('disconnect', () => process.exit())

RED.init(server, JSON.parse(settings))
RED.events.on('flows:started', () => {
  listen()
  watchLoop()
  server.listen(0, '127.0.0.1', () => reply(0, { port: (server.address() as AddressInfo).port }))
})
void RED.start()
