/**
 * A Redis for one test: on loopback, on a free port, without persistence, so that it loses all data when it ends.
 *
 *     const redis = await startRedis()
 *     await redis.end('SIGKILL')
 *     await redis.start()
 *
 * `REDIS=valkey-server` uses a Valkey.
 */
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from 'redis'
import { temporaryFolder } from '../../support/run'
import { HOST, quiet, startServer } from '../../support/server-process'
import { findOrInstall, type Program } from '../../support/servers'

const { REDIS } = process.env

const serverProgram = () => findOrInstall((REDIS ?? 'redis-server') as Program)

export interface RedisServer {
  url: string
  port: number
  password?: string | undefined
  certificate?: string | undefined
  /** One command, over a separate connection. */
  command(...words: string[]): Promise<unknown>
  /** Key → its contents, with the ms until it expires (-1: never). */
  contents(): Promise<{ key: string; value: string; lasts: number }[]>
  /** Ends it, if it is running. */
  end(signal?: NodeJS.Signals): Promise<void>
  /** Restarts it on the same port. */
  start(): Promise<void>
  /** Suspends or resumes it. */
  signal(name: 'SIGSTOP' | 'SIGCONT'): Promise<void>
}

/** Uses the certificate in `test/fixtures/tls` with this name. */
const tlsOptions = (certificate: string) => ({
  'tls-cert-file': fixture(`${certificate}.pem`),
  'tls-key-file': fixture('server.key'),
  'tls-ca-cert-file': fixture('ca.pem'),
  'tls-auth-clients': 'no',
  'tls-replication': 'yes',
})
const fixture = (name: string) => join(__dirname, '../../fixtures/tls', name)

/**
 * A sentinel that monitors a Redis under the name `main`, and promotes its replica within seconds; with TLS if that
 * Redis has it.
 */
export async function startSentinel(of: RedisServer): Promise<{ port: number; end(): Promise<void> }> {
  const program = await serverProgram()
  const folder = temporaryFolder('sentinel')
  const watch = [
    `sentinel monitor main ${HOST} ${of.port} 1`,
    'sentinel down-after-milliseconds main 500',
    'sentinel failover-timeout main 2000',
    ...(of.password === undefined ? [] : [`sentinel auth-pass main ${of.password}`]),
  ]
  const encrypted = of.certificate ? Object.entries(tlsOptions(of.certificate)) : []
  const server = await startServer(
    (port) => {
      const file = join(folder, `${port}.conf`)
      const ports = of.certificate ? ['port 0', `tls-port ${port}`] : [`port ${port}`]
      const settings = encrypted.map(([name, value]) => `${name} ${value}`)
      writeFileSync(file, [...ports, `bind ${HOST}`, ...settings, ...watch].join('\n'))
      return spawn(program, [file, '--sentinel'], { cwd: folder, ...quiet })
    },
    (log) => log.includes('+monitor master'),
    'SIGTERM',
  )
  return { port: server.port, end: () => server.stop('SIGKILL') }
}

/**
 * @param replicaOf the server whose data it replicates
 * @param certificate accepts only TLS connections, with this certificate in `test/fixtures/tls`
 */
export async function startRedis({
  password,
  replicaOf,
  certificate,
}: {
  password?: string
  replicaOf?: RedisServer
  certificate?: string
} = {}): Promise<RedisServer> {
  const program = await serverProgram()
  const folder = temporaryFolder('redis')
  const secret = password === undefined ? [] : ['--requirepass', password]
  const copies = replicaOf ? ['--replicaof', HOST, String(replicaOf.port)] : []
  const settings = Object.entries(certificate ? tlsOptions(certificate) : {})
  const encrypted = settings.flatMap(([name, value]) => [`--${name}`, value])
  const server = await startServer(
    (port) => {
      const options = [
        '--bind',
        HOST,
        ...(certificate ? ['--port', '0', '--tls-port'] : ['--port']),
        String(port),
        '--save',
        '',
        '--appendonly',
        'no',
        ...secret,
        ...copies,
        ...encrypted,
      ]
      return spawn(program, options, { cwd: folder, ...quiet })
    },
    (log) => log.includes('Ready to accept connections'),
    'SIGTERM',
  )
  const url = `${certificate ? 'rediss' : 'redis'}://${HOST}:${server.port}`
  // The TLS tests check the certificate.
  const socket = certificate ? { socket: { tls: true as const, rejectUnauthorized: false } } : {}
  async function command(...words: string[]): Promise<unknown> {
    const client = createClient({ url, ...socket, ...(password === undefined ? {} : { password }) })
    // The commands themselves report errors.
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
    password,
    certificate,
    command,
    async contents() {
      const keys = (await command('KEYS', '*')) as string[]
      const one = async (key: string) => {
        const value = JSON.stringify(await command(key.endsWith(':epoch') ? 'GET' : 'HGETALL', key))
        return { key, value, lasts: Number(await command('PTTL', key)) }
      }
      return Promise.all(keys.map(one))
    },
    end: (signal) => server.stop(signal),
    start: () => server.startAgain(),
    signal: async (name) => server.signal(name),
  }
}
