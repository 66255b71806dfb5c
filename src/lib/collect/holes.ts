/** Periods whose records were not in any response (docs/collecting.md, *Missing records*). */
import { createTimeFormatter, type TimeStyle } from '../decode/time'
import type { Channel } from '../readings/channel'
import { findGaps, type Gap, type NumberedRecord } from '../readings/continuity'
import type { Series, SeriesPart, SeriesRecord } from '../readings/series'
import {
  byTimeAndNumber,
  follows,
  hashesOf,
  isSameRecord,
  type RecordKey,
  readKnown,
  type SavedRecords,
  saveKnown,
  selectUnknown,
  timeOf,
  without,
} from './known-records'
import { PAGE_RECORDS, type ReceivedPage } from './page'

/** A period of missing records, with the records inside and at its bounds that were delivered. */
export interface Hole extends SavedRecords {
  /** Bounds, which are included, ms since 1970 UTC. A record at `to` was delivered. */
  from: number
  to: number
  /** The delivered record with which it begins; `null` if it begins with a time. */
  begin: RecordKey | null
  /** Set if the page after it was not full, so that the service probably has none of its records. */
  isEmpty?: boolean
}

/** A period of records that are lost, ms since 1970 UTC. */
export type LostPeriod = Pick<Hole, 'from' | 'to'>

/** Maximum number of holes of a device. */
export const MAX_HOLES = 4
/** Maximum number of delivered records that a hole remembers. */
export const MAX_HELD = 300

/** Adds a hole, unless another one contains it. If there are too many, the two oldest become one. */
export function addHole(holes: readonly Hole[], hole: Hole): readonly Hole[] {
  if (holes.some(({ from, to }) => from <= hole.to && hole.to <= to)) return holes
  const all = [hole, ...holes].sort((a, b) => b.to - a.to)
  const [newer, older] = all.slice(-2)
  if (all.length <= MAX_HOLES || !newer || !older) return all
  // What was delivered between the two and in the older one is forgotten, so it is sent again, with its gaps.
  return [...all.slice(0, -2), { ...newer, from: older.from, begin: older.begin, isEmpty: false }]
}

/** Too many delivered records are left out in the middle: they may be sent again, but not those at the bounds. */
function saveInHole(records: readonly RecordKey[], hashes: readonly string[]): SavedRecords {
  const half = MAX_HELD / 2
  const sorted = records.toSorted(byTimeAndNumber)
  const kept = sorted.length > MAX_HELD ? [...sorted.slice(0, half), ...sorted.slice(-half)] : sorted
  return saveKnown(kept, hashes)
}

/** The records that are inside a hole and were not delivered. */
export const selectMissing = (hole: Hole, records: readonly SeriesRecord[], channels: readonly Channel[]) =>
  selectUnknown(
    readKnown(hole),
    records.filter((record) => isInside(hole, record)),
    channels,
  )

/** The holes after records were delivered that may be inside of them. */
export function rememberInHoles(
  holes: readonly Hole[],
  delivered: readonly SeriesRecord[],
  { channels }: Series,
): readonly Hole[] {
  return holes.map((hole) => {
    const inside = delivered.filter((record) => isInside(hole, record))
    if (inside.length === 0) return hole
    const known = readKnown(hole)
    const hashes = [...known.hashes, ...hashesOf(inside, channels, null)]
    return { ...hole, ...saveInHole([...known.records, ...inside], hashes) }
  })
}

/** The records of a page that are inside a hole, and the rest of the hole after their delivery. */
export interface FilledHole {
  /** The records to be delivered, with the gaps that the page shows. */
  fresh: Series
  /** The records of the page that are inside the hole. */
  inside: readonly SeriesRecord[]
  /** `undefined` if the hole is closed. */
  rest: Hole | undefined
  /** Set if the hole was closed without reaching its beginning, although the record numbers do not go on. */
  lost?: LostPeriod
}

/**
 * Fills the end of a hole with a page. A hole is closed by a page that reaches the record that the hole begins with, or
 * has no older record than those that were known.
 * @param time format of the time of the record before a loss
 */
export function fillHole(hole: Hole, page: ReceivedPage, time: TimeStyle): FilledHole {
  const { part, requested, count } = page
  const { channels, standalone } = part
  const inside = part.records.filter((record) => isInside(hole, record))
  const [oldest] = inside
  const isFull = count >= requested.number
  const hasReached = reachesBegin(hole, part, isFull)
  const hasOlder = oldest !== undefined && timeOf(oldest) < hole.to
  // The device's record quota may allow fewer records than are known at the end of the hole.
  const isTooShort = isFull && requested.number < PAGE_RECORDS
  const isClosed = hasReached || !(hasOlder || isTooShort)
  const lost = isClosed && !hasReached ? findLostBefore(oldest, hole, standalone) : undefined
  const fresh = {
    ...part,
    records: selectMissing(hole, inside, channels),
    gaps: findGapsIn(hole, part, isClosed, time),
  }
  return {
    fresh,
    inside,
    rest: isClosed ? undefined : { ...restOf(hole, inside, part), isEmpty: !isFull },
    ...(lost && { lost }),
  }
}

/** Whether a page contains everything up to the beginning of a hole. */
function reachesBegin({ from, begin }: Hole, { records }: ReceivedPage['part'], isFull: boolean): boolean {
  if (records.some(({ timestamp }) => timestamp !== null && timestamp <= from)) return true
  return !isFull && begin !== null && records.some((record) => isSameRecord(record, begin))
}

/** The records of a closed hole before its oldest one; `undefined` if the numbers go on, or the hole begins with a time. */
function findLostBefore(
  oldest: SeriesRecord | undefined,
  hole: Hole,
  standalone: boolean,
): LostPeriod | undefined {
  const { begin, to } = hole
  const first = oldest ?? recordsAtEnd(hole)[0]
  if (!begin || (first && follows(begin, first, standalone))) return undefined
  return { from: timeOf(begin), to: first ? timeOf(first) : to }
}

/**
 * The gaps between the records of a page and, if they are not in the page, the records at the bounds of its hole.
 * @param isClosed whether no further page is requested, so that the gap after the beginning is final
 */
export function findGapsIn(
  hole: Hole,
  { records, utcOffset, standalone }: Pick<SeriesPart, 'records' | 'utcOffset' | 'standalone'>,
  isClosed: boolean,
  time: TimeStyle,
): Gap[] {
  const { from, to, begin } = hole
  const format = createTimeFormatter(time)
  const absent = (bounds: readonly RecordKey[]): NumberedRecord[] =>
    bounds
      .filter((bound) => !records.some((record) => isSameRecord(record, bound)))
      .map((bound) => ({ ...bound, time: format(bound.timestamp, utcOffset) }))
  // Records before the hole may be the predecessors of its first ones.
  const shown = records.filter((record) => record.timestamp !== null && timeOf(record) <= to)
  const before = isClosed && begin ? [begin] : []
  const ordered = [...absent(before), ...shown, ...absent(recordsAtEnd(hole))]
  ordered.sort((a, b) => timeOf(a) - timeOf(b))
  return [...findGaps(ordered, standalone)].flatMap(([record, gap]) => {
    const isBegin = begin !== null && isSameRecord(record, begin)
    return timeOf(record) >= from && !isBegin ? [gap] : []
  })
}

/** The delivered records at the end of a hole. */
const recordsAtEnd = (hole: Hole) => readKnown(hole).records.filter(({ timestamp }) => timestamp === hole.to)

function restOf(hole: Hole, inside: readonly SeriesRecord[], { channels }: ReceivedPage['part']): Hole {
  const known = readKnown(hole)
  const to = inside[0] ? timeOf(inside[0]) : hole.to
  const atEnd = inside.filter(({ timestamp }) => timestamp === to)
  const others = without(known.records, atEnd).filter((record) => timeOf(record) <= to)
  const hashes = [...known.hashes, ...hashesOf(atEnd, channels, to)]
  return { ...hole, to, ...saveKnown([...others, ...atEnd], hashes) }
}

export const isInside = ({ from, to }: Hole, { timestamp }: RecordKey) =>
  timestamp !== null && timestamp >= from && timestamp <= to
