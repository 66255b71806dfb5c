import type { Account } from '../account'
import type { Asker } from '../quota/asker'
import { type LogEntry, readAlerts } from '../readings/alerts'
import { mergeSeries } from '../readings/merge'
import { readSeries, type Series } from '../readings/series'
import { formatTime, type TimeStyle } from '../readings/time'
import { type AlertCursor, planAlerts } from './alert-cursor'
import { type Target, targetKey } from './devices'
import { type Cursor, furthest } from './machine'
import type { NodeMemory } from './memory'
import { createPages, readPage } from './range'
import { writeReceipt } from './receipt'
import { cursorBefore, planRecords, type Received, type RecordCursor, type Start } from './record-cursor'
import { type Collected, collectedOf, readRecords, withBase } from './records'

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
  /** Sends it; what it throws leaves the cursor where it was. */
  deliver(news: News): void
  /** The device's clock was set back: nothing can be told to be new. */
  warn(target: Target): void
}

/** A hole on its way: the answer it was seen in, and the pages that came so far. */
interface Hole {
  received: Received
  answer: Collected['answer']
  pages: ReturnType<typeof createPages>
}

/** True where the device's receipt is open: asking it would be for nothing. */
export function isHandedOver(memory: NodeMemory, target: Target, now: number): boolean {
  const device = targetKey(target)
  const { phase } = memory.machine(device)
  if (phase.name !== 'open') return false
  if (now >= phase.until) memory.step(device, { kind: 'timeout' })
  return memory.machine(device).phase.name === 'open'
}

/**
 * The records of a device that were not delivered yet, whole and in order (nodes.md, *envlog-latest*).
 * @throws EnvlogError; the cursor stays then
 */
export async function latestNews(
  account: Account,
  target: Target,
  wish: NewsWish,
  { memory, deliver, warn }: NewsPorts,
  asker: Asker,
): Promise<void> {
  const device = targetKey(target)
  const effect = memory.step(device, { kind: 'trigger' })
  try {
    if (effect === 'ask') await ask()
    if (effect === 'fill') await fill()
  } catch (error) {
    memory.step(device, { kind: 'failed' })
    throw error
  }

  function cursor(): RecordCursor | null {
    return memory.machine(device).cursor as RecordCursor | null
  }

  async function ask(): Promise<void> {
    const answer = await readRecords(account, 'latest', target, {}, asker)
    // Told to forget meanwhile: the next trigger begins anew.
    if (memory.machine(device).phase.name !== 'asking') return
    const series = readSeries(answer.body, wish.time)
    const { receivedAt } = answer
    const received: Received = {
      series,
      receivedAt,
      taken: takenAt(memory, device, receivedAt),
      write: (timestamp) => formatTime(timestamp, wish.time, series.utcOffset),
    }
    const plan = planRecords(cursor(), received, { start: wish.start, fill: true })
    if (plan.kind === 'set-back') {
      if (memory.step(device, { kind: 'set-back' }) === 'warn') warn(target)
    } else if (plan.kind === 'complete') hand(answer, received, plan, false)
    else if (!wish.backfill) complete(answer, received, true)
    else {
      const pages = createPages({ from: plan.from, to: plan.to, number: null })
      const hole: Hole = { received, answer, pages }
      memory.step(device, { kind: 'hole', hole })
      await fill()
    }
  }

  /** The records of the hour may run out on the way: the device fails then, and goes on from here later. */
  async function fill(): Promise<void> {
    const { phase } = memory.machine(device)
    if (phase.name !== 'filling') return
    const { received, answer, pages } = phase.hole as Hole
    let last = answer
    for (let isComplete = false; !isComplete; ) {
      const page = await readPage(account, target, pages, wish.time, { ...asker, recordsWait: 0 })
      last = page.answer
      isComplete = page.isComplete
    }
    // A deploy or `forget` meanwhile began anew.
    if (memory.machine(device).phase.name !== 'filling') return
    const series = mergeSeries([received.series, pages.series()])
    complete(last, { ...received, series }, false)
  }

  function complete(answer: Collected['answer'], received: Received, overflow: boolean): void {
    const plan = planRecords(cursor(), received, { start: wish.start, fill: false })
    const known = cursor()
    if (plan.kind === 'complete') hand(answer, received, plan, overflow)
    // A receipt came meanwhile that is further than this answer: nothing of it is wanted any more.
    else if (known) memory.step(device, { kind: 'answer', next: known })
  }

  function hand(
    answer: Collected['answer'],
    received: Received,
    { fresh, next }: { fresh: Series; next: RecordCursor },
    overflow: boolean,
  ): void {
    if (fresh.records.length === 0) memory.step(device, { kind: 'answer', next })
    else {
      const collected = collectedOf(target, answer, { kind: 'series', series: fresh })
      handOver(
        { ...collected, ...(overflow && { overflow }) },
        { base: cursorBefore(fresh, received, next), next },
        wish,
        device,
        { memory, deliver },
        account,
      )
    }
  }
}

/** The alerts of a device that were not delivered yet (nodes.md, *envlog-alerts*). @throws EnvlogError */
export async function alertNews(
  account: Account,
  target: Target,
  wish: Omit<NewsWish, 'backfill' | 'start'> & { start: 'now' | 'held' },
  { memory, deliver }: NewsPorts,
  asker: Asker,
): Promise<void> {
  const device = targetKey(target)
  if (memory.step(device, { kind: 'trigger' }) !== 'ask') return
  try {
    const params = { 'remote-serial': target.serial, 'base-serial': target.base }
    const answer = await account.client.read('alert', params, asker)
    if (memory.machine(device).phase.name !== 'asking') return
    const known = memory.machine(device).cursor as AlertCursor | null
    const taken = takenAt(memory, device, answer.receivedAt)
    let plan = planAlerts<LogEntry>(known, [], taken, wish.start)
    const log = readAlerts(withBase(answer.body, target), wish.time, (entries) => {
      plan = planAlerts(known, entries, taken, wish.start)
      return plan.fresh
    })
    const { fresh, overflow, next } = plan
    if (fresh.length === 0) memory.step(device, { kind: 'answer', next })
    else {
      const collected = collectedOf(target, answer, { kind: 'alerts', ...log })
      handOver(
        { ...collected, ...(overflow && { overflow }) },
        { base: { seen: [], taken: next.taken - 1 } as AlertCursor, next },
        wish,
        device,
        { memory, deliver },
        account,
      )
    }
  } catch (error) {
    memory.step(device, { kind: 'failed' })
    throw error
  }
}

/** Each cursor is later than the one before, also where the clock was set back. */
function takenAt(memory: NodeMemory, device: string, receivedAt: number): number {
  return Math.max(receivedAt, furthest(memory.machine(device)) + 1)
}

function handOver(
  news: News,
  { base, next }: { base: Cursor; next: Cursor },
  { acknowledged, node }: Pick<NewsWish, 'acknowledged' | 'node'>,
  device: string,
  { memory, deliver }: Pick<NewsPorts, 'memory' | 'deliver'>,
  account: Account,
): void {
  if (!acknowledged) {
    deliver(news)
    memory.step(device, { kind: 'sent', next })
    return
  }
  // Open before it is delivered: the receipt may come back while it is.
  const until = account.monotonic() + acknowledged.timeout
  memory.step(device, { kind: 'handed-over', base, next, until })
  try {
    deliver({ ...news, receipt: writeReceipt({ node, device, cursor: next }) })
  } catch (error) {
    memory.step(device, { kind: 'timeout' })
    throw error
  }
}
