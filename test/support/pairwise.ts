/** Pairwise combinations: rows in which any two values of two columns occur together at least once. */

type Columns = Record<string, readonly unknown[]>
export type PairwiseRow<T extends Columns> = { [K in keyof T]: T[K][number] }

/**
 *     pairwise({ origin: ['same', 'none'], type: ['json', 'form'] })
 */
export function pairwise<T extends Columns>(columns: T): PairwiseRow<T>[] {
  const names = Object.keys(columns)
  const uncovered = new Map<string, [number, number][]>()
  const pair = (one: number, its: number, other: number, others: number) =>
    one < other ? `${one}:${its} ${other}:${others}` : `${other}:${others} ${one}:${its}`
  const sizes = names.map((name) => columns[name]?.length ?? 0)
  const each = (size: number) => Array.from({ length: size }, (_, index) => index)
  for (const one of each(names.length)) {
    for (const other of each(one)) {
      for (const its of each(sizes[one] ?? 0)) {
        for (const others of each(sizes[other] ?? 0)) {
          uncovered.set(pair(one, its, other, others), [
            [one, its],
            [other, others],
          ])
        }
      }
    }
  }

  const rows: PairwiseRow<T>[] = []
  while (uncovered.size > 0) {
    const [firstPair] = uncovered.values() as unknown as Iterable<[number, number][]>
    const row = new Map<number, number>(firstPair)
    for (const column of each(names.length)) {
      if (row.has(column)) continue
      const countOpen = (value: number) =>
        [...row].filter(([other, others]) => uncovered.has(pair(column, value, other, others))).length
      const best = each(sizes[column] ?? 0).reduce((found, value) =>
        countOpen(value) > countOpen(found) ? value : found,
      )
      row.set(column, best)
    }
    for (const [one, its] of row) {
      for (const [other, others] of row) uncovered.delete(pair(one, its, other, others))
    }
    const entries = names.map((name, column) => [name, columns[name]?.[row.get(column) ?? 0]])
    rows.push(Object.fromEntries(entries) as PairwiseRow<T>)
  }
  return rows
}
