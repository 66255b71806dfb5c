/** Selects the records of a response (docs/service.md, *Fields*). */
import { defaultNumber, type EndpointName, largestNumber, latestRecords } from '../endpoints'
import { indexAt, type RecordView } from '../fleet/records'
import { seedFrom, shuffled } from '../random'
import type { Variants } from '../variants'

export interface Period {
  from?: number
  to?: number
  number?: number
}

/** Indexes from `first` (inclusive) to `end` (exclusive). */
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
    return { first: Math.max(view.low, view.high - latestRecords), end: view.high }
  }
  const number = Math.min(period.number ?? defaultNumber, largestNumber)
  const first = period.from === undefined ? view.low : indexAt(view, period.from, !inclusive)
  const end = Math.max(first, indexAt(view, period.to ?? now, inclusive))
  return { first: Math.max(first, end - number), end }
}

/** The indexes of the records in sending order. */
export function ordered(
  view: RecordView,
  { first, end }: Selection,
  order: Variants['recordOrder'],
): number[] {
  const indexes = Array.from({ length: end - first }, (_, i) => first + i)
  if (order === 'descending') return indexes.reverse()
  if (order === 'shuffled') return shuffled(indexes, seedFrom(first, end))
  const { arrival } = view
  if (order === 'arrival' && arrival) return indexes.sort((a, b) => arrival(a) - arrival(b))
  return indexes
}
