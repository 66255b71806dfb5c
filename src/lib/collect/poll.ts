/**
 * Polls one device for records or alerts that were not delivered yet (docs/collecting.md): requests the newest ones,
 * compares them with the cursor, fetches missing records, delivers, and advances the cursor.
 */

import { orClosed } from '../abort'
import type { GraphEnvelope } from '../decode/envelopes'
import type { TimeStyle } from '../decode/time'
import { MAX_LATEST_RECORDS } from '../endpoints'
import type { EnvlogError } from '../errors'
import { readLogEntries, toAlertLog } from '../readings/alerts'
import { copyContent, countOf } from '../readings/content'
import { mergeSeries } from '../readings/merge'
import { readSeriesPart } from '../readings/series'
import type { RequestContext } from '../request'
import { planAlerts } from './alert-cursor'
import { type Backfill, fetchBackfillPage } from './backfill'
import type { AlertCursor, Cursor, RecordCursor } from './cursor'
import type { DeviceState, RetainedDelivery } from './device-state'
import { type DeviceFailure, deviceKey, type ResolvedDevice } from './devices'
import { type AccountAccess, fetchDecoded, type PolledData, toCollected } from './fetch'
import type { NodeState } from './node-state'
import { OVERLAP_MS, startPaging } from './pages'
import { areFarAhead, planRecords, type RecordPlan, type Start } from './record-plan'
import { writeReceipt } from './signed-receipt'

/** The trigger of a node for which devices are polled. If receipts are used, its state has their timeout. */
export interface PollRun {
  account: AccountAccess
  nodeState: NodeState
  nodeId: string
  time: TimeStyle
  /**
   * Sends the data and reports its failures; with `isEmpty`, it only reports failures. If it throws, the cursor does
   * not change.
   */
  deliver(data: PolledData, isEmpty?: boolean): Promise<void>
}

export interface PollOptions {
  start: Start
  /** Whether to fetch records between the cursor and a response. */
  backfill: boolean
  /** Number of records in a full response. */
  newest?: number
}

/** A poll of one device. */
interface Poll {
  run: PollRun
  target: ResolvedDevice
  context: RequestContext
  device: DeviceState
  /** Whether it was superseded by `forget`, `skip` or a deploy, so that it must not change anything. */
  isOver(): boolean
}

/** Data that is about to be delivered. */
interface Delivery {
  data: PolledData
  /** The cursor after delivery. */
  next: Cursor
  /** The cursor to save for a device that has none yet. Compared with it, the same data is new again. */
  before: Cursor
}

/**
 * Delivers the new records of a device that does not await a receipt, completely and in order (docs/collecting.md,
 * *Records*).
 * @throws EnvlogError if a request, decoding or `deliver` fails; the cursor then does not change
 */
export async function pollRecords(
  run: PollRun,
  target: ResolvedDevice,
  options: PollOptions,
  context: RequestContext,
): Promise<void> {
  const poll = begin(run, target, context)
  const { device, isOver } = poll
  if (device.overdue) return redeliver(poll, device.overdue)
  try {
    if (!device.backfill.current) {
      const { plan, response, received, failed } = await requestNewest(poll, options)
      if (isOver()) return
      if (plan.kind === 'complete') {
        await deliver(poll, toDelivery(plan, { target, response, failed }))
        return
      }
      const paging = startPaging({ from: plan.from, to: plan.to + OVERLAP_MS, number: null }, plan.to)
      device.backfill.current = { received, response, failed, paging }
    }
    const failed = await fetchMissing(poll)
    if (isOver() || !device.backfill.current) return
    await deliver(poll, planBackfilled(poll, device.backfill.current, options.start, failed))
  } catch (error) {
    if (!isOver() && !run.nodeState.canRetain(device)) device.backfill.current = null
    throw error
  }
}

/**
 * Delivers the new alerts of a device that does not await a receipt (docs/collecting.md, *Alerts*).
 * @param start whether all alerts of a first response are delivered, or only those of later ones
 * @throws EnvlogError if a request, decoding or `deliver` fails; the cursor then does not change
 */
export async function pollAlerts(
  run: PollRun,
  target: ResolvedDevice,
  start: 'now' | 'all',
  context: RequestContext,
): Promise<void> {
  const poll = begin(run, target, context)
  const { device } = poll
  if (device.overdue) return redeliver(poll, device.overdue)
  const fetched = await fetchDecoded(run.account, 'alert', target, {}, context, readLogEntries)
  if (poll.isOver()) return
  const { response, body, entries, failed } = fetched
  const { cursor, latestSequence } = device
  const sequence = Math.max(response.receivedAt, latestSequence + 1)
  const plan = planAlerts(cursor as AlertCursor | null, entries, sequence, start)
  const log = toAlertLog(body, plan.fresh, run.time)
  const collected = toCollected(target, response, { kind: 'alerts', ...log })
  await deliver(poll, {
    data: { ...collected, ...(plan.overflow && { overflow: true }), failed },
    next: plan.next,
    before: { seen: [], isFirst: true, sequence: sequence - 1 } as AlertCursor,
  })
}

function begin(run: PollRun, target: ResolvedDevice, context: RequestContext): Poll {
  const device = run.nodeState.device(deviceKey(target))
  return { run, target, context, device, isOver: device.beginPoll() }
}

/** Requests the newest records and compares them with the cursor as it is when they arrive. */
async function requestNewest(poll: Poll, options: PollOptions) {
  const { run, target, context, device } = poll
  const { start, backfill, newest = MAX_LATEST_RECORDS } = options
  const { account, time } = run
  const read = (body: GraphEnvelope) => readSeriesPart(body, time)
  const { response, body, part, failed } = await fetchDecoded(account, 'latest', target, {}, context, read)
  const series = mergeSeries([part])
  const { receivedAt } = response
  // The number includes unreadable records.
  const isFull = body.records.length >= newest
  device.isFarAhead = isFull && areFarAhead(series, receivedAt)
  const sequence = Math.max(receivedAt, device.latestSequence + 1)
  const received = { series, receivedAt, isFull, most: newest, sequence, time }
  const plan = planRecords(device.cursor as RecordCursor | null, received, { start, canBackfill: backfill })
  return { plan, response, received, failed }
}

/**
 * Fetches the missing pages of the backfill.
 * @returns the failure that ended the backfill early; empty if it is complete
 * @throws EnvlogError if a request or decoding fails; the next trigger continues with the same page
 */
async function fetchMissing({ run, target, context, device, isOver }: Poll): Promise<DeviceFailure[]> {
  const { account, nodeState } = run
  try {
    while (device.backfill.current && !device.backfill.current.paging.isComplete) {
      const backfill = await fetchBackfillPage(account, target, device.backfill.current, context)
      if (isOver()) return []
      device.backfill.addPage(backfill)
    }
    return []
  } catch (error) {
    if (isOver()) throw error
    const mustGiveUp = device.backfill.fail(error, account.monotonic())
    nodeState.save()
    if (!mustGiveUp) throw error
    const { serial, base } = target
    return [{ device: { serial, base }, error: (error as EnvlogError).with({ serial, base }) }]
  }
}

/** @param failed the failure that ended the backfill early; empty if it is complete */
function planBackfilled(
  { target, device }: Poll,
  { received, response, paging, failed: unreadable }: Backfill,
  start: Start,
  failed: readonly DeviceFailure[],
): Delivery {
  const complete = { ...received, series: mergeSeries([received.series, ...paging.parts]) }
  const cursor = device.cursor as RecordCursor | null
  const plan = planRecords(cursor, complete, { start, canBackfill: false, alone: received })
  if (plan.kind !== 'complete') throw new TypeError(plan.kind)
  const overflow = plan.overflow || failed.length > 0
  return toDelivery({ ...plan, overflow }, { target, response, failed: [...unreadable, ...failed] })
}

function toDelivery(
  { fresh, overflow, next, before }: Extract<RecordPlan, { kind: 'complete' }>,
  { target, response, failed }: Pick<Backfill, 'response' | 'failed'> & { target: ResolvedDevice },
): Delivery {
  const collected = toCollected(target, response, { kind: 'series', series: fresh })
  const data = { ...collected, ...(overflow && { overflow }), failed }
  return { data, next, before }
}

async function deliver(poll: Poll, delivery: Delivery): Promise<void> {
  const { device, run, isOver } = poll
  const { data, next } = delivery
  if (countOf(data.content) === 0) {
    device.advance(next)
    // Unreadable parts are reported even if there is nothing to send.
    if (data.failed && data.failed.length > 0) await run.deliver(data, true)
    return
  }
  const { receiptTimeoutMs } = run.nodeState
  if (receiptTimeoutMs !== null) return deliverWithReceipt(poll, delivery, receiptTimeoutMs)
  await run.deliver(data)
  if (!isOver()) device.advance(next)
}

async function deliverWithReceipt(
  { run, target, device, context }: Poll,
  { data, next, before }: Delivery,
  timeoutMs: number,
): Promise<void> {
  const { nodeState, nodeId: node, account } = run
  const canRetain = nodeState.canRetain(device, countOf(data.content))
  device.issue(next, before, canRetain ? copyToRetain(data) : null)
  const { cursor } = device
  try {
    // If the store did not contain the cursor after a crash, the device would start over, and records from that time
    // would be lost.
    if (!device.isSaved && (await orClosed(nodeState.written(), context.signal)))
      device.isSaved = device.cursor === cursor
    // The receipt may arrive during the call of `deliver`.
    if (!device.awaitReceipt(next, account.monotonic() + timeoutMs)) return
    const receipt = writeReceipt({ node, device: deviceKey(target), cursor: next }, nodeState.receiptKey)
    await run.deliver({ ...data, receipt })
    device.markSent(next)
  } catch (error) {
    device.awaitReceipt(next)
    throw error
  }
}

/** Repeats a delivery that was not acknowledged, with a new receipt and without a request. */
async function redeliver(
  poll: Poll,
  { next: last, retained }: { next: Cursor; retained: RetainedDelivery },
): Promise<void> {
  const { device, target } = poll
  const next = { ...last, sequence: device.latestSequence + 1 }
  // A deploy may have changed whether the group's name is included.
  const data = { ...retained, group: target.group ?? '' }
  await deliver(poll, { data, next, before: next })
}

/** A copy to retain until the receipt arrives, because receivers may modify the original. */
function copyToRetain({ response, content, group, overflow }: PolledData): RetainedDelivery {
  return {
    response: structuredClone(response),
    content: copyContent(content),
    group,
    ...(overflow && { overflow }),
  }
}
