import type { RecordCursor, Start } from '../../../src/lib/collect/cursor'
import { planRecords, type RecordPlan } from '../../../src/lib/collect/record-plan'
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
  backfill?: boolean
  standalone?: boolean
  /** Arrival in seconds after the first response. */
  arrivesAfter?: number
}

/** The plan for a response with these records. */
export function planResponse(
  known: RecordCursor | null,
  data: readonly Json[],
  { start = 'all', backfill = true, standalone = true, arrivesAfter = 0 }: PlanOptions = {},
): RecordPlan {
  const series = readSeries((standalone ? graph : relayGraph)({ data }))
  const receivedAt = (RESPONSE_TIME + arrivesAfter) * 1000
  const received = { series, receivedAt, most: MAX_LATEST_RECORDS, time: 'utc' as const }
  return planRecords(known, received, { start, backfill })
}

/** Plans successive responses; each call returns the ids of new records. */
export function planSequence(given: PlanOptions = {}) {
  let cursor: RecordCursor | null = null
  const gaps: string[] = []
  let isOverflow = false
  return {
    gaps,
    /** Whether the last response showed a loss. */
    isOverflow: () => isOverflow,
    cursor: () => cursor,
    /** The holes, newest first: their bounds in seconds relative to the first response. */
    holes: () => cursor?.holes?.map(({ from, to }) => [seconds(from), seconds(to)]) ?? [],
    /** @param over differences of this response */
    next(data: readonly Json[], over: PlanOptions = {}): (number | null)[] {
      const found = planResponse(cursor, data, { ...given, ...over })
      cursor = JSON.parse(JSON.stringify(found.next)) as RecordCursor
      isOverflow = found.overflow
      gaps.push(...found.fresh.gaps.map(({ kind, missing }) => `${kind} ${missing}`))
      return found.fresh.records.map(({ dataId }) => dataId)
    },
  }
}

const seconds = (ms: number) => ms / 1000 - RESPONSE_TIME
