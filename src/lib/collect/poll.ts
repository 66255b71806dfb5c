/**
 * Polls one device for records or alerts that were not delivered yet (docs/collecting.md): requests the newest ones,
 * compares them with the cursor, delivers what is new, and advances the cursor.
 */

import { MAX_LATEST_RECORDS } from '../endpoints'
import { readLogEntries, toAlertLog } from '../readings/alerts'
import type { RequestContext } from '../request'
import { planAlerts } from './alert-plan'
import type { AlertCursor, RecordCursor, Start } from './cursor'
import { beginPoll, deliver, type PollRun, redeliver } from './deliver'
import type { ResolvedDevice } from './devices'
import { fetchDecoded, fetchLatest, toCollected } from './fetch'
import { areAhead, planRecords } from './record-plan'

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
  if (device.overdue) return redeliver(poll, device.overdue)
  const { account, time } = run
  const { response, series, failed } = await fetchLatest(account, target, time, context)
  if (poll.isOver()) return
  const { receivedAt } = response
  device.isAhead = areAhead(series, receivedAt)
  device.utcOffset = series.utcOffset
  const received = { series, receivedAt, most: newest, time }
  const plan = planRecords(device.cursor as RecordCursor | null, received, { start, backfill })
  const { fresh, overflow, lost, next, before } = plan
  if (lost) run.reportLoss(target, lost)
  const collected = toCollected(target, response, { kind: 'series', series: fresh })
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
  const fetched = await fetchDecoded(run.account, { kind: 'alerts', target }, context, readLogEntries)
  if (poll.isOver()) return
  const { response, body, entries, failed } = fetched
  const { fresh, overflow, next } = planAlerts(device.cursor as AlertCursor | null, entries, start)
  if (overflow) run.reportLoss(target)
  const log = toAlertLog(body, fresh, run.time)
  const collected = toCollected(target, response, { kind: 'alerts', ...log })
  const before: AlertCursor = { seen: [], isFirst: true }
  await deliver(poll, { ...collected, ...(overflow && { overflow }), failed }, next, before)
}
