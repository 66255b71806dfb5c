/**
 * The nodes that the bench installs into each Node-RED: a sink that counts messages, and the floor; and the
 * measurement, which executes commands of the parent process. The bench bundles this file into the nodes folder of the
 * user directory.
 */
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { Agent, request, type Server } from 'node:http'
import { Session } from 'node:inspector/promises'
import type { AddressInfo } from 'node:net'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { getHeapSnapshot } from 'node:v8'
import type { Node, NodeAPI, NodeDef } from 'node-red'

export interface CallCommand {
  kind: 'call'
  /** The node that is triggered. */
  node: string
  /** Number of expected messages. */
  messages: number
  /** Whether garbage is collected before. */
  collect: boolean
  /** File for the processor profile of the call. */
  profile?: string
}

export interface Measurement {
  /** ms */
  wall: number
  /** ms of all threads */
  processor: number
  /** Longest time without a turn of the event loop, in ms. */
  stop: number
  /** Peak resident size in MB; `null` where the operating system does not report it. */
  peak: number | null
}

/** Messages of a Node-RED: a reply to each command, and one when its flows have started. */
export type ProbeReport =
  | { kind: 'started' }
  | { kind: 'measured'; measured: Measurement }
  /** MB resident */
  | { kind: 'idle'; resident: number }
  /** bytes in use */
  | { kind: 'heap'; used: number }
  /** where Node-RED listens */
  | { kind: 'port'; port: number }
  | { kind: 'failed'; error: string }

/** The finest resolution of the histogram of the event loop's delay; it is subtracted from the maximum. */
const TICK_MS = 1
/** A cleared histogram records nothing before its second tick; other work of a call also ends within this time. */
const SETTLE_MS = 5
const COLLECTIONS = 5
const RETURNED_MS = 200

type Collect = (options?: object) => void
const collect: Collect = (globalThis as unknown as { gc: Collect }).gc

const stops = monitorEventLoopDelay({ resolution: TICK_MS })

let arrived: () => void = () => {}
let failed: (error: Error) => void = () => {}

async function call(
  RED: NodeAPI,
  { node, messages, collect: first, profile }: CallCommand,
): Promise<Measurement> {
  if (first) collect()
  const session = profile === undefined ? undefined : await startProfile()
  await sleep(SETTLE_MS)
  resetPeak()
  stops.enable()
  stops.reset()
  await sleep(SETTLE_MS)
  const times = { processor: 0, wall: 0 }
  const before = process.cpuUsage()
  const start = performance.now()
  let left = messages
  await new Promise<void>((resolve, reject) => {
    failed = reject
    arrived = () => {
      if (--left !== 0) return
      times.wall = performance.now() - start
      const { user, system } = process.cpuUsage(before)
      times.processor = (user + system) / 1000
      resolve()
    }
    RED.nodes.getNode(node).receive({})
  })
  await sleep(SETTLE_MS)
  const stop = Math.max(0, stops.max / 1e6 - TICK_MS)
  stops.disable()
  if (left < 0) throw new Error(`${node}: ${-left} messages more than there should be`)
  if (session && profile !== undefined) await endProfile(session, profile)
  return { ...times, stop, peak: peak() }
}

/** Resets the peak that Linux records; a timer would not see peaks while the event loop is stopped. */
function resetPeak(): void {
  try {
    writeFileSync('/proc/self/clear_refs', '5')
  } catch {
    // Another operating system: the peak is not reported.
  }
}

function peak(): number | null {
  try {
    const found = /VmHWM:\s*(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))
    return found ? (Number(found[1]) * 1024) / 1e6 : null
  } catch {
    return null
  }
}

async function startProfile(): Promise<Session> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.setSamplingInterval', { interval: 200 })
  await session.post('Profiler.start')
  return session
}

async function endProfile(session: Session, file: string): Promise<void> {
  const { profile } = await session.post('Profiler.stop')
  session.disconnect()
  writeFileSync(file, JSON.stringify(profile))
}

/** V8 gives memory back to the system some time after a collection. */
async function idle(): Promise<number> {
  for (let time = 0; time < COLLECTIONS; time++) {
    collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
    await sleep(RETURNED_MS)
  }
  return process.memoryUsage().rss / 1e6
}

/** What is in use after a heap snapshot, which collects all garbage: `gc` may leave twice as much as is in use. */
function usedHeap(): number {
  getHeapSnapshot().destroy()
  return process.memoryUsage().heapUsed
}

/** Node-RED may start its flows before it listens. */
async function portOf(server: Server): Promise<number> {
  if (!server.listening) await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

const HEADERS = { 'content-type': 'application/json', 'x-http-method-override': 'GET' }

function post(url: string, body: string, agent: Agent): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { agent, method: 'POST', headers: HEADERS }, (answer) => {
      const parts: Buffer[] = []
      answer.on('data', (part) => parts.push(part))
      answer.on('end', () => resolve(JSON.parse(Buffer.concat(parts).toString())))
    })
    outgoing.once('error', reject)
    outgoing.end(body)
  })
}

async function postByFetch(url: string, body: string): Promise<unknown> {
  return (await fetch(url, { method: 'POST', headers: HEADERS, body })).json()
}

interface FloorDef extends NodeDef {
  url: string
  body: string
  byFetch: boolean
}

interface RoundDef extends NodeDef {
  url: string
  bodies: string[]
  concurrency: number
}

export default (RED: NodeAPI): void => {
  RED.nodes.registerType('bench-floor', function floor(this: Node, def: FloorDef) {
    RED.nodes.createNode(this, def)
    const agent = new Agent({ keepAlive: true })
    this.on('input', (msg, send, done) => {
      const answer = def.byFetch ? postByFetch(def.url, def.body) : post(def.url, def.body, agent)
      answer.then((payload) => {
        send({ ...msg, payload })
        done()
      }, done)
    })
    this.on('close', () => agent.destroy())
  })

  RED.nodes.registerType('bench-round', function round(this: Node, def: RoundDef) {
    RED.nodes.createNode(this, def)
    const agent = new Agent({ keepAlive: true, maxSockets: def.concurrency })
    this.on('input', (msg, send, done) => {
      const left = [...def.bodies]
      const work = async () => {
        for (let body = left.shift(); body !== undefined; body = left.shift())
          await post(def.url, body, agent)
      }
      Promise.all(Array.from({ length: def.concurrency }, work)).then(() => {
        send(msg)
        done()
      }, done)
    })
    this.on('close', () => agent.destroy())
  })

  RED.nodes.registerType('bench-start', function start(this: Node, def: NodeDef) {
    RED.nodes.createNode(this, def)
    this.on('input', (msg, send, done) => {
      send(msg)
      done()
    })
  })

  RED.nodes.registerType('bench-sink', function sink(this: Node, def: NodeDef) {
    RED.nodes.createNode(this, def)
    this.on('input', (_msg, _send, done) => {
      arrived()
      done()
    })
  })

  RED.nodes.registerType('bench-failed', function failure(this: Node, def: NodeDef) {
    RED.nodes.createNode(this, def)
    this.on('input', (msg, _send, done) => {
      failed(new Error(JSON.stringify((msg as { error?: unknown }).error)))
      done()
    })
  })

  const report = (data: ProbeReport) => process.send?.(data)
  const reportFailure = (error: unknown) => report({ kind: 'failed', error: String(error) })
  process.on('message', (command: CallCommand | { kind: 'idle' | 'heap' | 'port' }) => {
    if (command.kind === 'port')
      portOf(RED.server as Server).then((port) => report({ kind: 'port', port }), reportFailure)
    if (command.kind === 'heap') report({ kind: 'heap', used: usedHeap() })
    if (command.kind === 'idle') idle().then((resident) => report({ kind: 'idle', resident }), reportFailure)
    if (command.kind === 'call')
      call(RED, command).then((measured) => report({ kind: 'measured', measured }), reportFailure)
  })
  RED.events.once('flows:started', () => report({ kind: 'started' }))
}
