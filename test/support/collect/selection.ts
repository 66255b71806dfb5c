/** The documented rules for selecting the records of a response, and the orders in which services have sent them. */
export interface Timed {
  unixtime: number
}

export type RecordOrder = 'ascending' | 'descending' | 'mixed'

/** Selects the newest `number` records between two times, in seconds. */
export interface Bounds {
  from: number
  to: number
  number: number
}

/** @param inclusive whether records at the bounds are returned (observed) or not (documented) */
export function selectRecords<T extends Timed>(
  records: readonly T[],
  { from, to, number }: Bounds,
  inclusive: boolean,
): T[] {
  const edge = inclusive ? 0 : 1
  const inside = records.filter(({ unixtime }) => unixtime >= from + edge && unixtime <= to - edge)
  return inside.toSorted((a, b) => a.unixtime - b.unixtime).slice(Math.max(0, inside.length - number))
}

export function sortRecords<T>(records: readonly T[], order: RecordOrder): T[] {
  if (order === 'ascending') return [...records]
  if (order === 'descending') return records.toReversed()
  return [...records.filter((_, index) => index % 2), ...records.filter((_, index) => index % 2 === 0)]
}
