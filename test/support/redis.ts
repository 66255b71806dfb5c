/**
 * A Redis of a test's own: on loopback, on a free port, in memory alone, so that it forgets everything when it ends.
 *
 *     const redis = await startRedis()
 *     await redis.end('SIGKILL')
 *     await redis.start()
 */
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from 'redis'
import { temporaryFolder } from './run'
import { HOST, quiet, startServer } from './server-process'
import { ensure } from './servers'

export interface RedisServer {
  url: string
  port: number
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

/** A sentinel that watches a Redis under the name `main`, and makes its replica the leader within seconds. */
export async function startSentinel(of: RedisServer): Promise<{ port: number; end(): Promise<void> }> {
  const program = await ensure('redis-server')
  const folder = temporaryFolder('sentinel')
  const watch = [
    `sentinel monitor main ${HOST} ${of.port} 1`,
    'sentinel down-after-milliseconds main 500',
    'sentinel failover-timeout main 2000',
  ]
  const server = await startServer(
    (port) => {
      const file = join(folder, `${port}.conf`)
      writeFileSync(file, [`port ${port}`, `bind ${HOST}`, ...watch].join('\n'))
      return spawn(program, [file, '--sentinel'], { cwd: folder, ...quiet })
    },
    (log) => log.includes('+monitor master'),
    'SIGTERM',
  )
  return { port: server.port, end: () => server.stop('SIGKILL') }
}

/** @param replicaOf it copies the data of another one */
export async function startRedis({
  password,
  replicaOf,
}: {
  password?: string
  replicaOf?: RedisServer
} = {}): Promise<RedisServer> {
  const program = await ensure('redis-server')
  const folder = temporaryFolder('redis')
  const secret = password === undefined ? [] : ['--requirepass', password]
  const copies = replicaOf ? ['--replicaof', HOST, String(replicaOf.port)] : []
  const server = await startServer(
    (port) => {
      const options = [
        '--bind',
        HOST,
        '--port',
        String(port),
        '--save',
        '',
        '--appendonly',
        'no',
        ...secret,
        ...copies,
      ]
      return spawn(program, options, { cwd: folder, ...quiet })
    },
    (log) => log.includes('Ready to accept connections'),
    'SIGTERM',
  )
  const url = `redis://${HOST}:${server.port}`
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
    port: server.port,
    ask,
    async contents() {
      const keys = (await ask('KEYS', '*')) as string[]
      const one = async (key: string) => {
        const kind = await ask('TYPE', key)
        const read: Record<string, string[]> = { string: ['GET', key], hash: ['HGETALL', key] }
        const value = JSON.stringify(await ask(...(read[String(kind)] ?? ['ZRANGE', key, '0', '-1'])))
        return { key, value: String(value), lasts: Number(await ask('PTTL', key)) }
      }
      return Promise.all(keys.map(one))
    },
    end: (signal) => server.stop(signal),
    start: () => server.startAgain(),
    hang: () => server.signal('SIGSTOP'),
    wake: () => server.signal('SIGCONT'),
  }
}
