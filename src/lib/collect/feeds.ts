import type { Content } from '../output/content'
import type { Asker } from '../quota/asker'
import type { LogEntry } from '../readings/alerts'
import { mergeSeries } from '../readings/merge'
import type { Series } from '../readings/series'
import type { TimeStyle } from '../readings/time'
import { type AlertCursor, planAlerts } from './alert-cursor'
import { type Hole, openHole, seriesOf } from './backfill'
import type { Cursor } from './delivery'
import type { Kept } from './device-states'
import type { DeviceFailure, Target } from './devices'
import {
  type AccountAccess,
  type Collected,
  collectedOf,
  readEntries,
  readLog,
  readPart,
  readRecords,
} from './fetch'
import { cursorBefore, type Received, type RecordCursor, type Start } from './record-cursor'
import { planRecords, type RecordPlan } from './record-plan'

/** What there is to deliver of a device. */
export interface News extends Collected {
  /** Older records or alerts could not be had. */
  overflow?: boolean
  /** Comes back when it is stored. */
  receipt?: string
}

/** What follows from an answer. */
export type Plan =
  /** The device's clock was set back: nothing can be told to be new. */
  | { kind: 'set-back' }
  /** Older records have to be fetched first. */
  | { kind: 'hole'; hole: Hole }
  | {
      kind: 'complete'
      news: News
      /** Nothing is new; what could not be read is reported all the same. */
      isEmpty: boolean
      /** The cursor once it is delivered, and the one from which it would come again. */
      next: Cursor
      base: Cursor
      /** The device's clock was set back, and the node goes on from there. */
      isSetBack: boolean
    }

/**
 * Compares an answer with the cursor; synchronous, so that nothing comes between that and what follows.
 * @param after `taken` of the furthest cursor so far: the next is later, also where the clock was set back
 */
export type Planner = (known: Cursor | null, after: number) => Plan

/** Requests the most recent records or alerts of a device. @throws EnvlogError those of the request and of decoding */
export type Feed = (account: AccountAccess, target: Target, asker: Asker) => Promise<Planner>

export interface RecordOptions {
  time: TimeStyle
  /** Whether records between the cursor and an answer are fetched. */
  backfill: boolean
  start: Start
}

/** New records (endpoints 2 and 3). */
export function recordFeed({ time, backfill, start }: RecordOptions): Feed {
  return async (account, target, asker) => {
    const { body, ...answer } = await readRecords(account, 'latest', target, {}, asker)
    const { part, failed } = await readPart(target, { ...answer, body }, { time }, asker.signal)
    const series = mergeSeries([part])
    return (known, after) => {
      const { receivedAt } = answer
      const received = { series, receivedAt, taken: Math.max(receivedAt, after + 1), time }
      const plan = planRecords(known as RecordCursor | null, received, { start, fill: true })
      if (plan.kind === 'set-back') return plan
      const about = { target, answer, received, overflow: false, failed }
      if (plan.kind === 'complete') return completeOf(plan, about)
      if (backfill) return { kind: 'hole', hole: openHole(received, answer, failed, plan, start) }
      return planWhole(known, start, { ...about, overflow: true })
    }
  }
}

/**
 * New records with those that were fetched between them and the cursor.
 * @param failed why no more of them could be had; empty where they are complete
 */
export function planFilled(
  target: Target,
  hole: Hole,
  known: Cursor | null,
  failed: readonly DeviceFailure[],
): Plan {
  const received = { ...hole.received, series: seriesOf(hole) }
  const all = [...hole.failed, ...failed]
  const about = { target, answer: hole.answer, received, overflow: failed.length > 0, failed: all }
  return planWhole(known, hole.start, about)
}

interface About {
  target: Target
  answer: Collected['answer']
  received: Received
  /** Older records could not be had. */
  overflow: boolean
  failed: readonly DeviceFailure[]
}

/** What is new where no more is fetched, whether or not it reaches back to the cursor. */
function planWhole(known: Cursor | null, start: Start, about: About): Plan {
  const plan = planRecords(known as RecordCursor | null, about.received, { start, fill: false })
  if (plan.kind === 'complete') return completeOf(plan, about)
  if (!known || plan.kind === 'hole') throw new TypeError('nothing is set back without a cursor')
  // A receipt came meanwhile that is further than what was fetched: nothing of it is wanted any more.
  const news = newsOf(about, about.received.series)
  return { kind: 'complete', news, isEmpty: true, next: known, base: known, isSetBack: false }
}

function completeOf(
  { fresh, next, isSetBack }: Extract<RecordPlan, { kind: 'complete' }>,
  about: About,
): Plan {
  const base = cursorBefore(fresh, about.received, next)
  const isEmpty = fresh.records.length === 0
  return { kind: 'complete', news: newsOf(about, fresh), isEmpty, next, base, isSetBack }
}

function newsOf({ target, answer, overflow, failed }: About, series: Series): News {
  return {
    ...collectedOf(target, answer, { kind: 'series', series }),
    ...(overflow && { overflow }),
    failed,
  }
}

/** New alerts (endpoint 6). */
export function alertFeed({ time, start }: { time: TimeStyle; start: 'now' | 'held' }): Feed {
  return async (account, target, asker) => {
    const { body, ...answer } = await readEntries(account, target, asker)
    return (cursor, after) => {
      const known = cursor as AlertCursor | null
      const taken = Math.max(answer.receivedAt, after + 1)
      let plan = planAlerts<LogEntry>(known, [], taken, start)
      const { log, failed } = readLog(target, { ...answer, body }, time, (entries) => {
        plan = planAlerts(known, entries, taken, start)
        return plan.fresh
      })
      const { fresh, overflow, next } = plan
      const collected = collectedOf(target, answer, { kind: 'alerts', ...log })
      const news = { ...collected, ...(overflow && { overflow }), failed }
      const base: AlertCursor = { seen: [], begins: true, taken: next.taken - 1 }
      return { kind: 'complete', news, isEmpty: fresh.length === 0, next, base, isSetBack: false }
    }
  }
}

/** What is kept until a receipt comes: a copy, for what was sent is the receivers' to change. */
export function keptOf({ answer, content, group, overflow }: News): Kept {
  return { answer: structuredClone(answer), content: copyOf(content), group, ...(overflow && { overflow }) }
}

/** Copies records by hand: of a long outage there are so many that a structured clone would stop the event loop. */
function copyOf(content: Content): Content {
  if (content.kind !== 'series') return structuredClone(content)
  const { records, ...about } = content.series
  const copies = records.map((record) =>
    record.errors ? { ...record, errors: { ...record.errors } } : { ...record },
  )
  return { kind: 'series', series: { ...structuredClone(about), records: copies } }
}
