/**
 * Reads and disturbs an archive in SQLite that a flow writes. `arrival` is the order in which rows were stored.
 */
import { join } from 'node:path'
import { until } from '../wait'
import type { Lines } from './fleet'
import { openSqlite, type Row } from './sqlite'

export interface Archive {
  rows(sql: string): Promise<Row[]>
  /** By device, in the order in which they were stored. */
  records(): Promise<Lines>
  alerts(): Promise<Lines>
  /** How many rows there are. */
  size(): Promise<number>
  /** Hides the tables: statements fail. */
  hide(): Promise<void>
  show(): Promise<void>
  /** Statements fail by chance, somewhere in their rows. */
  disturb(): Promise<void>
  calm(): Promise<void>
  close(): Promise<void>
}

const columns = {
  records: 'base TEXT, serial TEXT, channel INTEGER, time TEXT, dataid INTEGER, value REAL, error TEXT',
  alerts: 'base TEXT, serial TEXT, source TEXT, time TEXT, text TEXT',
}
const keys = { records: 'base, serial, channel, time', alerts: 'base, serial, source, time, text' }
const ROWS_TO_A_FAILURE = 300
/** Longer than any wait before the next request. */
const STANDSTILL_MS = 60_000
type Table = keyof typeof columns
const tables = Object.keys(columns) as Table[]

/** Writes the rows of `$rows`, JSON text, with one statement. */
export function insertInto(table: Table): string {
  const names = columns[table].split(', ').map((column) => column.split(' ')[0])
  const fields = names.map((name) => `json_extract(value, '$.${name}')`)
  return `INSERT INTO ${table} (${names}) SELECT ${fields} FROM json_each($rows) WHERE true ON CONFLICT DO NOTHING`
}

function disturbance(table: Table): string {
  return `CREATE TRIGGER disturb_${table} BEFORE INSERT ON ${table} WHEN abs(random()) % ${ROWS_TO_A_FAILURE} = 0
    BEGIN SELECT RAISE(ABORT, 'by chance'); END;`
}

/** @param keyed false: without a key, so that duplicates are stored too */
export async function createArchive(folder: string, { keyed }: { keyed: boolean }): Promise<Archive> {
  const { run, rows, close } = await openSqlite(join(folder, 'archive.sqlite'))
  // Short locks, also on a busy disk.
  await run('PRAGMA synchronous = OFF')
  for (const table of tables) {
    await run(`CREATE TABLE ${table} (arrival INTEGER PRIMARY KEY AUTOINCREMENT, ${columns[table]})`)
    await run(`CREATE ${keyed ? 'UNIQUE ' : ''}INDEX key_of_${table} ON ${table} (${keys[table]})`)
  }

  async function linesOf(table: Table, lineOf: (row: Row) => string): Promise<Lines> {
    const lines: Lines = new Map()
    for (const row of await rows(`SELECT * FROM ${table} ORDER BY arrival`)) {
      const device = `${row.base}/${row.serial}`
      const known = lines.get(device)
      if (known) known.push(lineOf(row))
      else lines.set(device, [lineOf(row)])
    }
    return lines
  }

  return {
    rows,
    records: () =>
      linesOf('records', ({ time, channel, dataid, value, error }) => {
        return `${time} ch${channel} ${dataid} ${value ?? error}`
      }),
    alerts: () => linesOf('alerts', ({ time, source, text }) => `${time} ${source} ${text}`),
    async size() {
      const [row] = await rows(
        'SELECT (SELECT count(*) FROM records) + (SELECT count(*) FROM alerts) AS size',
      )
      return Number(row?.size)
    },
    hide: () => run(tables.map((table) => `ALTER TABLE ${table} RENAME TO hidden_${table};`).join('')),
    show: () => run(tables.map((table) => `ALTER TABLE hidden_${table} RENAME TO ${table};`).join('')),
    disturb: () => run(tables.map(disturbance).join('')),
    calm: () => run(tables.map((table) => `DROP TRIGGER disturb_${table};`).join('')),
    close,
  }
}

/** Resolves when it has the given number of rows, or when no more are added, because some were lost. */
export async function whenCollected(archive: Archive, rows: number, deadline: number): Promise<void> {
  let size = -1
  let since = 0
  await until(
    'everything is collected',
    async () => {
      const now = await archive.size()
      if (now !== size) since = performance.now()
      size = now
      return size >= rows || performance.now() - since > STANDSTILL_MS
    },
    deadline,
  )
}
