/**
 * What the bench puts into each Node-RED: a sink that counts, the floor, and who measures. The bench bundles it
 * into the Node-RED's folder of nodes; it is told what to do by its parent process.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { Session } from 'node:inspector/promises'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Node, NodeAPI, NodeDef } from 'node-red'

export interface Call {
  kind: 'call'
  /** The node that is triggered. */
  node: string
  /** Messages to come. */
  messages: number
  /** Collect garbage before. */
  collect: boolean
  /** Where the processor profile of the call is written. */
  profile?: string
}

export interface Measured {
  /** ms */
  wall: number
  /** ms of all threads */
  processor: number
  /** Longest time in ms that the event loop did not come round. */
  stop: number
  /** MB resident at most; not on every system. */
  peak: number | null
}

/** What comes from a Node-RED: an answer to each message, and one when its flows have started. */
export type Told =
  | { kind: 'started' }
  | { kind: 'measured'; measured: Measured }
  | { kind: 'idle'; resident: number }
  | { kind: 'failed'; error: string }

/** The timer of the loop's histogram ticks as often as it can: what it finds beyond that is the stop. */
const TICK_MS = 1
/** A histogram that was cleared finds nothing before its second tick; what a call leaves behind ends within. */
const SETTLE_MS = 5

type Collect = (options?: object) => void
const collect: Collect = (globalThis as unknown as { gc: Collect }).gc

const stops = monitorEventLoopDelay({ resolution: TICK_MS })

let arrived: () => void = () => {}
let failed: (error: Error) => void = () => {}

async function call(RED: NodeAPI, { node, messages, collect: first, profile }: Call): Promise<Measured> {
  if (first) collect()
  const session = profile === undefined ? undefined : await startProfile()
  await sleep(SETTLE_MS)
  forgetPeak()
  stops.enable()
  stops.reset()
  await sleep(SETTLE_MS)
  const came = { processor: 0, wall: 0 }
  const before = process.cpuUsage()
  const start = performance.now()
  let left = messages
  await new Promise<void>((resolve, reject) => {
    failed = reject
    arrived = () => {
      if (--left !== 0) return
      came.wall = performance.now() - start
      const { user, system } = process.cpuUsage(before)
      came.processor = (user + system) / 1000
      resolve()
    }
    RED.nodes.getNode(node).receive({})
  })
  await sleep(SETTLE_MS)
  const stop = Math.max(0, stops.max / 1e6 - TICK_MS)
  stops.disable()
  if (left < 0) throw new Error(`${node}: ${-left} messages more than there should be`)
  if (session && profile !== undefined) await endProfile(session, profile)
  return { ...came, stop, peak: peak() }
}

/** Linux keeps the highest figure by itself, also of what no timer would see. */
function forgetPeak(): void {
  try {
    writeFileSync('/proc/self/clear_refs', '5')
  } catch {
    // Another system: there is no figure then.
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

async function idle(): Promise<number> {
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
  await sleep(SETTLE_MS)
  return process.memoryUsage().rss / 1e6
}

function ask(url: string, body: string, agent: Agent): Promise<unknown> {
  const headers = { 'content-type': 'application/json', 'x-http-method-override': 'GET' }
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { agent, method: 'POST', headers }, (answer) => {
      const parts: Buffer[] = []
      answer.on('data', (part) => parts.push(part))
      answer.on('end', () => resolve(JSON.parse(Buffer.concat(parts).toString())))
    })
    outgoing.once('error', reject)
    outgoing.end(body)
  })
}

interface FloorDef extends NodeDef {
  url: string
  body: string
}

export default (RED: NodeAPI): void => {
  RED.nodes.registerType('bench-floor', function floor(this: Node, def: FloorDef) {
    RED.nodes.createNode(this, def)
    const agent = new Agent({ keepAlive: true })
    this.on('input', (msg, send, done) => {
      ask(def.url, def.body, agent).then((payload) => {
        send({ ...msg, payload })
        done()
      }, done)
    })
    this.on('close', () => agent.destroy())
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

  const tell = (told: Told) => process.send?.(told)
  const refuse = (error: unknown) => tell({ kind: 'failed', error: String(error) })
  process.on('message', (wish: Call | { kind: 'idle' }) => {
    if (wish.kind === 'idle') idle().then((resident) => tell({ kind: 'idle', resident }), refuse)
    if (wish.kind === 'call') call(RED, wish).then((measured) => tell({ kind: 'measured', measured }), refuse)
  })
  RED.events.once('flows:started', () => tell({ kind: 'started' }))
}
