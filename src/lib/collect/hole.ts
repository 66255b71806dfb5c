import type { GraphEnvelope } from '../api/envelopes'
import { mergeSeries } from '../readings/merge'
import { readSeries, type Series } from '../readings/series'
import { beginPages, type Page, type Paging, takePage } from './pages'
import type { Received } from './record-cursor'
import type { Collected } from './records'

/** Records between a cursor and an answer on their way: that answer, and the pages that came so far. */
export interface Hole {
  received: Received
  /** That came last. */
  answer: Collected['answer']
  paging: Paging
}

export function openHole(
  received: Received,
  answer: Collected['answer'],
  period: { from: number; to: number },
): Hole {
  return { received, answer, paging: beginPages({ ...period, number: null }) }
}

/** With the next page. @throws EnvlogError */
export function withPage(
  hole: Hole,
  { answer, body, asked }: { answer: Collected['answer']; body: GraphEnvelope; asked: Page },
): Hole {
  const series = readSeries(body, hole.received.time)
  return { ...hole, answer, paging: takePage(hole.paging, series, body.records.length, asked) }
}

/** The answer with all that came before it. */
export function seriesOf({ received, paging }: Hole): Series {
  return mergeSeries([received.series, ...paging.parts])
}
