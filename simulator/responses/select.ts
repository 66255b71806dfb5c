/** Selects the records of a response (docs/service.md, *Fields*). */
import { defaultRecords, type EndpointName, maxLatestRecords, maxRecords } from '../endpoints'
import { indexAt, type RecordView } from '../fleet/record-views'
import { seedFrom, shuffled } from '../random'
import type { Variants } from '../variants'

export interface Period {
  from?: number
  to?: number
  number?: number
}

/** Indexes of records, from `first` (inclusive) to `end` (exclusive). */
export interface Selection {
  first: number
  end: number
}

export function select(
  endpoint: EndpointName,
  view: RecordView,
  now: number,
  period: Period,
  inclusive: boolean,
): Selection {
  if (endpoint === 'latest-data' || endpoint === 'latest-data-relay') {
    return { first: Math.max(view.low, view.high - maxLatestRecords), end: view.high }
  }
  const number = Math.min(period.number ?? defaultRecords, maxRecords)
  const first = period.from === undefined ? view.low : indexAt(view, period.from, !inclusive)
  const end = Math.max(first, indexAt(view, period.to ?? now, inclusive))
  return { first: Math.max(first, end - number), end }
}

/** The indexes of the selected records, in the order in which they are sent. */
export function order(
  view: RecordView,
  { first, end }: Selection,
  recordOrder: Variants['recordOrder'],
): number[] {
  const indexes = Array.from({ length: end - first }, (_, i) => first + i)
  if (recordOrder === 'descending') return indexes.reverse()
  if (recordOrder === 'shuffled') return shuffled(indexes, seedFrom(first, end))
  const { arrival } = view
  if (recordOrder === 'arrival' && arrival) return indexes.sort((a, b) => arrival(a) - arrival(b))
  return indexes
}
