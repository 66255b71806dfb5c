import type { Asker } from '../quota/asker'
import { mergeSeries } from '../readings/merge'
import type { Series } from '../readings/series'
import type { DeviceFailure, Target } from './devices'
import { type AccountAccess, type Collected, readPart } from './fetch'
import { beginPages, nextPage, type Paging, takePage } from './pages'
import { readPage } from './range'
import type { Received, Start } from './record-cursor'

/** Records between a cursor and an answer while they are fetched: that answer, and the pages that came so far. */
export interface Hole {
  received: Received
  /** The answer that came last, without its body. */
  answer: Collected['answer']
  paging: Paging
  /** Records that cannot be read and are to be reported. */
  failed: readonly DeviceFailure[]
  /** Where a node begins that has no cursor yet. */
  start: Start
}

/** @param period what is missing: ms, from inclusive, to exclusive */
export function openHole(
  received: Received,
  answer: Collected['answer'],
  failed: readonly DeviceFailure[],
  period: { from: number; to: number },
  start: Start,
): Hole {
  return { received, answer, paging: beginPages({ ...period, number: null }), failed, start }
}

/**
 * Fetches the next page. It does not wait for records of the hour's budget: the device fails then, and goes on from
 * here at a later trigger.
 * @throws EnvlogError those of the request and of decoding; `reply-other-period`
 */
export async function fetchNextPage(
  account: AccountAccess,
  target: Target,
  hole: Hole,
  asker: Asker,
): Promise<Hole> {
  const { received, paging } = hole
  const page = await readPage(account, target, nextPage(paging), { ...asker, recordsWait: 0 })
  // All of one clock: pages do not tell whether daylight saving was on.
  const style = { time: received.time, offset: received.series.utcOffset }
  const { part, failed } = await readPart(target, { ...page.answer, body: page.body }, style, asker.signal)
  return {
    ...hole,
    answer: page.answer,
    paging: takePage(paging, part, page.arrived),
    failed: [...hole.failed, ...failed],
  }
}

/** The answer with all that was fetched before it. */
export function seriesOf({ received, paging }: Hole): Series {
  return mergeSeries([received.series, ...paging.parts])
}
