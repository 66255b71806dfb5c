/**
 * Records of an answer as columns. An answer has up to 65,535 of them, taken in by slices: their objects can go
 * at once then, and numbers take a third of the room.
 */
export interface RecordTable {
  length: number
  /** By key, one value a record; `undefined` where a record lacks the key. */
  columns: Map<string, unknown[]>
  /** Records that are no objects. */
  misfits: number[]
}

export function createTable(): RecordTable {
  return { length: 0, columns: new Map(), misfits: [] }
}

/** Takes in what came next. Nearly all records have the same keys in the same order. */
export function addRecords(table: RecordTable, records: readonly unknown[]): void {
  let keys: string[] = []
  let columns: unknown[][] = []
  for (const record of records) {
    if (typeof record !== 'object' || record === null || Array.isArray(record)) {
      table.misfits.push(table.length)
      addFields(table, {})
      continue
    }
    const fields = record as Record<string, unknown>
    let at = 0
    for (const key in fields) if (keys[at++] !== key) at = Number.NaN
    if (at === keys.length && columns.length === table.columns.size) {
      for (let index = 0; index < at; index++) columns[index]?.push(fields[keys[index] as string])
      table.length++
    } else {
      addFields(table, fields)
      keys = Object.keys(fields)
      columns = keys.map((key) => table.columns.get(key) as unknown[])
    }
  }
}

function addFields(table: RecordTable, fields: Record<string, unknown>): void {
  for (const key of Object.keys(fields)) {
    if (!table.columns.has(key)) table.columns.set(key, new Array(table.length).fill(undefined))
  }
  for (const [key, column] of table.columns) column.push(Object.hasOwn(fields, key) ? fields[key] : undefined)
  table.length++
}

/** The same without some of them. */
export function withoutRecords({ length, columns }: RecordTable, gone: ReadonlySet<number>): RecordTable {
  const kept = (column: unknown[]) => column.filter((_, index) => !gone.has(index))
  const names = [...columns].map(([key, column]) => [key, kept(column)] as const)
  return { length: length - gone.size, columns: new Map(names), misfits: [] }
}
