import type { SeriesRecord } from './record-reader'

/** The median time between records in ms; `null` if there are fewer than two. @param records with a time, in order */
export function medianInterval(records: readonly SeriesRecord[]): number | null {
  const intervals = records
    .slice(1)
    .map(({ timestamp }, index) => (timestamp as number) - (records[index]?.timestamp as number))
    .sort((a, b) => a - b)
  return intervals[intervals.length >> 1] ?? null
}
