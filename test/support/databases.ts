/** Database servers of a test's own: on loopback, on a free port, with their data in a temporary folder. */
import { spawn } from 'node:child_process'
import { chownSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execute } from './package'
import { temporaryFolder } from './run'
import { HOST, quiet, type ServerProcess, startServer } from './server-process'
import { ensure } from './servers'

export interface PostgresServer extends ServerProcess {
  user: string
  password: string
  database: string
}

export interface InfluxServer extends ServerProcess {
  database: string
  /** Rows of each series that a statement tells, as objects; times in ms. */
  query(statement: string): Promise<Record<string, string | number | null>[]>
}

export async function startPostgres(): Promise<PostgresServer> {
  const postgres = await ensure('postgres')
  const initdb = await ensure('initdb')
  const owner = await ownerOf('postgres')
  const folder = temporaryFolder('postgres')
  const login = { user: 'envlog', password: 'not a secret' }
  const passwordFile = join(folder, 'password')
  writeFileSync(passwordFile, login.password)
  if (owner) for (const path of [folder, passwordFile]) chownSync(path, owner.uid, owner.gid)

  const data = join(folder, 'data')
  const quick = ['--no-sync', '--no-instructions', '--encoding=UTF8', '--locale=C']
  const access = ['--username', login.user, '--pwfile', passwordFile, '--auth=scram-sha-256']
  await execute(initdb, ['-D', data, ...quick, ...access], { cwd: folder, ...owner })
  const server = await startServer(
    (port) => {
      const options = ['-D', data, '-h', HOST, '-p', String(port), '-k', '', '-F']
      return spawn(postgres, options, { cwd: folder, ...quiet, ...owner })
    },
    (log) => log.includes('ready to accept connections'),
    // Fast: open connections do not keep it.
    'SIGINT',
  )
  return { ...server, ...login, database: 'postgres' }
}

export async function startInflux(): Promise<InfluxServer> {
  const influxd = await ensure('influxd')
  const folder = temporaryFolder('influx')
  const server = await startServer(
    (port) => {
      const file = join(folder, 'influxdb.conf')
      writeFileSync(file, influxSettings(folder, port))
      return spawn(influxd, ['-config', file], { cwd: folder, ...quiet, env: { HOME: folder } })
    },
    (log) => /Listening on HTTP\b/.test(log),
    'SIGTERM',
  )
  const database = 'envlog'
  const query = (statement: string) => askInflux(server.port, statement, database)
  await query(`CREATE DATABASE ${database}`)
  return { ...server, database, query }
}

function influxSettings(folder: string, port: number): string {
  for (const name of ['meta', 'data', 'wal']) mkdirSync(join(folder, name), { recursive: true })
  return `reporting-disabled = true
bind-address = "${HOST}:0"
[meta]
  dir = ${JSON.stringify(join(folder, 'meta'))}
[data]
  dir = ${JSON.stringify(join(folder, 'data'))}
  wal-dir = ${JSON.stringify(join(folder, 'wal'))}
[monitor]
  store-enabled = false
[http]
  bind-address = "${HOST}:${port}"
  log-enabled = false
`
}

interface InfluxAnswer {
  results: {
    error?: string
    series?: { tags?: Record<string, string>; columns: string[]; values: (string | number | null)[][] }[]
  }[]
}

async function askInflux(port: number, statement: string, database: string) {
  const query = new URLSearchParams({ db: database, epoch: 'ms', q: statement })
  const response = await fetch(`http://${HOST}:${port}/query`, { method: 'POST', body: query })
  const [result] = ((await response.json()) as InfluxAnswer).results
  if (!response.ok || result?.error) throw new Error(result?.error ?? `InfluxDB answers ${response.status}`)
  return (result?.series ?? []).flatMap(({ tags, columns, values }) =>
    values.map((row) => ({
      ...tags,
      ...Object.fromEntries(columns.map((column, index) => [column, row[index] ?? null])),
    })),
  )
}

/** PostgreSQL refuses to run as root: who runs it then. */
async function ownerOf(user: string): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const id = async (which: string) => Number((await execute('id', [which, user])).stdout)
  return { uid: await id('-u'), gid: await id('-g') }
}
