/**
 * A Redis of a test's own: on loopback, on a free port, in memory alone, so that it forgets everything when it ends.
 *
 *     const redis = await startRedis()
 *     await redis.end('SIGKILL')
 *     await redis.start()
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { createClient } from 'redis'
import { temporaryFolder } from './run'
import { ensure } from './servers'
import { until } from './wait'

const HOST = '127.0.0.1'
/** A port that was free may be taken a moment later. */
const TRIES = 3

export interface RedisServer {
  url: string
  /** One command, over a connection of its own. */
  ask(...words: string[]): Promise<unknown>
  /** Key → what it holds, with the ms until it is gone (-1: never). */
  contents(): Promise<{ key: string; value: string; lasts: number }[]>
  /** Ends it, if it runs. */
  end(signal?: NodeJS.Signals): Promise<void>
  /** Starts it again, on the same port. */
  start(): Promise<void>
  /** It is there and does not answer, until it is woken. */
  hang(): void
  wake(): void
}

export async function startRedis({ password }: { password?: string } = {}): Promise<RedisServer> {
  const program = await ensure('redis-server')
  const folder = temporaryFolder('redis')
  const secret = password === undefined ? [] : ['--requirepass', password]
  let child: ChildProcess | undefined
  let ended: Promise<unknown> = Promise.resolve()

  /** True where it serves; false where it ended at once. */
  async function launch(port: number): Promise<boolean> {
    const options = ['--bind', HOST, '--port', String(port), '--save', '', '--appendonly', 'no', ...secret]
    const started = spawn(program, options, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
    let log = ''
    started.stdout.setEncoding('utf8').on('data', (piece: string) => {
      log += piece
    })
    started.stderr.resume()
    child = started
    ended = once(started, 'exit')
    const killed = () => void started.kill('SIGKILL')
    process.once('exit', killed)
    void ended.then(() => process.off('exit', killed))
    const outcome = await until('redis-server is ready', () => {
      if (log.includes('Ready to accept connections')) return 'ready'
      return started.exitCode !== null && 'ended'
    })
    return outcome === 'ready'
  }

  let port = await freePort()
  for (let tries = 1; !(await launch(port)); tries++) {
    if (tries === TRIES) throw new Error('redis-server ended at once')
    port = await freePort()
  }

  const url = `redis://${HOST}:${port}`
  async function ask(...words: string[]): Promise<unknown> {
    const client = createClient({ url, ...(password === undefined ? {} : { password }) })
    // The commands themselves tell what went wrong.
    client.on('error', () => {})
    await client.connect()
    try {
      return await client.sendCommand(words)
    } finally {
      client.destroy()
    }
  }

  return {
    url,
    ask,
    async contents() {
      const keys = (await ask('KEYS', '*')) as string[]
      const one = async (key: string) => {
        const kind = await ask('TYPE', key)
        const value = kind === 'string' ? await ask('GET', key) : await ask('ZRANGE', key, '0', '-1')
        return { key, value: String(value), lasts: Number(await ask('PTTL', key)) }
      }
      return Promise.all(keys.map(one))
    },
    async end(signal = 'SIGTERM') {
      if (child?.exitCode === null && child.signalCode === null) child.kill(signal)
      await ended
    },
    async start() {
      if (!(await launch(port))) throw new Error(`redis-server ended at once; is port ${port} taken?`)
    },
    hang: () => void child?.kill('SIGSTOP'),
    wake: () => void child?.kill('SIGCONT'),
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, HOST)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
