import type { TimeStyle } from '../decode/time'
import type { Content } from '../output/content'
import type { RequestContext } from '../quota/types'
import type { LogEntry } from '../readings/alerts'
import { mergeSeries } from '../readings/merge'
import type { Series } from '../readings/series'
import { type AlertCursor, planAlerts } from './alert-cursor'
import { type Backfill, mergeBackfill, startBackfill } from './backfill'
import { decodeAlerts, decodeRecords } from './decode'
import type { Cursor } from './delivery'
import type { DeviceFailure, ResolvedDevice } from './devices'
import {
  type AccountAccess,
  type Collected,
  fetchAlertLog,
  fetchLatestUnlessKnown,
  toCollected,
} from './fetch'
import { isSameBeyondSequence } from './persisted-state'
import { createCursorBefore, type ReceivedRecords, type RecordCursor, type Start } from './record-cursor'
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
  /** The device's clock was set back so far that no record can be recognised as new. */
  | { kind: 'clock-set-back' }
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
      /** The device's clock was set back, and the node goes on from there. */
      isSetBack: boolean
      /** Digest of an answer that has nothing new for the cursor `next`, whenever it is received. */
      digest?: string
    }

/**
 * Compares an answer with the cursor. It is synchronous, so that no event occurs between the comparison and the
 * transition.
 * @param after sequence that the next cursor has to exceed
 */
export type Planner = (known: Cursor | null, after: number) => PollPlan

/**
 * Requests the latest records or alerts of a device.
 * @param known digest of an answer that has nothing new
 * @returns `equal` where that was received again
 * @throws EnvlogError those of the request and of decoding
 */
export type Feed = (
  account: AccountAccess,
  target: ResolvedDevice,
  requestContext: RequestContext,
  known?: string,
) => Promise<Planner | 'equal'>

export interface RecordFeedOptions {
  time: TimeStyle
  /** Whether records between the cursor and an answer are fetched. */
  backfill: boolean
  start: Start
}

/** New records (endpoints 2 and 3). */
export function createRecordFeed({ time, backfill, start }: RecordFeedOptions): Feed {
  return async (account, target, requestContext, known) => {
    const latest = await fetchLatestUnlessKnown(account, target, known, requestContext)
    if (latest === 'equal') return latest
    const { body, digest, ...answer } = latest
    const { part, failed } = await decodeRecords(target, { ...answer, body }, { time }, requestContext.signal)
    const series = mergeSeries([part])
    return (cursor, after) => {
      const { receivedAt } = answer
      const received = { series, receivedAt, sequence: Math.max(receivedAt, after + 1), time }
      const plan = planRecords(cursor as RecordCursor | null, received, { start, canBackfill: true })
      if (plan.kind === 'clock-set-back') return plan
      const context = { target, answer, received, overflow: false, failed }
      if (plan.kind === 'complete')
        return {
          ...toPollPlan(plan, context),
          ...(digest !== undefined && isLasting(cursor, plan, failed) && { digest }),
        }
      if (!backfill) return planWithoutBackfill(cursor, start, { ...context, overflow: true })
      return { kind: plan.kind, backfill: startBackfill(received, answer, failed, plan, start) }
    }
  }
}

/**
 * Whether the same answer has nothing new and nothing to report at any later time: it has left the cursor as it was. A
 * record ahead of the clock is read otherwise once the clock has reached it.
 */
function isLasting(
  known: Cursor | null,
  { fresh, next }: Extract<RecordPlan, { kind: 'complete' }>,
  failed: readonly DeviceFailure[],
): boolean {
  const isSame = known !== null && isSameBeyondSequence(known, next)
  return isSame && fresh.records.length === 0 && failed.length === 0 && next.outOfOrder.length === 0
}

/**
 * The plan for an answer and all records that were fetched before it.
 * @param failed why no more of them could be fetched; empty where they are complete
 */
export function planBackfilled(
  target: ResolvedDevice,
  backfill: Backfill,
  known: Cursor | null,
  failed: readonly DeviceFailure[],
): PollPlan {
  const received = { ...backfill.received, series: mergeBackfill(backfill) }
  return planWithoutBackfill(known, backfill.start, {
    target,
    answer: backfill.answer,
    received,
    overflow: failed.length > 0,
    failed: [...backfill.failed, ...failed],
  })
}

/** What a plan needs besides the new records. */
interface PlanContext extends Pick<PolledData, 'answer'> {
  target: ResolvedDevice
  received: ReceivedRecords
  overflow: boolean
  failed: readonly DeviceFailure[]
}

/** The plan if no more records are fetched, whether or not the received ones reach back to the cursor. */
function planWithoutBackfill(known: Cursor | null, start: Start, context: PlanContext): PollPlan {
  const { received } = context
  const plan = planRecords(known as RecordCursor | null, received, { start, canBackfill: false })
  if (plan.kind === 'complete') return toPollPlan(plan, context)
  // A receipt received meanwhile is later than the fetched records, so none of them is needed any more.
  const cursor = known as Cursor
  const data = toPolledData(context, received.series)
  return { kind: 'complete', data, isEmpty: true, next: cursor, before: cursor, isSetBack: false }
}

function toPollPlan(
  { fresh, next, isSetBack }: Extract<RecordPlan, { kind: 'complete' }>,
  context: PlanContext,
): PollPlan {
  const before = createCursorBefore(fresh, context.received, next)
  const isEmpty = fresh.records.length === 0
  return { kind: 'complete', data: toPolledData(context, fresh), isEmpty, next, before, isSetBack }
}

function toPolledData({ target, answer, overflow, failed }: PlanContext, series: Series): PolledData {
  return {
    ...toCollected(target, answer, { kind: 'series', series }),
    ...(overflow && { overflow }),
    failed,
  }
}

export interface AlertFeedOptions {
  time: TimeStyle
  /** What a node without a cursor delivers: only later alerts, or all that the first answer holds. */
  start: 'now' | 'held'
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
      return { kind: 'complete', data, isEmpty: fresh.length === 0, next, before, isSetBack: false }
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
