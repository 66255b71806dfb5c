/** Database servers for one test: on loopback, on a free port, with their data in a temporary folder. */
import { spawn } from 'node:child_process'
import { chownSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execute } from '../../support/package'
import { temporaryFolder } from '../../support/run'
import { HOST, quiet, type ServerProcess, startServer } from '../../support/server-process'
import { ensure } from '../../support/servers'

export interface SqlServer extends ServerProcess {
  user: string
  password: string
  database: string
}

export interface InfluxServer extends ServerProcess {
  database: string
  /** Rows of each series that a statement returns, as objects; times in ms. */
  query(statement: string): Promise<Record<string, string | number | null>[]>
}

export async function startPostgres(): Promise<SqlServer> {
  const postgres = ensure('postgres')
  const initdb = ensure('initdb')
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
    // Fast: open connections do not delay it.
    'SIGINT',
  )
  return { ...server, ...login, database: 'postgres' }
}

/** Its local time is not UTC, and a statement may have a quarter of the default size. */
export async function startMariaDb(): Promise<SqlServer> {
  const mariadbd = ensure('mariadbd')
  const owner = await ownerOf('nobody')
  const login = { user: 'envlog', password: 'not a secret', database: 'envlog' }
  const folder = temporaryFolder('mariadb')
  if (owner) chownSync(folder, owner.uid, owner.gid)
  const data = join(folder, 'data')
  await createMariaDbData(folder, data, login)
  const server = await startServer(
    (port) => {
      const place = [`--datadir=${data}`, `--socket=${join(folder, 'socket')}`]
      const access = [`--bind-address=${HOST}`, `--port=${port}`, '--skip-name-resolve']
      const settings = ['--default-time-zone=+09:00', '--max-allowed-packet=4M']
      const options = ['--no-defaults', ...place, ...access, ...settings, ...QUICK]
      return spawn(mariadbd, options, { cwd: folder, ...quiet, ...owner })
    },
    (log) => log.includes('ready for connections'),
    'SIGTERM',
  )
  return { ...server, ...login }
}

/** Nothing is synced to the disk: written data outlives the process, not the machine. */
const QUICK = ['--innodb-flush-method=nosync', '--innodb-use-native-aio=0', '--innodb-buffer-pool-size=16M']

/** An empty database and a user for it. */
async function createMariaDbData(
  folder: string,
  data: string,
  { user, password, database }: Pick<SqlServer, 'user' | 'password' | 'database'>,
): Promise<void> {
  const install = ensure('mariadb-install-db')
  ensure('my_print_defaults')
  const file = join(folder, 'user.sql')
  const statements = [
    'FLUSH PRIVILEGES',
    `CREATE DATABASE ${database}`,
    `CREATE USER ${user} IDENTIFIED BY '${password}'`,
    `GRANT ALL ON *.* TO ${user}`,
  ]
  writeFileSync(file, statements.map((statement) => `${statement};\n`).join(''))
  const without = ['--skip-test-db', '--skip-name-resolve', '--auth-root-authentication-method=normal']
  const small = ['--innodb-log-file-size=4M', ...QUICK]
  const options = ['--no-defaults', `--datadir=${data}`, `--extra-file=${file}`, ...without, ...small]
  await execute(install, options, { cwd: folder, ...(await ownerOf('nobody')) })
}

export async function startInflux(): Promise<InfluxServer> {
  const influxd = ensure('influxd')
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

/** PostgreSQL and MariaDB refuse to run as root: the user who runs them instead. */
async function ownerOf(user: string): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const id = async (which: string) => Number((await execute('id', [which, user])).stdout)
  return { uid: await id('-u'), gid: await id('-g') }
}
