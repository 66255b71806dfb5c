import { createHash } from 'node:crypto'
import { type Gap, type Numbered, placeGaps, TURN } from '../readings/continuity'
import type { SeriesRecord } from '../readings/record-reader'
import { fingerprint, type Series } from '../readings/series'
import { formatTime, type TimeStyle } from '../readings/time'

/** Where a node is with the records of a device (nodes.md, *envlog-latest*): what was delivered so far. */
export interface RecordCursor {
  /** Time of the newest that was delivered, ms; `null` where none was that has one. */
  time: number | null
  /** Prints of those delivered with that time: `MOST_AT` of them stand for all. */
  at: string[]
  /** Where nothing was acknowledged yet: prints of those at that time, which are the first to be delivered. */
  begins?: string[]
  /** Delivered ones that move no cursor, being ahead of the clock or without a time: `time print`. */
  beside: string[]
  /** The id of the newest: the neighbour of what comes next. */
  id: number | null
  /** When the answer came that it is made of, ms, but always later than the cursor before: the later is the further. */
  taken: number
}

/** What a node that has no cursor yet takes of its first answer: what it holds, nothing, or what is since then. */
export type Start = 'held' | 'now' | { since: number }

/** What to do with an answer. */
export type RecordPlan =
  /** The device's clock was set back, and its records cannot be told from delivered ones, or not all of them. */
  | { kind: 'set-back' }
  /** Records between the cursor and the answer are not in it: ms, from inclusive, to exclusive. */
  | { kind: 'hole'; from: number; to: number }
  | {
      kind: 'complete'
      fresh: Series
      next: RecordCursor
      /** The device's clock was set back: some of what is new has an earlier time than what was delivered. */
      isSetBack: boolean
    }

const AN_HOUR = 3_600_000

export interface Received {
  series: Series
  /** When the answer arrived, ms. */
  receivedAt: number
  /** Of the cursor that it makes. */
  taken: number
  /** How instants are written, for a neighbour that is not in the answer. */
  time: TimeStyle
}

/** Delivered records beside the cursor that are remembered at most: three hours of one in six seconds. */
const MOST_BESIDE = 2000
/** Records of one second that are told apart. Loggers measure once a second at most, and turn back by an hour. */
const MOST_AT = 1000
/** By so many of the first records an answer is known that holds them still. */
const MOST_BEGINS = 10

/** Whether the answer reaches back to the cursor, and what of it is new. */
export function planRecords(
  known: RecordCursor | null,
  { series, receivedAt, taken, time: style }: Received,
  { start, fill }: { start: Start; fill: boolean },
): RecordPlan {
  const { records } = series
  const cursor = known ?? firstCursor(start, taken)
  const besides = new Set(cursor.beside)
  const timesBeside = new Set(cursor.beside.map(timeOf))
  const print = (record: SeriesRecord) => shorten(fingerprint(record, series.channels))
  const keyOf = (record: SeriesRecord) => `${record.timestamp} ${print(record)}`
  // To hash each of 100,000 records would stop the event loop.
  const wasBeside = (record: SeriesRecord) =>
    timesBeside.has(record.timestamp ?? Number.NaN) && besides.has(keyOf(record))
  const isAhead = ({ timestamp }: SeriesRecord) =>
    timestamp !== null && timestamp > Math.max(receivedAt + AN_HOUR, cursor.time ?? 0)
  // One that was ahead once moves no cursor later either: what is measured until its time comes would be hidden.
  const isBeside = (record: SeriesRecord) => record.timestamp === null || isAhead(record) || wasBeside(record)
  const at = new Set(cursor.at)
  const wasAt = (record: SeriesRecord) =>
    record.timestamp === cursor.time && (at.size >= MOST_AT || at.has(print(record)))

  const beside = records.filter(isBeside)
  const aside = new Set(beside)
  const normal = records.filter((record) => !aside.has(record))
  const newest = normal.at(-1)?.timestamp ?? null
  // A time to begin with that has not come yet is no clock that was set back.
  const isDelivered = cursor.time !== null && cursor.at.length > 0
  // Ids of those that were ahead once are not missing between the others.
  const timed = records.filter((record) => record.timestamp !== null && !isAhead(record))
  const setBack = (from: RecordCursor) =>
    afterSetBack(timed, from, series.standalone).filter((record) => !aside.has(record))
  const after = new Set(setBack(cursor))
  if (isDelivered && newest !== null && after.size === 0) {
    const isEarlier = newest < (cursor.time as number)
    const isStill = newest === cursor.time && beside.every(wasBeside)
    if (isEarlier || (isStill && goesOnEarlier(normal, cursor, series.standalone)))
      return { kind: 'set-back' }
  }

  const oldest = records.find(({ timestamp }) => timestamp !== null)?.timestamp ?? null
  // Where there was nothing at first, all that there is now is new; where all is ahead, it goes on from there.
  const ahead = newestBeside(cursor, Number.POSITIVE_INFINITY)
  const since = (normal.length === 0 ? ahead : null) ?? cursor.time ?? ahead ?? (known ? 0 : null)
  const holdsBegin = cursor.begins?.every((begin) =>
    normal.some((record) => record.timestamp === cursor.time && print(record) === begin),
  )
  const reaches =
    since === null ||
    oldest === null ||
    oldest < since ||
    normal.some(wasAt) ||
    holdsBegin ||
    ((cursor.time === null || normal.length === 0) && beside.some(wasBeside))
  if (!reaches && fill) return { kind: 'hole', from: since, to: oldest + 1000 }

  const isKnown = (record: SeriesRecord) =>
    aside.has(record)
      ? wasBeside(record)
      : cursor.time !== null &&
        !after.has(record) &&
        ((record.timestamp as number) < cursor.time || wasAt(record))
  const isSilent = known === null && start === 'now'
  const fresh = isSilent ? [] : records.filter((record) => !isKnown(record))
  // Where all is ahead, what was is as good as delivered in its turn once its time is well past.
  const passed = normal.length === 0 ? newestBeside(cursor, receivedAt - AN_HOUR) : null
  const keys = inOrder([...cursor.beside, ...beside.map(keyOf)])
  const time = latest(newest, cursor.time, passed, lastOf(keys.slice(0, -MOST_BESIDE)))
  const atTime = (instant: number | null) => normal.filter(({ timestamp }) => timestamp === instant)
  const printsAt = (instant: number | null, known: readonly string[] = []) =>
    [...new Set([...known, ...atTime(instant).slice(-MOST_AT).map(print)])].slice(0, MOST_AT)
  const next: RecordCursor = {
    time,
    at: printsAt(time, cursor.time === time ? cursor.at : []),
    beside: keys.filter((key) => time === null || rankOf(key) >= time),
    id: atTime(time).at(-1)?.dataId ?? cursor.id,
    taken,
  }
  // Also where it was set back within what came: it goes on from the last of them, and what is later is known.
  const back = setBack(next)
  const last = back.at(-1)
  if (last) {
    const later = normal.filter(({ timestamp }) => (timestamp as number) > (last.timestamp as number))
    next.time = last.timestamp
    next.id = last.dataId
    next.at = printsAt(last.timestamp)
    const still = keys.filter((key) => rankOf(key) >= (last.timestamp as number))
    next.beside = inOrder([...still, ...later.map(keyOf)]).slice(-MOST_BESIDE)
  }
  // In the order of time their ids would be full of gaps.
  for (const record of back) after.add(record)
  const steady = normal.filter((record) => !after.has(record))
  const neighbour = normal.some(wasAt) ? [] : neighbourOf(cursor, style, series.utcOffset)
  const others = [...beside, ...after]
  const gaps = gapsBefore(new Set(fresh), [...neighbour, ...steady], others, series.standalone)
  const isSetBack = !isSilent && known !== null && after.size > 0
  return { kind: 'complete', fresh: { ...series, records: fresh, gaps }, next, isSetBack }
}

/**
 * Records, the last by its id at the end, that are earlier than one and came after it by their ids: the device's clock
 * was set back in between. Ids that begin again look alike, but those records stand in a row of their own: here each
 * stands between two whose ids follow each other.
 */
function afterSetBack(
  records: readonly SeriesRecord[],
  { time, id }: Pick<RecordCursor, 'time' | 'id'>,
  standalone: boolean,
): SeriesRecord[] {
  // Ids that begin again begin with 0: there a single one that was lost before looks the same.
  if (time === null || id === null || id === 0) return []
  const after: { record: SeriesRecord; by: number }[] = []
  let isBetween = true
  let before: number | undefined
  /** Whether one has come since `before`. */
  let isOpen = false
  for (const record of records) {
    if (record.dataId === null) continue
    const by = laterBy(record.dataId, id, standalone)
    if (by > 0 && (record.timestamp as number) < time) {
      after.push({ record, by })
      isBetween &&= before !== undefined
      isOpen = true
    } else {
      if (isOpen) isBetween &&= by === (before ?? 0) + 1
      isOpen = false
      before = by
    }
  }
  if (!isBetween || isOpen) return []
  return after.sort((a, b) => a.by - b.by).map(({ record }) => record)
}

/** How much later by its id than another, below 0 for earlier. */
function laterBy(dataId: number, id: number, standalone: boolean): number {
  const by = dataId - id
  return standalone || Math.abs(by) <= TURN / 2 ? by : by - Math.sign(by) * TURN
}

/**
 * Whether the earliest is by its id the one after the cursor's: the clock was set back further than the answer
 * reaches. Of ids that begin again the earliest goes on from nothing.
 */
function goesOnEarlier(
  records: readonly SeriesRecord[],
  { time, id }: RecordCursor,
  standalone: boolean,
): boolean {
  const first = records.find(({ dataId }) => dataId !== null)
  if (!first || id === null || time === null || (first.timestamp as number) >= time) return false
  return laterBy(first.dataId as number, id, standalone) === 1
}

const timeOf = (key: string) => Number(key.split(' ')[0])

/** A cursor from which these records would come again: where nothing was acknowledged before. */
export function cursorBefore(
  { records, channels }: Series,
  { receivedAt }: Received,
  next: RecordCursor,
): RecordCursor {
  const first = records.find(({ timestamp }) => timestamp !== null && timestamp <= receivedAt + AN_HOUR)
  const cursor = { time: first?.timestamp ?? null, at: [], beside: [], id: null, taken: next.taken - 1 }
  if (!first) return cursor
  const begins = records.filter(({ timestamp }) => timestamp === first.timestamp).slice(0, MOST_BEGINS)
  return { ...cursor, begins: begins.map((record) => shorten(fingerprint(record, channels))) }
}

function latest(...times: (number | null)[]): number | null {
  const known = times.filter((time) => time !== null)
  return known.length > 0 ? Math.max(...known) : null
}

/** The newest that was delivered beside the cursor, and is not later than that; `null` where there is none. */
function newestBeside({ beside }: RecordCursor, until: number): number | null {
  return latest(...beside.map(timeOf).filter((time) => Number.isFinite(time) && time <= until))
}

/** Those without a time last. */
const rankOf = (key: string) => (Number.isFinite(timeOf(key)) ? timeOf(key) : Number.POSITIVE_INFINITY)

/** Each once, the earliest first. */
function inOrder(keys: readonly string[]): string[] {
  return [...new Set(keys)].sort((a, b) => rankOf(a) - rankOf(b))
}

/** The time of the last of those that are too many to be remembered: the cursor passes them. */
function lastOf(keys: readonly string[]): number | null {
  return latest(...keys.map(timeOf).filter(Number.isFinite))
}

/** The last that was delivered: where the answer does not hold it, a gap may stand after it. */
function neighbourOf({ time, id }: RecordCursor, style: TimeStyle, offset: number): Numbered[] {
  if (time === null || id === null) return []
  return [{ time: formatTime(time, style, offset), timestamp: time, dataId: id }]
}

/**
 * Gaps told with what is new: each stands before a new record. Ids of records beside the cursor are not missing,
 * wherever they stand in time.
 */
function gapsBefore(
  fresh: ReadonlySet<Numbered>,
  ordered: readonly Numbered[],
  beside: readonly Numbered[],
  standalone: boolean,
): Gap[] {
  const there = beside.map(({ dataId }) => ({ time: null, timestamp: null, dataId }))
  return placeGaps([...there, ...ordered], standalone)
    .filter(({ at }) => fresh.has(ordered[at - there.length] as Numbered))
    .map(({ gap }) => gap)
}

function firstCursor(start: Start, taken: number): RecordCursor {
  const none = { at: [], beside: [], id: null, taken }
  return { time: typeof start === 'object' ? start.since : null, ...none }
}

/** A cursor is saved and travels in receipts: twelve characters of a hash stand for a record. */
export function shorten(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 12)
}
