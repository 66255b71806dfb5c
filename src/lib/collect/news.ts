import { type Content, countOf } from '../output/content'
import type { TimeStyle } from '../readings/time'
import type { Cursor } from './delivery'
import { furthest } from './delivery'
import type { Kept } from './device-states'
import { type Target, targetKey } from './devices'
import type { AccountAccess, Collected } from './fetch'
import type { NodeMemory } from './node-state'
import { writeReceipt } from './receipt'
import type { Start } from './record-cursor'

/** How news is delivered. */
export interface NewsWish {
  time: TimeStyle
  /** Asks for the records between the cursor and the answer. */
  backfill: boolean
  start: Start
  /** Of the node, for its receipts. */
  node: string
  /** With receipts: how long one is waited for, ms. */
  acknowledged: { timeout: number } | null
}

/** What there is to deliver of a device. */
export interface News extends Collected {
  /** Older ones were lost before we asked. */
  overflow?: boolean
  receipt?: string
}

export interface NewsPorts {
  memory: NodeMemory
  /** Sends it; what it throws leaves the cursor where it was. Where it is nothing, only what failed is told. */
  deliver(news: News, isNothing?: boolean): Promise<void>
  /** The device's clock was set back: it goes on with what came after, or nothing can be told to be new. */
  warn(target: Target, what: 'goes-on' | 'stops'): void
}

/** True where the device's receipt is open: asking it would be for nothing. */
export function isHandedOver(memory: NodeMemory, target: Target, now: number): boolean {
  const device = targetKey(target)
  const { phase } = memory.machine(device)
  if (phase.name !== 'open') return false
  if (now >= phase.until) memory.step(device, { kind: 'timeout' })
  return memory.machine(device).phase.name === 'open'
}

/** Each cursor is later than the one before, also where the clock was set back. */
export function takenAt(memory: NodeMemory, device: string, receivedAt: number): number {
  return Math.max(receivedAt, furthest(memory.machine(device)) + 1)
}

type Way = Pick<NewsWish, 'acknowledged' | 'node'>

/** Delivers news: done with it then, or when the receipt comes that goes with it. */
export async function handOver(
  account: AccountAccess,
  device: string,
  { acknowledged, node }: Way,
  { memory, deliver }: NewsPorts,
  news: News,
  { base, next }: { base: Cursor; next: Cursor },
): Promise<void> {
  if (!acknowledged) {
    await deliver(news)
    memory.step(device, { kind: 'sent', next })
    return
  }
  // Open before it is delivered: the receipt may come back while it is.
  const until = account.monotonic() + acknowledged.timeout
  memory.step(device, { kind: 'handed-over', base, next, until, news: keptOf(news, device, memory) })
  try {
    await deliver({ ...news, receipt: writeReceipt({ node, device, cursor: next }, memory.key()) })
  } catch (error) {
    memory.step(device, { kind: 'timeout' })
    throw error
  }
}

/** Delivers once more, under a new receipt, what nobody acknowledged: it costs no request. */
export async function handAgain(
  account: AccountAccess,
  target: Target,
  way: Way,
  ports: NewsPorts,
): Promise<void> {
  const device = targetKey(target)
  const { phase } = ports.memory.machine(device)
  if (phase.name !== 'unanswered') return
  const next = { ...phase.next, taken: takenAt(ports.memory, device, 0) }
  // Whether its group is wanted may have changed with a deploy.
  const news = { ...phase.news, group: target.group ?? '' }
  await handOver(account, device, way, ports, news, { base: next, next })
}

/** A copy: what was sent is the receivers' to change. */
function keptOf({ answer, content, group, overflow }: News, device: string, memory: NodeMemory): Kept | null {
  if (!memory.fits(device, countOf(content))) return null
  return { answer: structuredClone(answer), content: copyOf(content), group, ...(overflow && { overflow }) }
}

/** Records by hand: of a long outage there are so many that a structured clone would stop the event loop. */
function copyOf(content: Content): Content {
  if (content.kind !== 'series') return structuredClone(content)
  const { records, ...about } = content.series
  const copies = records.map((record) =>
    record.errors ? { ...record, errors: { ...record.errors } } : { ...record },
  )
  return { kind: 'series', series: { ...structuredClone(about), records: copies } }
}
