import type { TimeStyle } from '../decode/time'
import { MAX_LATEST_RECORDS } from '../endpoints'
import type { LogEntry } from '../readings/alerts'
import type { Content } from '../readings/content'
import { mergeSeries } from '../readings/merge'
import type { RequestContext } from '../request'
import { type AlertCursor, planAlerts } from './alert-cursor'
import { type Backfill, mergeBackfill, startBackfill } from './backfill'
import { decodeAlerts, decodeRecords } from './decode'
import type { Cursor } from './delivery'
import type { DeviceFailure, ResolvedDevice } from './devices'
import { type AccountAccess, type Collected, fetchAlertLog, fetchRecords, toCollected } from './fetch'
import type { RecordCursor, Start } from './record-cursor'
import { planRecords, type RecordPlan } from './record-plan'
import type { RetainedDelivery } from './retained'

/** New records or alerts of a device. */
export interface PolledData extends Collected {
  /** Older records or alerts were lost, or could not be fetched. */
  overflow?: boolean
  /** Comes back once it is stored. */
  receipt?: string
}

/** What is to be done after an answer. */
export type PollPlan =
  | { kind: 'backfill-needed'; backfill: Backfill }
  | {
      kind: 'complete'
      data: PolledData
      /** Nothing is new; parts that could not be read are still reported. */
      isEmpty: boolean
      /** The cursor once the data is delivered. */
      next: Cursor
      /** The cursor of a device without one, from which the same data is new. */
      before: Cursor
    }

/**
 * Compares an answer with the cursor. It is synchronous, so that no event occurs between the comparison and the
 * transition.
 * @param after sequence that the next cursor has to exceed
 */
export type Planner = (known: Cursor | null, after: number) => PollPlan

/**
 * Requests the latest records or alerts of a device.
 * @throws EnvlogError those of the request and of decoding
 */
export type Feed = (
  account: AccountAccess,
  target: ResolvedDevice,
  requestContext: RequestContext,
) => Promise<Planner>

export interface RecordFeedOptions {
  time: TimeStyle
  /** Whether records between the cursor and an answer are fetched. */
  backfill: boolean
  start: Start
  /** How many records make a response full. */
  newest?: number
}

/** New records (endpoints 2 and 3). */
export function createRecordFeed({
  time,
  backfill,
  start,
  newest = MAX_LATEST_RECORDS,
}: RecordFeedOptions): Feed {
  return async (account, target, requestContext) => {
    const { body, ...answer } = await fetchRecords(account, 'latest', target, {}, requestContext)
    const { part, failed } = decodeRecords(target, { ...answer, body }, { time })
    const series = mergeSeries([part])
    return (cursor, after) => {
      const { receivedAt } = answer
      const sequence = Math.max(receivedAt, after + 1)
      const isFull = series.records.length + failed.length >= newest
      const received = { series, receivedAt, isFull, most: newest, sequence, time }
      const options = { start, canBackfill: backfill }
      const plan = planRecords(cursor as RecordCursor | null, received, options)
      if (plan.kind === 'complete') return toPollPlan(plan, { target, answer, failed, isCutShort: false })
      return { kind: plan.kind, backfill: startBackfill(received, answer, failed, plan, start) }
    }
  }
}

/**
 * The plan for an answer and all records that were fetched before it.
 * @param failed why no more of them could be fetched; empty where they are complete
 */
export function planBackfilled(
  target: ResolvedDevice,
  { received: last, answer, start, paging, failed: unreadable }: Backfill,
  known: Cursor | null,
  failed: readonly DeviceFailure[],
): PollPlan {
  const received = { ...last, series: mergeBackfill({ received: last, paging }) }
  const plan = planRecords(known as RecordCursor | null, received, { start, canBackfill: false, last })
  if (plan.kind !== 'complete') throw new TypeError(plan.kind)
  const context = { target, answer, failed: [...unreadable, ...failed], isCutShort: failed.length > 0 }
  return toPollPlan(plan, context)
}

/** What a plan needs besides the new records. */
interface PlanContext extends Pick<PolledData, 'answer'> {
  target: ResolvedDevice
  failed: readonly DeviceFailure[]
  /** A backfill was given up. */
  isCutShort: boolean
}

function toPollPlan(
  { fresh, overflow, next, before }: Extract<RecordPlan, { kind: 'complete' }>,
  { target, answer, failed, isCutShort }: PlanContext,
): PollPlan {
  const data = {
    ...toCollected(target, answer, { kind: 'series', series: fresh }),
    ...((overflow || isCutShort) && { overflow: true }),
    failed,
  }
  return { kind: 'complete', data, isEmpty: fresh.records.length === 0, next, before }
}

export interface AlertFeedOptions {
  time: TimeStyle
  /** What a node without a cursor delivers: only later alerts, or all that the first answer holds. */
  start: 'now' | 'all'
}

/** New alerts (endpoint 6). */
export function createAlertFeed({ time, start }: AlertFeedOptions): Feed {
  return async (account, target, requestContext) => {
    const { body, ...answer } = await fetchAlertLog(account, target, requestContext)
    return (cursor, after) => {
      const known = cursor as AlertCursor | null
      const sequence = Math.max(answer.receivedAt, after + 1)
      let plan = planAlerts<LogEntry>(known, [], sequence, start)
      const { log, failed } = decodeAlerts(target, { ...answer, body }, time, (entries) => {
        plan = planAlerts(known, entries, sequence, start)
        return plan.fresh
      })
      const { fresh, overflow, next } = plan
      const collected = toCollected(target, answer, { kind: 'alerts', ...log })
      const data = { ...collected, ...(overflow && { overflow }), failed }
      const before: AlertCursor = { seen: [], isFirst: true, sequence: sequence - 1 }
      return { kind: 'complete', data, isEmpty: fresh.length === 0, next, before }
    }
  }
}

/** A copy to retain until the receipt arrives: receivers may change what was sent. */
export function copyToRetain({ answer, content, group, overflow }: PolledData): RetainedDelivery {
  return {
    answer: structuredClone(answer),
    content: copyContent(content),
    group,
    ...(overflow && { overflow }),
  }
}

/** Records are copied by hand: a structured clone of those of a long outage would stop the event loop. */
function copyContent(content: Content): Content {
  if (content.kind !== 'series') return structuredClone(content)
  const { records, ...others } = content.series
  const copies = records.map((record) =>
    record.errors ? { ...record, errors: { ...record.errors } } : { ...record },
  )
  return { kind: 'series', series: { ...structuredClone(others), records: copies } }
}
