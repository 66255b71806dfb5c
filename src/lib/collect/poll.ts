/**
 * Polls one device for records or alerts that were not delivered yet (docs/collecting.md): requests the newest ones,
 * compares them with the cursor, delivers what is new, and advances the cursor.
 */

import { orClosed } from '../abort'
import type { TimeStyle } from '../decode/time'
import { MAX_LATEST_RECORDS } from '../endpoints'
import { toAlertLog } from '../readings/alerts'
import { copyContent, countOf } from '../readings/content'
import type { RequestContext } from '../request'
import { planAlerts } from './alert-plan'
import type { RetainedDelivery } from './awaited-delivery'
import type { AlertCursor, Cursor, RecordCursor, Start } from './cursor'
import type { DeviceState } from './device-state'
import { deviceKey, type ResolvedDevice } from './devices'
import { type AccountAccess, type Delivery, fetchAlerts, fetchLatest, toCollected } from './fetch'
import type { LostPeriod } from './holes'
import { areAhead } from './known-records'
import type { NodeState } from './node-state'
import { writeReceipt } from './receipt'
import { planRecords } from './record-plan'

/** The trigger of a node for which devices are polled. If receipts are used, its state has their timeout. */
export interface PollRun {
  account: AccountAccess
  nodeState: NodeState
  nodeId: string
  time: TimeStyle
  /** Reports that records or alerts were lost. @param lost bounds of their times, if they are known */
  reportLoss(device: ResolvedDevice, lost?: LostPeriod): void
  /** Reports that all newest records are ahead of the clock, so that they hide the current ones. */
  reportAhead(device: ResolvedDevice): void
  /**
   * Sends the data and reports its failures; with `isEmpty`, it only reports failures. If it throws, the cursor does
   * not change.
   */
  deliver(data: Delivery, isEmpty?: boolean): Promise<void>
}

/** A poll of one device. */
export interface Poll {
  run: PollRun
  target: ResolvedDevice
  context: RequestContext
  device: DeviceState
  /** Whether it was superseded by `forget`, `skip` or a deploy, so that it must not change anything. */
  isOver(): boolean
}

export function beginPoll(run: PollRun, target: ResolvedDevice, context: RequestContext): Poll {
  const device = run.nodeState.devices.get(deviceKey(target))
  return { run, target, context, device, isOver: device.beginPoll() }
}

export interface PollOptions {
  start: Start
  /** Whether missing records are fetched, by `fillHoles`. */
  backfill: boolean
  /** Number of records in a full response. */
  newest?: number
}

/**
 * Delivers the new records of a device that does not await a receipt (docs/collecting.md, *Records*).
 * @throws EnvlogError if a request, decoding or `deliver` fails; the cursor then does not change
 */
export async function pollRecords(
  run: PollRun,
  target: ResolvedDevice,
  { start, backfill, newest = MAX_LATEST_RECORDS }: PollOptions,
  context: RequestContext,
): Promise<void> {
  const poll = beginPoll(run, target, context)
  const { device } = poll
  if (!device.dropPage(run.nodeState.clock.now()) && device.overdue) return redeliver(poll, device.overdue)
  const { account, time } = run
  const { response, series, failed } = await fetchLatest(account, target, time, context)
  if (poll.isOver()) return
  const { receivedAt } = response
  if (areAhead(series.records, receivedAt)) run.reportAhead(target)
  device.pages.setUtcOffset(series.utcOffset)
  const received = { series, receivedAt, most: newest, time }
  const plan = planRecords(device.cursor as RecordCursor | null, received, { start, backfill })
  const { fresh, overflow, lost, next, before } = plan
  if (lost) run.reportLoss(target, lost)
  const collected = toCollected(account, target, response, { kind: 'series', series: fresh })
  await deliver(poll, { ...collected, ...(overflow && { overflow }), failed }, next, before)
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
  const poll = beginPoll(run, target, context)
  const { device } = poll
  if (device.overdue) return redeliver(poll, device.overdue)
  const { response, body, entries, failed } = await fetchAlerts(run.account, target, context)
  if (poll.isOver()) return
  const { fresh, overflow, next } = planAlerts(device.cursor as AlertCursor | null, entries, start)
  if (overflow) run.reportLoss(target)
  const log = toAlertLog(body, fresh, run.time)
  const collected = toCollected(run.account, target, response, { kind: 'alerts', ...log })
  const before: AlertCursor = { seen: [], isFirst: true }
  await deliver(poll, { ...collected, ...(overflow && { overflow }), failed }, next, before)
}

/**
 * Delivers data and advances the cursor: at once or, with receipts, when the receipt arrives.
 * @param next the cursor after delivery
 * @param before the cursor to save for a device that has none yet: compared with it, the same data is new again
 */
export async function deliver(poll: Poll, data: Delivery, next: Cursor, before = next): Promise<void> {
  const { device, run, context, isOver } = poll
  const { nodeState } = run
  const count = countOf(data.content)
  if (count === 0) {
    // A delivery without a receipt still has to be acknowledged, or to be requested again.
    if (next !== device.cursor) {
      const isFirst = device.cursor === null
      device.advance(next)
      // After a crash, the device would start over, and records from that time would be lost.
      if (isFirst && nodeState.receiptTimeoutMs !== null) await orClosed(nodeState.written(), context.signal)
    }
    // Unreadable parts are reported even if there is nothing to send.
    if (data.failed && data.failed.length > 0) await run.deliver(data, true)
    return
  }
  if (nodeState.receiptTimeoutMs === null) {
    await run.deliver(data)
    if (!isOver()) device.advance(next)
    return
  }
  const retained = nodeState.canRetain(device, count) ? copyToRetain(data) : null
  const issuedAt = device.issue(next, before, retained, nodeState.clock.now())
  await sendWithReceipt(poll, data, issuedAt)
}

/** Repeats a delivery whose receipt is overdue, with the same receipt and without a request. */
async function redeliver(
  poll: Poll,
  { issuedAt, retained }: { issuedAt: number; retained: RetainedDelivery },
): Promise<void> {
  const { run, target } = poll
  // The list of devices may have arrived or changed since then.
  const group = run.account.devices.groupOf(target)
  const data = { ...retained, content: copyContent(retained.content), group }
  await sendWithReceipt(poll, data, issuedAt)
}

async function sendWithReceipt(
  { run, target, device, context }: Poll,
  data: Delivery,
  issuedAt: number,
): Promise<void> {
  const { nodeState, nodeId } = run
  try {
    // If the store did not contain the cursor after a crash, the device would start over, and records from that time
    // would be lost.
    if (!device.isSaved) await orClosed(nodeState.written(), context.signal)
    // The receipt may arrive during the call of `deliver`.
    if (!device.awaitReceipt(issuedAt, nodeState.clock.monotonic() + (nodeState.receiptTimeoutMs ?? 0)))
      return
    const receipt = writeReceipt(nodeId, { device: deviceKey(target), issuedAt })
    await run.deliver({ ...data, receipt })
    device.markSent(issuedAt)
  } catch (error) {
    device.awaitReceipt(issuedAt)
    throw error
  }
}

/** A copy to retain until the receipt arrives, because receivers may modify the original. */
function copyToRetain({ response, content, group, overflow, backfill }: Delivery): RetainedDelivery {
  return {
    response: structuredClone(response),
    content: copyContent(content),
    group,
    ...(overflow && { overflow }),
    ...(backfill && { backfill }),
  }
}
