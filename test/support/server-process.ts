/** Server programs for one test: on loopback, on a free port; they can be stopped and restarted. */
import type { ChildProcess, SpawnOptions } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { until } from './wait'

export interface ServerProcess {
  port: number
  stop(signal?: NodeJS.Signals): Promise<void>
  signal(name: NodeJS.Signals): void
  /** After `stop`: restarts it on the same port, with its persistent data. */
  startAgain(): Promise<void>
}

export const HOST = '127.0.0.1'
/** A free port may be used by another process a moment later. */
const TRIES = 3

/** Options for `launch`: the log is read. */
export const quiet = { stdio: ['ignore', 'pipe', 'pipe'] } satisfies SpawnOptions

interface Running {
  child: ChildProcess
  ended: Promise<unknown>
}

/** Starts a server that logs when it is ready; on another port if it ends immediately. */
export async function startServer(
  launch: (port: number) => ChildProcess,
  ready: (log: string) => boolean,
  ending: NodeJS.Signals,
): Promise<ServerProcess> {
  let running: Running
  const server = {
    port: 0,
    async stop(signal = ending) {
      const { child, ended } = running
      if (child.exitCode === null && child.signalCode === null) child.kill(signal)
      await ended
    },
    signal: (name: NodeJS.Signals) => void running.child.kill(name),
    async startAgain() {
      running = await run(launch(server.port), ready)
    },
  }
  for (let tries = 1; ; tries++) {
    server.port = await freePort()
    try {
      await server.startAgain()
      return server
    } catch (error) {
      if (tries === TRIES) throw error
    }
  }
}

async function run(child: ChildProcess, ready: (log: string) => boolean): Promise<Running> {
  let log = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (piece: string) => {
      log += piece
    })
  }
  const ended = once(child, 'exit')
  const killed = () => void child.kill('SIGKILL')
  process.once('exit', killed)
  void ended.then(() => process.off('exit', killed))
  const outcome = await until(`${child.spawnfile} is ready`, () => {
    if (ready(log)) return 'ready'
    return child.exitCode !== null && 'ended'
  })
  if (outcome === 'ended') throw new Error(`${child.spawnfile} ended at once:\n${log}`)
  return { child, ended }
}

/** Systems choose ports for connections, and for servers with port 0, above these. */
const [LOWEST_PORT, HIGHEST_PORT] = [20_000, 32_000]

/** A free port for programs that cannot choose one themselves; the ports at the given distances are free too. */
export async function freePort(distances: readonly number[] = []): Promise<number> {
  for (;;) {
    const port = randomInt(LOWEST_PORT, HIGHEST_PORT)
    const found = await Promise.all([0, ...distances].map((distance) => isFree(port + distance)))
    if (found.every(Boolean)) return port
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  const isListening = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(port, HOST, () => resolve(true))
  })
  if (isListening) await new Promise((resolve) => server.close(resolve))
  return isListening
}
