/**
 * Polls one device for new records or alerts: requests what the state of its delivery (`delivery.ts`) says, compares
 * the answer with the cursor (`feeds.ts`), and delivers what is new, with a receipt or without.
 */

import type { EnvlogError } from '../errors'
import { countOf } from '../output/content'
import type { Asker } from '../quota/asker'
import { fetchNextPage } from './backfill'
import { type Cursor, type Effect, failureOf, furthest } from './delivery'
import type { Device, Happening } from './device-states'
import { type DeviceFailure, type Target, targetKey } from './devices'
import {
  alertFeed,
  type Feed,
  keptOf,
  type News,
  type Plan,
  planFilled,
  type RecordOptions,
  recordFeed,
} from './feeds'
import type { AccountAccess } from './fetch'
import type { NodeMemory } from './node-state'
import { writeReceipt } from './receipt'

/** How what is new is delivered. */
export interface DeliveryOptions {
  /** The id of the node, for its receipts. */
  node: string
  /** With receipts: how long one is awaited, ms. */
  acknowledged: { timeout: number } | null
}

export type NewsWish = RecordOptions & DeliveryOptions

export interface NewsPorts {
  memory: NodeMemory
  /** Sends it; what it throws leaves the cursor where it was. Where it is nothing, only what failed is reported. */
  deliver(news: News, isNothing?: boolean): Promise<void>
  /** The device's clock was set back: the node goes on with what came after, or nothing can be told to be new. */
  warn(target: Target, what: 'goes-on' | 'stops'): void
}

/** One poll of one device. */
interface Poll {
  account: AccountAccess
  target: Target
  feed: Feed
  options: DeliveryOptions
  ports: NewsPorts
  asker: Asker
}

/**
 * Delivers the records of a device that were not delivered yet, whole and in order (docs/collecting.md, *Records*).
 * @throws EnvlogError those of requests, of decoding and of `deliver`; the cursor stays then
 */
export function latestNews(
  account: AccountAccess,
  target: Target,
  wish: NewsWish,
  ports: NewsPorts,
  asker: Asker,
): Promise<void> {
  return run({ account, target, feed: recordFeed(wish), options: wish, ports, asker })
}

/**
 * Delivers the alerts of a device that were not delivered yet (docs/collecting.md, *Alerts*).
 * @throws EnvlogError those of requests, of decoding and of `deliver`; the cursor stays then
 */
export function alertNews(
  account: AccountAccess,
  target: Target,
  wish: Parameters<typeof alertFeed>[0] & DeliveryOptions,
  ports: NewsPorts,
  asker: Asker,
): Promise<void> {
  return run({ account, target, feed: alertFeed(wish), options: wish, ports, asker })
}

/** True where the device's receipt is awaited: a request would be for nothing. @param now monotonic ms */
export function isHandedOver(memory: NodeMemory, target: Target, now: number): boolean {
  const device = targetKey(target)
  const { phase } = memory.machine(device)
  if (phase.name !== 'open') return false
  if (now >= phase.until) memory.step(device, { kind: 'timeout' })
  return memory.machine(device).phase.name === 'open'
}

/** Carries out what the state of the delivery says, until nothing is left to do. */
async function run(poll: Poll): Promise<void> {
  const { account, target, ports } = poll
  try {
    let effect: Effect | undefined = step(poll, { kind: 'trigger' })
    while (effect) effect = await carryOut(poll, effect)
  } catch (error) {
    const fits = ports.memory.fits(targetKey(target))
    const failed = { kind: 'failed', failure: failureOf(error), now: account.monotonic(), fits } as const
    if (step(poll, failed) !== 'give-up') throw error
    // What is missing will not come: what there is must not wait for it for good.
    const { serial, base } = target
    await deliverFilled(poll, [
      { device: { serial, base }, error: (error as EnvlogError).with({ serial, base }) },
    ])
  }
}

/** Returns what is to be done next, if there is something. */
async function carryOut(poll: Poll, effect: Effect): Promise<Effect | undefined> {
  switch (effect) {
    case 'ask':
      return request(poll)
    case 'fill':
      return requestPage(poll)
    case 'deliver':
      return deliverFilled(poll, [])
    case 'again':
      return deliverAgain(poll)
    case 'warn':
      poll.ports.warn(poll.target, 'stops')
      return undefined
    default:
      return undefined
  }
}

const stateOf = ({ ports, target }: Poll): Device => ports.memory.machine(targetKey(target))
const step = ({ ports, target }: Poll, event: Happening) => ports.memory.step(targetKey(target), event)

async function request(poll: Poll): Promise<Effect | undefined> {
  const { account, target, feed, asker } = poll
  const plan = await feed(account, target, asker)
  const state = stateOf(poll)
  // Told to forget meanwhile: the next trigger begins again.
  if (state.phase.name !== 'asking') return undefined
  return follow(poll, plan(state.cursor, furthest(state)))
}

async function requestPage(poll: Poll): Promise<Effect | undefined> {
  const { account, target, asker } = poll
  const { phase } = stateOf(poll)
  if (phase.name !== 'filling') return undefined
  const hole = await fetchNextPage(account, target, phase.hole, asker)
  // Told to forget meanwhile.
  if (stateOf(poll).phase !== phase) return undefined
  return step(poll, { kind: 'page', hole, isLast: hole.paging.isComplete })
}

/** @param failed why no more could be fetched */
async function deliverFilled(poll: Poll, failed: readonly DeviceFailure[]): Promise<Effect | undefined> {
  const { phase, cursor } = stateOf(poll)
  if (phase.name !== 'filling') return undefined
  return follow(poll, planFilled(poll.target, phase.hole, cursor, failed))
}

async function follow(poll: Poll, plan: Plan): Promise<Effect | undefined> {
  if (plan.kind !== 'complete') return step(poll, plan)
  const { news, next, base } = plan
  if (plan.isSetBack) poll.ports.warn(poll.target, 'goes-on')
  if (!plan.isEmpty) return handOver(poll, news, { base, next })
  step(poll, { kind: 'answer', next })
  if (news.failed && news.failed.length > 0) await poll.ports.deliver(news, true)
  return undefined
}

/** Delivers what is new, which is done with then, or when the receipt comes that goes with it. */
async function handOver(
  poll: Poll,
  news: News,
  { base, next }: { base: Cursor; next: Cursor },
): Promise<undefined> {
  const { account, target, options, ports } = poll
  const { node, acknowledged } = options
  if (!acknowledged) {
    await ports.deliver(news)
    step(poll, { kind: 'sent', next })
    return
  }
  // Open before it is delivered: the receipt may come back while it is.
  const device = targetKey(target)
  const until = account.monotonic() + acknowledged.timeout
  const kept = ports.memory.fits(device, countOf(news.content)) ? keptOf(news) : null
  step(poll, { kind: 'handed-over', base, next, until, news: kept })
  const receipt = writeReceipt({ node, device, cursor: next }, ports.memory.key())
  try {
    await ports.deliver({ ...news, receipt })
  } catch (error) {
    step(poll, { kind: 'timeout' })
    throw error
  }
}

/** Delivers once more, under a new receipt and without a request, what nobody acknowledged. */
async function deliverAgain(poll: Poll): Promise<undefined> {
  const state = stateOf(poll)
  if (state.phase.name !== 'unanswered') return
  const next = { ...state.phase.next, taken: furthest(state) + 1 }
  // Whether its group is wanted may have changed with a deploy.
  const news = { ...state.phase.news, group: poll.target.group ?? '' }
  await handOver(poll, news, { base: next, next })
}
