/** A listening port that never accepts connections: its thread is blocked, and its backlog is full. */
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { Peer } from '../peers'
import { until } from '../wait'

const THREAD = `
  const { connect, createServer } = require('node:net')
  const { parentPort, workerData: gate } = require('node:worker_threads')
  const server = createServer((socket) => {
    const there = connect(Atomics.load(gate, 0), '127.0.0.1')
    for (const one of [socket, there]) one.on('error', () => { socket.destroy(); there.destroy() })
    socket.pipe(there).pipe(socket)
  })
  server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    parentPort.postMessage(server.address().port)
    setImmediate(() => Atomics.wait(gate, 0, 0))
  })`
/** If a connection takes longer than this, the backlog is full. */
const CONNECTED_MS = 200

export async function startFullBacklog(): Promise<Peer> {
  const gate = new Int32Array(new SharedArrayBuffer(4))
  const thread = new Worker(THREAD, { eval: true, workerData: gate })
  const port = await new Promise<number>((resolve) => thread.once('message', resolve))
  const waiting: Socket[] = []
  const leave = () => {
    for (const socket of waiting.splice(0)) socket.destroy()
  }
  for (;;) {
    const socket = connect(port, '127.0.0.1').on('error', () => {})
    waiting.push(socket)
    const connected = new Promise((resolve) => socket.once('connect', () => resolve(true)))
    if (!(await Promise.race([connected, sleep(CONNECTED_MS, false)]))) break
  }
  return {
    port,
    // Only the kernel knows the connections in the backlog; open sockets are counted in the client.
    open: () => 0,
    mend(target) {
      leave()
      Atomics.store(gate, 0, target)
      Atomics.notify(gate, 0)
    },
    async close() {
      leave()
      await thread.terminate()
    },
  }
}

/** After the repair, the waiting connections are gone a moment later. */
export async function accepts(port: number): Promise<void> {
  await until('it accepts a connection', async () => {
    const socket = connect(port, '127.0.0.1').on('error', () => {})
    const connected = new Promise<true>((resolve) => socket.once('connect', () => resolve(true)))
    const isThere = await Promise.race([connected, sleep(CONNECTED_MS, false as const)])
    socket.destroy()
    return isThere
  })
}
