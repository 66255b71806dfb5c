/** The databases of the examples: how they are started, stopped and read. */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { readExample } from '../../support/examples'
import type { FlatRow } from '../../support/expected'
import type { FlowNode } from '../../support/node-red'
import { paletteFolder } from '../../support/palette'
import { HOST } from '../../support/server-process'
import { startInflux, startMariaDb, startPostgres } from './database-servers'

export interface Database {
  form: 'rows' | 'points'
  /** Properties of its config nodes, by type. */
  nodes: Record<string, object>
  /** Changes to the flow. */
  adapt?: (flow: FlowNode[]) => FlowNode[]
  /** All its contents, without null values; none before the flow has created the table. */
  rows(): Promise<FlatRow[]>
  /** Nothing can be written until `startAgain`. */
  stop(): Promise<void>
  startAgain(): Promise<void>
  end(): Promise<void>
}

interface DatabaseOfExample {
  title: string
  example: string
  /** @param userDir Node-RED's user directory */
  start(userDir: string): Promise<Database>
}

const SQLITE = 'SQLite - needs node-red-node-sqlite/newest records to SQLite'
const MARIADB = 'MariaDB and MySQL - needs node-red-node-mysql/newest records to MariaDB or MySQL'
const POSTGRES = 'PostgreSQL - needs node-red-contrib-postgrestor-next/newest records to PostgreSQL'
const SQL_SERVER = 'SQL Server - needs node-red-contrib-mssql-plus/newest records to SQL Server'
const INFLUX = 'InfluxDB - needs node-red-contrib-influxdb/points to InfluxDB'

export const databases: readonly DatabaseOfExample[] = [
  { title: 'SQLite', example: SQLITE, start: (userDir) => sqlite(join(userDir, 'readings.sqlite')) },
  { title: 'PostgreSQL', example: POSTGRES, start: postgres },
  { title: 'MariaDB', example: MARIADB, start: mariaDb },
  { title: 'SQL Server, with SQLite in its place', example: SQL_SERVER, start: inPlaceOfSqlServer },
  { title: 'InfluxDB', example: INFLUX, start: influx },
]

/** Third-party packages that the examples need. */
async function load(module: string) {
  return createRequire(join(await paletteFolder(), 'package.json'))(module)
}

const ALL_ROWS = 'SELECT * FROM readings'

function flat(row: Record<string, unknown>): FlatRow {
  const entries = Object.entries(row).filter(([, value]) => value !== null)
  return Object.fromEntries(
    entries.map(([key, value]) => [key, value instanceof Date ? value.toISOString() : value]),
  ) as FlatRow
}

/** The rows of a query; none while the table is missing, which the database reports with a code. */
async function rowsOf(query: () => Promise<object[]>, missing: string): Promise<FlatRow[]> {
  const rows = await query().catch((error: { code?: string; message: string }) => {
    if (error.code === missing || error.message.includes(missing)) return []
    throw error
  })
  return rows.map((row) => flat(row as Record<string, unknown>))
}

async function sqlite(file: string): Promise<Database> {
  const { Database: Connection } = await load('sqlite3')
  const connection = new Connection(file)
  connection.configure('busyTimeout', 30_000)
  const call = <T>(method: 'all' | 'exec' | 'close', ...sql: string[]) =>
    new Promise<T>((resolve, reject) =>
      connection[method](...sql, (error: Error | null, result: T) =>
        error ? reject(error) : resolve(result),
      ),
    )
  return {
    form: 'rows',
    nodes: { sqlitedb: { db: file } },
    rows: () => rowsOf(() => call('all', ALL_ROWS), 'no such table'),
    stop: () => call('exec', 'ALTER TABLE readings RENAME TO away; CREATE TABLE readings (other)'),
    startAgain: () => call('exec', 'DROP TABLE readings; ALTER TABLE away RENAME TO readings'),
    end: () => call('close'),
  }
}

/**
 * SQL Server cannot be installed here. SQLite's nodes replace its nodes, so that everything except the statement is
 * tested, including receipts.
 */
async function inPlaceOfSqlServer(userDir: string): Promise<Database> {
  const file = join(userDir, 'sql-server.sqlite')
  const named = new Map(readExample(SQLITE).map(({ id: _, g: _group, ...node }) => [node.name, node]))
  const replaced = (node: FlowNode): FlowNode[] => {
    const { id, type, name, z, mssqlCN: mydb, wires } = node
    if (type === 'MSSQL-CN') return [{ id, type: 'sqlitedb', mode: 'RWC', db: file }]
    if (type !== 'MSSQL') return [node]
    const next = `${id}-sqlite`
    return [
      { ...(named.get('parameter') as FlowNode), id, z, wires: [[next]] },
      { ...(named.get(name) as FlowNode), id: next, z, mydb, wires },
    ]
  }
  return { ...(await sqlite(file)), adapt: (flow) => flow.flatMap(replaced) }
}

async function postgres(): Promise<Database> {
  const { Client, types } = await load('pg')
  // Otherwise a bigint is returned as text.
  types.setTypeParser(types.builtins.INT8, Number)
  const server = await startPostgres()
  const { port, user, password, database } = server
  const login = { host: HOST, port, user, password, database }
  const query = async () => {
    const client = new Client(login)
    await client.connect()
    return client
      .query(ALL_ROWS)
      .then(({ rows }: { rows: object[] }) => rows)
      .finally(() => client.end())
  }
  return {
    ...{ form: 'rows', nodes: { postgresDB: login } },
    rows: () => rowsOf(query, '42P01'),
    ...{ stop: server.stop, startAgain: server.startAgain, end: server.stop },
  }
}

async function mariaDb(): Promise<Database> {
  const { createConnection } = await load('mysql2/promise')
  const server = await startMariaDb()
  const { port, user, password, database } = server
  const query = async () => {
    const login = { host: HOST, port, user, password, database }
    const connection = await createConnection({ ...login, timezone: 'Z' })
    return connection
      .query(ALL_ROWS)
      .then(([rows]: [object[]]) => rows)
      .finally(() => connection.end())
  }
  const node = { host: HOST, port: String(port), db: database, credentials: { user, password } }
  return {
    ...{ form: 'rows', nodes: { MySQLdatabase: node } },
    rows: () => rowsOf(query, 'ER_NO_SUCH_TABLE'),
    ...{ stop: server.stop, startAgain: server.startAgain, end: server.stop },
  }
}

async function influx(): Promise<Database> {
  const server = await startInflux()
  const { port, database } = server
  return {
    form: 'points',
    nodes: { influxdb: { hostname: HOST, port: String(port), database } },
    async rows() {
      const rows = await server.query('SELECT * FROM envlog')
      return rows.map((row) => flat({ ...row, time: new Date(Number(row.time)) }))
    },
    ...{ stop: server.stop, startAgain: server.startAgain, end: server.stop },
  }
}
