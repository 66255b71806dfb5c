/** Chains of nodes that write into databases without a function node, and read the tables. */
import { join } from 'node:path'
import type { InfluxServer, MariaDbServer, PostgresServer } from './databases'
import { MARIADB_EXAMPLE, readExample } from './examples'
import { type AnyNode, chain, type NodeChain, plainChain } from './flow-harness'
import type { FlowNode } from './node-red'

/** The columns of latest and range; current has more. */
const COLUMNS = [
  ...['time', 'timestamp', 'serial', 'name', 'model', 'base', 'groupname'],
  ...['channel', 'label', 'unit', 'quantity', 'value', 'error', 'dataid'],
]

const KEY = 'PRIMARY KEY (base, serial, channel, time)'

/** Properties that choose one device. */
export const onlyDevice = (serial: string) => ({ select: 'list', devices: [{ serial }] })

/**
 * `<database>-table` creates the table, `-read` returns all rows, `-device` writes the rows of latest by device, `-all`
 * those of current together, `-<serial>` those of one device.
 */
export function sqliteChains(serials: readonly string[]): NodeChain[] {
  const fields = COLUMNS.map((column) => `json_extract(value, '$.${column}')`)
  // Rows without a time cannot be in the key.
  const insert = `INSERT INTO readings (${COLUMNS}) SELECT ${fields} FROM json_each($rows)
    WHERE json_extract(value, '$.time') IS NOT NULL ON CONFLICT DO NOTHING`
  const table = `CREATE TABLE readings (time TEXT, timestamp INTEGER, serial TEXT, name TEXT, model TEXT, base TEXT,
    groupname TEXT, channel INTEGER, label TEXT, unit TEXT, quantity TEXT, value REAL, error TEXT, dataid INTEGER, ${KEY})`
  const node = (sqlquery: string, sql: string): AnyNode => ({ type: 'sqlite', mydb: 'sqlite', sqlquery, sql })
  return [
    plainChain('sqlite-table', node('fixed', table)),
    plainChain('sqlite-read', node('fixed', 'SELECT * FROM readings')),
    ...writingChains('sqlite', serials, [
      ...parameters('{"$rows": payload}'),
      // In Node-RED a query with parameters is called prepared.
      node('prepared', insert),
    ]),
  ]
}

export function postgresChains(serials: readonly string[]): NodeChain[] {
  const fields = `time timestamptz, timestamp bigint, serial text, name text, model text, base text, groupname text,
    channel integer, label text, unit text, quantity text, value double precision, error text, dataid integer`
  const insert = `INSERT INTO readings (${COLUMNS}) SELECT ${COLUMNS} FROM jsonb_to_recordset($1) AS row (${fields})
    WHERE time IS NOT NULL ON CONFLICT DO NOTHING`
  // A bigint would be returned as text.
  const read = COLUMNS.map((name) => (name === 'timestamp' ? 'timestamp::float8' : name))
  const node = (query: string): AnyNode => ({
    type: 'postgrestor',
    postgresDB: 'postgres-server',
    query,
    throwErrors: true,
  })
  return [
    plainChain('postgres-table', node(`CREATE TABLE readings (${fields}, ${KEY})`)),
    plainChain('postgres-read', node(`SELECT ${read} FROM readings`)),
    ...writingChains('postgres', serials, [...parameters('[payload]'), node(insert)]),
  ]
}

/** The nodes of the example, one after another. */
export function mariaDbChains(serials: readonly string[]): NodeChain[] {
  const example = new Map(
    readExample(MARIADB_EXAMPLE).map(({ id, z, g, wires, ...node }) => [node.name, node]),
  )
  const named = (name: string) => ({ ...example.get(name), mydb: 'mariadb-server' }) as unknown as AnyNode
  const read = { ...named('statement'), template: 'SELECT * FROM readings' }
  const through = [
    '10,000 rows at most',
    'rows as text',
    'parameter',
    'statement',
    'insert new rows',
    'all are stored',
  ]
  return [
    plainChain('mariadb-table', named('statement of the table'), named('create the table')),
    plainChain('mariadb-read', read, named('insert new rows')),
    ...writingChains('mariadb', serials, through.map(named)),
  ]
}

/** The payload as JSON text in `msg.params`, as a JSONata expression puts it there. */
function parameters(jsonata: string): AnyNode[] {
  return [
    { type: 'json', property: 'payload', action: 'str' },
    { type: 'change', rules: [{ t: 'set', p: 'params', pt: 'msg', to: jsonata, tot: 'jsonata' }] },
  ]
}

function writingChains(database: string, serials: readonly string[], through: AnyNode[]): NodeChain[] {
  const rows = { onlyNew: false, output: 'rows', send: 'device' }
  return [
    chain(`${database}-device`, 'latest', rows, through),
    chain(`${database}-all`, 'current', { output: 'rows', send: 'all' }, through),
    ...serials.map((serial) =>
      chain(`${database}-${serial}`, 'latest', { ...rows, ...onlyDevice(serial) }, through),
    ),
  ]
}

export const ALL = 'envlog_all'

/**
 * `points` writes those of all devices of current together into the measurement `ALL`, `points-<serial>` and
 * `alerts-<serial>` those of one device.
 */
export function influxChains(serials: readonly string[]): NodeChain[] {
  const through = [{ type: 'influxdb batch', influxdb: 'influx' }]
  const points = { onlyNew: false, output: 'points' }
  const sink = { sink: true }
  return [
    chain('points', 'current', { output: 'points', send: 'all', measurement: ALL }, through, sink),
    ...serials.flatMap((serial) => [
      chain(`points-${serial}`, 'latest', { ...points, ...onlyDevice(serial) }, through, sink),
      chain(`alerts-${serial}`, 'alerts', { ...points, ...onlyDevice(serial) }, through, sink),
    ]),
  ]
}

/** Config nodes. */
export function sqliteNode(folder: string): FlowNode {
  return { id: 'sqlite', type: 'sqlitedb', db: join(folder, 'readings.sqlite'), mode: 'RWC' }
}

export function postgresNode({ port, user, password, database }: PostgresServer): FlowNode {
  const settings = { host: '127.0.0.1', port, database, ssl: false, max: 2, user, password }
  const types = Object.keys(settings).map((name) => [`${name}FieldType`, 'str'])
  return { id: 'postgres-server', type: 'postgresDB', ...settings, ...Object.fromEntries(types) }
}

export function mariaDbNode({ port, user, password, database }: MariaDbServer): FlowNode {
  const place = { host: '127.0.0.1', port: String(port), db: database, tz: '+00:00', charset: 'UTF8MB4' }
  return { id: 'mariadb-server', type: 'MySQLdatabase', ...place, credentials: { user, password } }
}

export function influxNode({ port, database }: InfluxServer): FlowNode {
  const settings = { hostname: '127.0.0.1', port, database, influxdbVersion: '1.x' }
  return {
    id: 'influx',
    type: 'influxdb',
    ...settings,
    usetls: false,
    credentials: { username: '', password: '' },
  }
}
