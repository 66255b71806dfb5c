/** Nodes that the benchmarks install in each Node-RED: the floor, and a sink. Also measures what a trigger causes. */
import { Agent, request } from 'node:http'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Node, NodeAPI, NodeDef } from 'node-red'

export interface Call {
  /** Bodies of the floor's requests. */
  bodies: string[]
  /** Number of messages expected at the sink. */
  messages: number
  /** Whether to collect garbage first. */
  collect: boolean
  /** Whether to look at the memory all the time, which costs time. */
  peak?: boolean
}

/** Times in ms. */
export interface Measurement {
  wall: number
  /** Processor time of all threads. */
  processor: number
  /** Longest time without a turn of the event loop. */
  stop: number
  /** Largest resident size, MB; 0 if it was not looked at. */
  peak: number
}

/** Resolution of the event-loop delay histogram; it is subtracted from the maximum. */
const TICK_MS = 1
/** A histogram records nothing before the second tick after a reset. Other work of a call also ends within this time. */
const SETTLE_MS = 5
/** V8 returns memory to the operating system some time after a collection. */
const COLLECTIONS = 5
const RETURNED_MS = 200
const SAMPLE_MS = 2

const collectGarbage = (globalThis as unknown as { gc: (options?: object) => void }).gc
const delay = monitorEventLoopDelay({ resolution: TICK_MS })

let requested: string[] = []
let arrived: () => void = () => {}
let failed: (error: Error) => void = () => {}

async function measure(
  trigger: Node,
  { bodies, messages, collect, peak = false }: Call,
): Promise<Measurement> {
  if (collect) collectGarbage()
  delay.enable()
  await sleep(SETTLE_MS)
  delay.reset()
  await sleep(SETTLE_MS)
  requested = bodies
  let remaining = messages
  let largest = 0
  const sample = () => {
    largest = Math.max(largest, process.memoryUsage.rss() / 1e6)
  }
  const sampling = peak ? setInterval(sample, SAMPLE_MS) : undefined
  const before = process.cpuUsage()
  const start = performance.now()
  const times = await new Promise<Pick<Measurement, 'wall' | 'processor'>>((resolve, reject) => {
    failed = reject
    arrived = () => {
      if (--remaining !== 0) return
      const wall = performance.now() - start
      const { user, system } = process.cpuUsage(before)
      resolve({ wall, processor: (user + system) / 1000 })
    }
    trigger.receive({})
  })
  clearInterval(sampling)
  await sleep(SETTLE_MS)
  const stop = Math.max(0, delay.max / 1e6 - TICK_MS)
  delay.disable()
  if (remaining < 0) throw new Error(`${-remaining} messages too many`)
  return { ...times, stop, peak: largest }
}

async function residentAfterCollection(): Promise<number> {
  for (let time = 0; time < COLLECTIONS; time++) {
    collectGarbage({ type: 'major', execution: 'sync', flavor: 'last-resort' })
    await sleep(RETURNED_MS)
  }
  return process.memoryUsage().rss / 1e6
}

function post(url: string, body: string, agent: Agent): Promise<unknown> {
  const headers = { 'content-type': 'application/json', 'x-http-method-override': 'GET' }
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { agent, method: 'POST', headers }, (response) => {
      const parts: Buffer[] = []
      response.on('data', (part) => parts.push(part))
      response.on('end', () => resolve(JSON.parse(Buffer.concat(parts).toString())))
    })
    outgoing.once('error', reject)
    outgoing.end(body)
  })
}

export default (RED: NodeAPI): void => {
  RED.nodes.registerType('bench-floor', function floor(this: Node, def: NodeDef & { url: string }) {
    RED.nodes.createNode(this, def)
    const agent = new Agent({ keepAlive: true, maxSockets: 2 })
    this.on('input', (_msg, send, done) => {
      Promise.all(requested.map((body) => post(def.url, body, agent))).then((payload) => {
        send({ payload })
        done()
      }, done)
    })
    this.on('close', () => agent.destroy())
  })

  RED.nodes.registerType('bench-sink', function sink(this: Node, def: NodeDef) {
    RED.nodes.createNode(this, def)
    this.on('input', (msg, _send, done) => {
      const { error } = msg as { error?: unknown }
      if (error) failed(new Error(JSON.stringify(error)))
      else arrived()
      done()
    })
  })

  const report = (work: Promise<unknown>) =>
    work.then(
      (value) => process.send?.({ value }),
      (error) => process.send?.({ error: String(error) }),
    )
  process.on('message', (command: Call | 'idle') =>
    report(command === 'idle' ? residentAfterCollection() : measure(RED.nodes.getNode('trigger'), command)),
  )
  process.once('disconnect', () => process.exit())
  RED.events.once('flows:started', () => report(Promise.resolve()))
}
