/** A database of SQLite, opened by another process than Node-RED, with the module that Node-RED's node uses. */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { paletteFolder } from '../palette'
import { until } from '../wait'

export type Row = Record<string, string | number | null>

export interface Sqlite {
  run(sql: string): Promise<void>
  rows(sql: string): Promise<Row[]>
  close(): Promise<void>
}

/** Of the module `sqlite3`, what is used here. */
interface Database {
  exec(sql: string, done: (error: Error | null) => void): void
  all(sql: string, done: (error: Error | null, rows: Row[]) => void): void
  configure(option: 'busyTimeout', ms: number): void
  close(done: (error: Error | null) => void): void
}

const PATIENCE_MS = 30_000

export async function openSqlite(file: string): Promise<Sqlite> {
  const sqlite3 = createRequire(join(await paletteFolder(), 'package.json'))('sqlite3')
  const database: Database = new sqlite3.Database(file)
  database.configure('busyTimeout', PATIENCE_MS)
  const ended = (resolve: () => void, reject: (error: Error) => void) => (error: Error | null) =>
    error ? reject(error) : resolve()
  const run = (sql: string) => new Promise<void>((...ends) => database.exec(sql, ended(...ends)))
  // In this mode, readers do not block writers. The mode cannot be changed during a write, however long one waits.
  await until('the database is free', () =>
    run('PRAGMA journal_mode = WAL').then(
      () => true,
      (error: Error) => {
        if (/SQLITE_BUSY/.test(error.message)) return false
        throw error
      },
    ),
  )
  return {
    run,
    rows: (sql) =>
      new Promise((resolve, reject) => {
        database.all(sql, (error, rows) => (error ? reject(error) : resolve(rows)))
      }),
    close: () => new Promise<void>((...ends) => database.close(ended(...ends))),
  }
}
