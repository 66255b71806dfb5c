/** Rows in which any two values of two columns come together once at least: far fewer than all combinations. */

type Columns = Record<string, readonly unknown[]>
export type RowOf<T extends Columns> = { [K in keyof T]: T[K][number] }

/**
 *     anyTwo({ origin: ['same', 'none'], type: ['json', 'form'] })
 */
export function anyTwo<T extends Columns>(columns: T): RowOf<T>[] {
  const names = Object.keys(columns)
  const open = new Map<string, [number, number][]>()
  const pair = (one: number, its: number, other: number, others: number) =>
    one < other ? `${one}:${its} ${other}:${others}` : `${other}:${others} ${one}:${its}`
  const sizes = names.map((name) => columns[name]?.length ?? 0)
  const each = (size: number) => Array.from({ length: size }, (_, index) => index)
  for (const one of each(names.length)) {
    for (const other of each(one)) {
      for (const its of each(sizes[one] ?? 0)) {
        for (const others of each(sizes[other] ?? 0)) {
          open.set(pair(one, its, other, others), [
            [one, its],
            [other, others],
          ])
        }
      }
    }
  }

  const rows: RowOf<T>[] = []
  while (open.size > 0) {
    const [begun] = open.values() as unknown as Iterable<[number, number][]>
    const row = new Map<number, number>(begun)
    for (const column of each(names.length)) {
      if (row.has(column)) continue
      const news = (value: number) =>
        [...row].filter(([other, others]) => open.has(pair(column, value, other, others))).length
      const best = each(sizes[column] ?? 0).reduce((found, value) =>
        news(value) > news(found) ? value : found,
      )
      row.set(column, best)
    }
    for (const [one, its] of row) {
      for (const [other, others] of row) open.delete(pair(one, its, other, others))
    }
    const entries = names.map((name, column) => [name, columns[name]?.[row.get(column) ?? 0]])
    rows.push(Object.fromEntries(entries) as RowOf<T>)
  }
  return rows
}
