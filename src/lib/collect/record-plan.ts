import { type Gap, type Numbered, placeGaps } from '../readings/continuity'
import type { SeriesRecord } from '../readings/record-reader'
import type { Series } from '../readings/series'
import { formatTime, type TimeStyle } from '../readings/time'
import { type Comparison, compare, isStopped } from './record-comparison'
import {
  AN_HOUR,
  firstCursor,
  inOrder,
  latest,
  latestOf,
  MOST_AT,
  MOST_BESIDE,
  type Received,
  type RecordCursor,
  rankOf,
  type Start,
} from './record-cursor'

/** What to do with an answer. */
export type RecordPlan =
  /** The device's clock was set back, and its records cannot be told from delivered ones, or not all of them. */
  | { kind: 'set-back' }
  /** Records between the cursor and the answer are not in it: ms, from inclusive, to exclusive. */
  | { kind: 'hole'; from: number; to: number }
  | {
      kind: 'complete'
      /** What is new. */
      fresh: Series
      next: RecordCursor
      /** The device's clock was set back: some of what is new has an earlier time than what was delivered. */
      isSetBack: boolean
    }

/**
 * Tells what of an answer is new, and the cursor once that is delivered.
 * @param known `null` for a device that nothing was delivered of
 * @param fill whether records that are missing before the answer can be fetched
 */
export function planRecords(
  known: RecordCursor | null,
  received: Received,
  { start, fill }: { start: Start; fill: boolean },
): RecordPlan {
  const { series, time: style } = received
  const { standalone } = series
  const cursor = known ?? firstCursor(start, received.taken)
  const compared = compare(received, cursor)
  const after = new Set(compared.afterSetBack(cursor))
  if (after.size === 0 && isStopped(compared, standalone)) return { kind: 'set-back' }
  const hole = fill ? holeBefore(compared, known !== null) : undefined
  if (hole) return hole

  const isSilent = known === null && start === 'now'
  const fresh = isSilent ? [] : freshOf(compared, after)
  const next = nextCursor(compared, received)
  // Also where it was set back within what came: the cursor goes on from the last of them, and what is later is known.
  const back = compared.afterSetBack(next)
  const last = back.at(-1)
  for (const record of back) after.add(record)
  const gaps = gapsBefore(fresh, compared, after, neighbourOf(compared, style, series.utcOffset), standalone)
  return {
    kind: 'complete',
    fresh: { ...series, records: fresh, gaps },
    next: last ? movedBack(next, last, compared) : next,
    isSetBack: !isSilent && known !== null && after.size > 0,
  }
}

/** What is missing between the cursor and the answer; nothing where the answer reaches back to it. */
function holeBefore(
  { cursor, records, normal, beside, wasAt, wasBeside, hashOf }: Comparison,
  isKnown: boolean,
): Extract<RecordPlan, { kind: 'hole' }> | undefined {
  const oldest = records.find(({ timestamp }) => timestamp !== null)?.timestamp ?? null
  // Where there was nothing at first, all that there is now is new; where all is ahead, it goes on from there.
  const ahead = latestOf(cursor.beside)
  const since = (normal.length === 0 ? ahead : null) ?? cursor.time ?? ahead ?? (isKnown ? 0 : null)
  if (since === null || oldest === null || oldest < since || normal.some(wasAt)) return undefined
  const holdsBegin = cursor.begins?.every((begin) =>
    normal.some((record) => record.timestamp === cursor.time && hashOf(record) === begin),
  )
  const isOnlyBeside = cursor.time === null || normal.length === 0
  if (holdsBegin || (isOnlyBeside && beside.some(wasBeside))) return undefined
  return { kind: 'hole', from: since, to: oldest + 1000 }
}

/** @param after new ones that are earlier than the cursor */
function freshOf(
  { cursor, records, isBeside, wasBeside, wasAt }: Comparison,
  after: ReadonlySet<SeriesRecord>,
): SeriesRecord[] {
  const isKnown = (record: SeriesRecord) =>
    isBeside(record)
      ? wasBeside(record)
      : cursor.time !== null &&
        !after.has(record) &&
        ((record.timestamp as number) < cursor.time || wasAt(record))
  return records.filter((record) => !isKnown(record))
}

/** The cursor once all that is new is delivered. */
function nextCursor(compared: Comparison, { receivedAt, taken }: Received): RecordCursor {
  const { cursor, normal, beside, keyOf } = compared
  // Where all is ahead, what was ahead counts as delivered in its turn once its time is well past.
  const passed = normal.length === 0 ? latestOf(cursor.beside, receivedAt - AN_HOUR) : null
  const keys = inOrder([...cursor.beside, ...beside.map(keyOf)])
  const newest = normal.at(-1)?.timestamp ?? null
  // Of those that are too many to be remembered the last is passed by the cursor.
  const time = latest(newest, cursor.time, passed, latestOf(keys.slice(0, -MOST_BESIDE)))
  return {
    time,
    at: hashesAt(time, compared, cursor.time === time ? cursor.at : []),
    beside: keys.filter((key) => time === null || rankOf(key) >= time),
    id: normal.findLast(({ timestamp }) => timestamp === time)?.dataId ?? cursor.id,
    taken,
  }
}

/** The cursor where the device's clock was set back: at the last record of the new clock; later ones are remembered. */
function movedBack(
  next: RecordCursor,
  { timestamp, dataId }: SeriesRecord,
  compared: Comparison,
): RecordCursor {
  const { cursor, normal, beside, keyOf } = compared
  const time = timestamp as number
  const later = normal.filter((record) => (record.timestamp as number) > time)
  const keys = inOrder([...cursor.beside, ...beside.map(keyOf)]).filter((key) => rankOf(key) >= time)
  return {
    ...next,
    time,
    id: dataId,
    at: hashesAt(time, compared),
    beside: inOrder([...keys, ...later.map(keyOf)]).slice(-MOST_BESIDE),
  }
}

/** Hashes of the records with that time, after those that are known already. */
function hashesAt(
  time: number | null,
  { normal, hashOf }: Comparison,
  known: readonly string[] = [],
): string[] {
  const records = normal.filter(({ timestamp }) => timestamp === time).slice(-MOST_AT)
  return [...new Set([...known, ...records.map(hashOf)])].slice(0, MOST_AT)
}

/** The last record that was delivered: where the answer does not hold it, a gap may stand after it. */
function neighbourOf(
  { cursor: { time, id }, normal, wasAt }: Comparison,
  style: TimeStyle,
  offset: number,
): Numbered[] {
  if (time === null || id === null || normal.some(wasAt)) return []
  return [{ time: formatTime(time, style, offset), timestamp: time, dataId: id }]
}

/**
 * Gaps that are reported with what is new: each stands before a new record. Ids of records beside the cursor, and of
 * those after a clock that was set back, are not missing wherever they stand in time: in its order they would be full
 * of gaps.
 */
function gapsBefore(
  fresh: readonly SeriesRecord[],
  { normal, beside }: Comparison,
  after: ReadonlySet<SeriesRecord>,
  neighbour: readonly Numbered[],
  standalone: boolean,
): Gap[] {
  const isFresh = new Set<Numbered>(fresh)
  const steady: Numbered[] = [...neighbour, ...normal.filter((record) => !after.has(record))]
  const others = [...beside, ...after].map(({ dataId }) => ({ time: null, timestamp: null, dataId }))
  return placeGaps([...others, ...steady], standalone)
    .filter(({ at }) => isFresh.has(steady[at - others.length] as Numbered))
    .map(({ gap }) => gap)
}
