/** Database servers for one test: on loopback, on a free port, with their data in a temporary folder. */
import { spawn } from 'node:child_process'
import { chownSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execute } from '../../support/package'
import { temporaryFolder } from '../../support/run'
import { HOST, quiet, type ServerProcess, startServer } from '../../support/server-process'
import { findOrInstall } from '../../support/servers'

export interface SqlServer extends ServerProcess {
  user: string
  password: string
  database: string
}

export async function startPostgres(): Promise<SqlServer> {
  const postgres = await findOrInstall('postgres')
  const initdb = await findOrInstall('initdb')
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

/** Starts a server with the empty database `envlog`. */
export async function startMariaDb(): Promise<SqlServer> {
  const mariadbd = await findOrInstall('mariadbd')
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
      const options = ['--no-defaults', ...place, ...access, ...QUICK]
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
  const install = await findOrInstall('mariadb-install-db')
  await findOrInstall('my_print_defaults')
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

/** The database `envlog`. */
export async function startInflux(): Promise<ServerProcess> {
  const influxd = await findOrInstall('influxd')
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
  const body = new URLSearchParams({ q: 'CREATE DATABASE envlog' })
  await fetch(`http://${HOST}:${server.port}/query`, { method: 'POST', body })
  return server
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

/** PostgreSQL and MariaDB refuse to run as root: the user who runs them instead. */
async function ownerOf(user: string): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const id = async (which: string) => Number((await execute('id', [which, user])).stdout)
  return { uid: await id('-u'), gid: await id('-g') }
}
