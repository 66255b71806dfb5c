/** A gap in a series, detected by record ids (docs/messages.md). */
export interface Gap {
  /** `missing`: ids were skipped. `restart`: the device restarted at a lower id. */
  kind: 'missing' | 'restart'
  /** Times of the records on both sides of the gap. */
  after: string | null
  before: string | null
  /** Number of missing records; `null` if a restart makes it unknown. */
  missing: number | null
}

/** The properties of a record on which gaps depend. */
export interface NumberedRecord {
  time: string | null
  /** ms since 1970 UTC. */
  timestamp: number | null
  dataId: number | null
}

/**
 * Ids of remote units wrap around from 65,535 to 0. Ids of standalone devices only grow (docs/service.md, *Fields*).
 */
export const ID_MODULUS = 65_536

/** A gap, and `at`, the index of the record after it. Several records may have the same time. */
export interface PlacedGap {
  at: number
  gap: Gap
}

/**
 * Finds the gaps between records of a series, oldest first. Ids that are all 0 or absent show no gaps, and a longer
 * interval between two records alone is not a gap (docs/service.md, *Fields*).
 */
export function findGaps(records: readonly NumberedRecord[], standalone: boolean): Gap[] {
  return placeGaps(records, standalone).map(({ gap }) => gap)
}

/**
 * Like `findGaps`, with the position of each gap. If the record with the number before is present anywhere, there is no
 * gap: the records of two clocks may alternate.
 */
export function placeGaps(records: readonly NumberedRecord[], standalone: boolean): PlacedGap[] {
  const gaps: PlacedGap[] = []
  let present: Set<number> | undefined
  const hasPredecessor = (record: NumberedRecord) => {
    present ??= new Set(records.filter(hasTimeAndId).map(id))
    return present.has(idBefore(id(record), standalone))
  }
  const undated = idsWithoutTime(records)
  let median: number | undefined
  const medianMs = () => {
    median ??= medianInterval(records)
    return median
  }
  let before: NumberedRecord | undefined
  for (let index = 0; index < records.length; index++) {
    const after = records[index] as NumberedRecord
    if (!hasTimeAndId(after) || (standalone && after.dataId === 0)) continue
    const found = before && countMissing(before, after, standalone, medianMs)
    if (before && found && (found === 'restart' || found > 0) && !hasPredecessor(after)) {
      const missing = found === 'restart' ? null : found - countBetween(undated, before, after)
      const kind = missing === null ? 'restart' : 'missing'
      if (missing === null || missing > 0) {
        gaps.push({ at: index, gap: { kind, after: before.time, before: after.time, missing } })
      }
    }
    before = after
  }
  return gaps
}

/** The id before another one. */
export const idBefore = (dataId: number, standalone: boolean): number =>
  standalone || dataId > 0 ? dataId - 1 : ID_MODULUS - 1

/** The distinct ids of records without a time, in ascending order. These records may belong to any gap. */
function idsWithoutTime(records: readonly NumberedRecord[]): number[] {
  const ids = new Set<number>()
  for (const { timestamp, dataId } of records) if (timestamp === null && dataId !== null) ids.add(dataId)
  return [...ids].sort((a, b) => a - b)
}

/**
 * Counts the ids between two records, even if the ids have wrapped around.
 * @param ids in ascending order
 */
function countBetween(ids: readonly number[], before: NumberedRecord, after: NumberedRecord): number {
  const [upToBefore, belowAfter] = [countBelow(ids, id(before) + 1), countBelow(ids, id(after))]
  return id(after) > id(before) ? belowAfter - upToBefore : ids.length - upToBefore + belowAfter
}

/**
 * Counts the ids below a bound.
 * @param ids in ascending order
 */
function countBelow(ids: readonly number[], bound: number): number {
  let [from, to] = [0, ids.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if ((ids[middle] as number) < bound) from = middle + 1
    else to = middle
  }
  return from
}

const hasTimeAndId = ({ timestamp, dataId }: NumberedRecord) => timestamp !== null && dataId !== null
const id = (record: NumberedRecord) => record.dataId ?? 0

/**
 * Counts the ids that are skipped between two records. A lower id of a remote unit means a wraparound if the time
 * between the records is long enough for the ids in between. Otherwise, the device has restarted.
 * @param medianMs the median time between consecutive ids, in ms
 */
function countMissing(
  before: NumberedRecord,
  after: NumberedRecord,
  standalone: boolean,
  medianMs: () => number,
): number | 'restart' {
  const step = id(after) - id(before)
  if (step >= 0) return step - 1
  if (standalone) return 'restart'
  const interval = medianMs()
  const elapsed = (after.timestamp ?? 0) - (before.timestamp ?? 0)
  const expected = (step + ID_MODULUS - 1) * interval
  const isPlausible = interval > 0 ? expected <= elapsed * 1.5 : step + ID_MODULUS < ID_MODULUS / 2
  return isPlausible ? step + ID_MODULUS - 1 : 'restart'
}

/** The median time between records with consecutive ids, in ms; 0 if there are none. */
function medianInterval(records: readonly NumberedRecord[]): number {
  const steps: number[] = []
  let before: NumberedRecord | undefined
  for (const after of records) {
    if (!hasTimeAndId(after)) continue
    if (before && (id(after) - id(before) + ID_MODULUS) % ID_MODULUS === 1)
      steps.push((after.timestamp ?? 0) - (before.timestamp ?? 0))
    before = after
  }
  return steps.sort((a, b) => a - b)[Math.floor(steps.length / 2)] ?? 0
}
