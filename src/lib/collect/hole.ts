import type { GraphEnvelope } from '../api/envelopes'
import { EnvlogError } from '../errors'
import { mergeSeries } from '../readings/merge'
import { type Series, type SeriesPart, stepsOfPart, withoutUnreadable } from '../readings/series'
import type { TimeStyle } from '../readings/time'
import type { Target } from './devices'
import { beginPages, type Page, type Paging, takePage } from './pages'
import type { Received } from './record-cursor'
import type { Collected } from './records'

/** Records between a cursor and an answer on their way: that answer, and the pages that came so far. */
export interface Hole {
  received: Received
  /** That came last. */
  answer: Collected['answer']
  paging: Paging
  /** Records of the pages that cannot be read, a text for each page. */
  unread: readonly { endpoint: string; part: string }[]
}

export function openHole(
  received: Received,
  answer: Collected['answer'],
  period: { from: number; to: number },
): Hole {
  return { received, answer, paging: beginPages({ ...period, number: null }), unread: [] }
}

/** With the next page. */
export function withPage(
  hole: Hole,
  { answer, body, asked }: { answer: Collected['answer']; body: GraphEnvelope; asked: Page },
  { series, parts }: PassedOver,
): Hole {
  const unread = parts.length > 0 ? [{ endpoint: answer.endpoint, part: inShort(parts) }] : []
  const paging = takePage(hole.paging, series, body.records.length, asked)
  return { ...hole, answer, paging, unread: [...hole.unread, ...unread] }
}

/** The answer with all that came before it. */
export function seriesOf({ received, paging }: Hole): Series {
  return mergeSeries([received.series, ...paging.parts])
}

/** What is to be told of records that were passed over. */
export function unreadOf({ unread }: Hole, { serial, base }: Target): EnvlogError[] {
  return unread.map(
    ({ endpoint, part }) => new EnvlogError('reply-unreadable', { part }, { endpoint, serial, base }),
  )
}

/** What could be read of a page, and which parts could not. */
interface PassedOver {
  series: SeriesPart
  parts: string[]
}

/** A record that nobody can read must not hold back the others. @throws EnvlogError where nobody can read any */
export function* stepsPassingOver(body: GraphEnvelope, time: TimeStyle): Generator<undefined, PassedOver> {
  try {
    return { series: yield* stepsOfPart(body, time), parts: [] }
  } catch (error) {
    const { readable, parts } = withoutUnreadable(body)
    if (readable.records.length === 0) throw error
    return { series: yield* stepsOfPart(readable, time), parts }
  }
}

const MOST_TOLD = 3

function inShort(parts: readonly string[]): string {
  return [...parts.slice(0, MOST_TOLD), ...(parts.length > MOST_TOLD ? ['…'] : [])].join(', ')
}
