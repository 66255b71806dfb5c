import { mergeSeries } from '../readings/merge'
import type { Series, SeriesPart } from '../readings/series'
import type { DeviceFailure } from './devices'
import type { Collected } from './fetch'
import { beginPages, type Paging, takePage } from './pages'
import type { readPage } from './range'
import type { Received } from './record-cursor'

/** Records between a cursor and an answer on their way: that answer, and the pages that came so far. */
export interface Hole {
  received: Received
  /** That came last. */
  answer: Collected['answer']
  paging: Paging
  /** What is to be reported of records that cannot be read. */
  failed: readonly DeviceFailure[]
}

export function openHole(
  received: Received,
  answer: Collected['answer'],
  failed: readonly DeviceFailure[],
  period: { from: number; to: number },
): Hole {
  return { received, answer, paging: beginPages({ ...period, number: null }), failed }
}

/** With the next page. */
export function withPage(
  hole: Hole,
  { answer, arrived }: Awaited<ReturnType<typeof readPage>>,
  { part, failed }: { part: SeriesPart; failed: readonly DeviceFailure[] },
): Hole {
  const paging = takePage(hole.paging, part, arrived)
  return { ...hole, answer, paging, failed: [...hole.failed, ...failed] }
}

/** The answer with all that came before it. */
export function seriesOf({ received, paging }: Hole): Series {
  return mergeSeries([received.series, ...paging.parts])
}
