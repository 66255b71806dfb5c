/**
 * Polls one device for new records or alerts: requests what the state of its delivery (`delivery.ts`) says, compares
 * the answer with the cursor (`feeds.ts`), and delivers what is new, with a receipt or without.
 */

import { orClosed } from '../abort'
import type { EnvlogError } from '../errors'
import { countOf } from '../readings/content'
import type { RequestContext } from '../request'
import { fetchBackfillPage } from './backfill'
import { type Cursor, classifyFailure, type DeliveryEffect, latestSequence } from './delivery'
import type { DeviceEvent } from './device-states'
import { type DeviceFailure, deviceKey, type ResolvedDevice } from './devices'
import {
  type AlertFeedOptions,
  copyToRetain,
  createAlertFeed,
  createRecordFeed,
  type Feed,
  type PolledData,
  type PollPlan,
  planBackfilled,
  type RecordFeedOptions,
} from './feeds'
import type { AccountAccess } from './fetch'
import type { NodeState } from './node-state'
import { writeReceipt } from './receipt'
import type { DeviceDeliveryState } from './retained'

export interface DeliveryOptions {
  /** The id of the node, for its receipts. */
  node: string
  /** How long a receipt is awaited; `null` where what was sent counts as delivered. */
  receipts: { timeoutMs: number } | null
}

export type PollOptions = RecordFeedOptions & DeliveryOptions

export interface PollPorts {
  nodeState: NodeState
  /**
   * Sends the data, or only reports what failed where nothing is new. The cursor stays where it throws.
   */
  deliver(data: PolledData, isEmpty?: boolean): Promise<void>
}

/** One poll of one device. */
interface Poll {
  account: AccountAccess
  target: ResolvedDevice
  feed: Feed
  options: DeliveryOptions
  ports: PollPorts
  context: RequestContext
}

/**
 * Delivers the records of a device that were not delivered yet, complete and in order (docs/collecting.md, *Records*).
 * @throws EnvlogError those of requests, of decoding and of `deliver`; the cursor stays then
 */
export function pollRecords(
  account: AccountAccess,
  target: ResolvedDevice,
  options: PollOptions,
  ports: PollPorts,
  context: RequestContext,
): Promise<void> {
  return run({ account, target, feed: createRecordFeed(options), options, ports, context })
}

/**
 * Delivers the alerts of a device that were not delivered yet (docs/collecting.md, *Alerts*).
 * @throws EnvlogError those of requests, of decoding and of `deliver`; the cursor stays then
 */
export function pollAlerts(
  account: AccountAccess,
  target: ResolvedDevice,
  options: AlertFeedOptions & DeliveryOptions,
  ports: PollPorts,
  context: RequestContext,
): Promise<void> {
  return run({ account, target, feed: createAlertFeed(options), options, ports, context })
}

/** Whether a receipt of the device is awaited, so that it is not to be polled. @param now monotonic ms */
export function isAwaitingReceipt(state: NodeState, target: ResolvedDevice, now: number): boolean {
  const device = deviceKey(target)
  const { phase } = state.delivery(device)
  if (phase.name !== 'awaiting-receipt') return false
  if (now < phase.overdueAt) return true
  state.dispatch(device, { kind: 'receipt-overdue' })
  return false
}

/** Carries out one effect after the other, until nothing is left to do. */
async function run(poll: Poll): Promise<void> {
  const { account, target, ports } = poll
  try {
    let effect: DeliveryEffect | undefined = step(poll, { kind: 'trigger' })
    while (effect) effect = await carryOut(poll, effect)
  } catch (error) {
    const now = account.monotonic()
    const canRetain = ports.nodeState.canRetain(deviceKey(target))
    const effect = step(poll, { kind: 'failed', failureKind: classifyFailure(error), now, canRetain })
    if (effect !== 'give-up-backfill') throw error
    const { serial, base } = target
    const reported = (error as EnvlogError).with({ serial, base })
    await deliverBackfill(poll, [{ device: { serial, base }, error: reported }])
  }
}

/** Returns what is to be done next; `undefined` where nothing is. */
async function carryOut(poll: Poll, effect: DeliveryEffect): Promise<DeliveryEffect | undefined> {
  switch (effect) {
    case 'request':
      return request(poll)
    case 'request-page':
      return requestPage(poll)
    case 'deliver-backfill':
      return deliverBackfill(poll, [])
    case 'redeliver':
      return redeliver(poll)
    default:
      return undefined
  }
}

const stateOf = ({ ports, target }: Poll): DeviceDeliveryState => ports.nodeState.delivery(deviceKey(target))
const step = ({ ports, target }: Poll, event: DeviceEvent) =>
  ports.nodeState.dispatch(deviceKey(target), event)

async function request(poll: Poll): Promise<DeliveryEffect | undefined> {
  const { account, target, feed, context } = poll
  const plan = await feed(account, target, context)
  const state = stateOf(poll)
  // A `forget` was received meanwhile: the next trigger starts over.
  if (state.phase.name !== 'requesting') return undefined
  return follow(poll, plan(state.cursor, latestSequence(state)))
}

async function requestPage(poll: Poll): Promise<DeliveryEffect | undefined> {
  const { account, target, context } = poll
  const { phase } = stateOf(poll)
  if (phase.name !== 'backfilling') return undefined
  const backfill = await fetchBackfillPage(account, target, phase.backfill, context)
  // A `forget` was received meanwhile.
  if (stateOf(poll).phase !== phase) return undefined
  return step(poll, { kind: 'page-received', backfill, isLast: backfill.paging.isComplete })
}

/** @param failed why no more could be fetched; empty where the backfill is complete */
async function deliverBackfill(
  poll: Poll,
  failed: readonly DeviceFailure[],
): Promise<DeliveryEffect | undefined> {
  const { phase, cursor } = stateOf(poll)
  if (phase.name !== 'backfilling') return undefined
  return follow(poll, planBackfilled(poll.target, phase.backfill, cursor, failed))
}

async function follow(poll: Poll, plan: PollPlan): Promise<DeliveryEffect | undefined> {
  if (plan.kind !== 'complete') return step(poll, plan)
  const { data, next, before } = plan
  if (!plan.isEmpty) return deliver(poll, data, before, next)
  step(poll, { kind: 'nothing-new', next })
  if (data.failed && data.failed.length > 0) await poll.ports.deliver(data, true)
  return undefined
}

/** Delivers data, with a receipt where the node awaits them. */
async function deliver(poll: Poll, data: PolledData, before: Cursor, next: Cursor): Promise<undefined> {
  const { account, target, options, ports, context } = poll
  const { node, receipts } = options
  if (!receipts) {
    await ports.deliver(data)
    step(poll, { kind: 'delivered', next })
    return
  }
  const device = deviceKey(target)
  step(poll, { kind: 'before-receipt', before })
  const { phase } = stateOf(poll)
  const retained = ports.nodeState.canRetain(device, countOf(data.content)) ? copyToRetain(data) : null
  function issue(timeoutMs: number): void {
    step(poll, { kind: 'receipt-issued', next, overdueAt: account.monotonic() + timeoutMs, retained })
  }
  try {
    // A device of which the store knows nothing after a crash would start over, and what came meanwhile be lost.
    if (!ports.nodeState.isSaved(device)) await orClosed(ports.nodeState.saved(device), context.signal)
    // A `forget` was received meanwhile.
    if (stateOf(poll).phase !== phase) return
    // Before sending, because the receipt may be returned during it.
    issue(receipts.timeoutMs)
    const receipt = writeReceipt({ node, device, cursor: next }, ports.nodeState.receiptKey())
    await ports.deliver({ ...data, receipt })
    step(poll, { kind: 'handed-over', next })
  } catch (error) {
    // What was received is kept, also where the wait has ended early.
    if (stateOf(poll).phase === phase) issue(0)
    step(poll, { kind: 'receipt-overdue' })
    throw error
  }
}

/** Delivers again what was not acknowledged, under a new receipt and without a request. */
async function redeliver(poll: Poll): Promise<undefined> {
  const state = stateOf(poll)
  if (state.phase.name !== 'receipt-overdue') return
  const next = { ...state.phase.next, sequence: latestSequence(state) + 1 }
  // A deploy may have changed whether the name of the group is wanted.
  const data = { ...state.phase.retained, group: poll.target.group ?? '' }
  await deliver(poll, data, next, next)
}
