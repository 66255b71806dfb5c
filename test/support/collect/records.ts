import type { RecordCursor } from '../../../src/lib/collect/cursor'
import { planRecords, type RecordPlan, type Start } from '../../../src/lib/collect/record-plan'
import { MAX_LATEST_RECORDS } from '../../../src/lib/endpoints'
import { graph, type Json, readSeries, relayGraph } from '../../unit/lib/responses'

/** Time of responses, in seconds; times of records are relative to it. */
export const RESPONSE_TIME = 1_795_161_600

/** A record with a time in seconds relative to the response; `null` for a record without a time. */
export const record = (seconds: number | null, id: number, value = id, more: Json = {}): Json => ({
  unixtime: seconds === null ? 0 : RESPONSE_TIME + seconds,
  'data-id': id,
  ch1: value,
  ...more,
})

interface PlanOptions {
  start?: Start
  canBackfill?: boolean
  standalone?: boolean
  /** Arrival in seconds after the first response. */
  arrivesAfter?: number
}

/** The plan for a response with these records, which is full if they are 300. */
export function planResponse(
  known: RecordCursor | null,
  data: readonly Json[],
  { start = 'all', canBackfill = true, standalone = true, arrivesAfter = 0 }: PlanOptions = {},
): RecordPlan {
  const series = readSeries((standalone ? graph : relayGraph)({ data }))
  const receivedAt = (RESPONSE_TIME + arrivesAfter) * 1000
  const sequence = Math.max(receivedAt, (known?.sequence ?? 0) + 1)
  const isFull = data.length >= MAX_LATEST_RECORDS
  const received = {
    series,
    receivedAt,
    isFull,
    sequence,
    most: MAX_LATEST_RECORDS,
    time: 'utc' as const,
  }
  // Records beyond those of a response were fetched before it.
  const alone = { ...received, series: { ...series, records: series.records.slice(-MAX_LATEST_RECORDS) } }
  const isFetched = data.length > MAX_LATEST_RECORDS
  return planRecords(known, received, { start, canBackfill, alone: isFetched ? alone : received })
}

/** Plans successive responses; each call returns the ids of new records, or that a backfill is needed. */
export function planSequence(given: PlanOptions = {}) {
  let cursor: RecordCursor | null = null
  const gaps: string[] = []
  let isOverflow = false
  return {
    gaps,
    /** Whether records were lost before those of the last response. */
    isOverflow: () => isOverflow,
    cursor: () => cursor,
    /** @param over differences of this response */
    next(data: readonly Json[], over: PlanOptions = {}): (number | null)[] | 'backfill-needed' {
      const found = planResponse(cursor, data, { ...given, ...over })
      if (found.kind !== 'complete') return found.kind
      cursor = JSON.parse(JSON.stringify(found.next)) as RecordCursor
      isOverflow = found.overflow
      gaps.push(...found.fresh.gaps.map(({ kind, missing }) => `${kind} ${missing}`))
      return found.fresh.records.map(({ dataId }) => dataId)
    },
  }
}

/** An instant of the plan, in seconds relative to the response. */
export const seconds = (ms: number | null) => (ms === null ? null : ms / 1000 - RESPONSE_TIME)
