import { recordingInterval } from './recording-interval'

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

/** Ids of remote units wrap around from 65,535 to 0. Ids of standalone devices only grow. */
export const ID_MODULUS = 65_536

/**
 * Finds the gaps between records of a series, oldest first. Ids that are all 0 or absent show no gaps, and a longer
 * interval between two records alone is not a gap (docs/service.md, *Fields*).
 */
export function findGaps(records: readonly NumberedRecord[], standalone: boolean): Gap[] {
  return placeGaps(records, standalone).map(({ gap }) => gap)
}

/**
 * Like `findGaps`, with `at`, the index of the record after each gap. If the record with the id before is present
 * anywhere, there is no gap: the records of two clocks may alternate.
 */
export function placeGaps(records: readonly NumberedRecord[], standalone: boolean): PlacedGap[] {
  const jumps = findJumps(records, standalone)
  if (jumps.length === 0) return []
  const dated = records.filter(isDated)
  const present = idsOf(dated)
  // A record without a time may belong to any gap.
  const undated = [...idsOf(records.filter(({ timestamp }) => timestamp === null))]
  const intervalMs = standalone ? 0 : (recordingInterval(dated) ?? 0)
  return jumps.flatMap(({ at, before, after }): PlacedGap[] => {
    const [from, to] = [before.dataId, after.dataId]
    if (present.has(idBefore(to, standalone))) return []
    const skipped = to - from - 1 + (to > from ? 0 : ID_MODULUS)
    // The ids of a remote unit have wrapped around if there was enough time for those that were skipped.
    const hasWrapped = !standalone && skipped * intervalMs <= (after.timestamp - before.timestamp) * 1.5
    const gap = { after: before.time, before: after.time }
    if (to < from && !hasWrapped) return [{ at, gap: { kind: 'restart', ...gap, missing: null } }]
    const isBetween = (id: number) => (to > from ? id > from && id < to : id > from || id < to)
    const missing = skipped - undated.filter(isBetween).length
    return missing > 0 ? [{ at, gap: { kind: 'missing', ...gap, missing } }] : []
  })
}

type PlacedGap = { at: number; gap: Gap }
type DatedRecord = NumberedRecord & { timestamp: number; dataId: number }
const idsOf = (records: readonly NumberedRecord[]) => new Set(records.flatMap(({ dataId }) => dataId ?? []))
const isDated = (record: NumberedRecord): record is DatedRecord =>
  record.timestamp !== null && record.dataId !== null

/** Successive records with ids that are neither equal nor consecutive. Standalone devices have no id 0. */
function findJumps(records: readonly NumberedRecord[], standalone: boolean) {
  const jumps: { at: number; before: DatedRecord; after: DatedRecord }[] = []
  let before: DatedRecord | undefined
  for (const [at, after] of records.entries()) {
    if (!isDated(after) || (standalone && after.dataId === 0)) continue
    const steps = before ? after.dataId - before.dataId : 0
    if (before && steps !== 0 && steps !== 1) jumps.push({ at, before, after })
    before = after
  }
  return jumps
}

/** The id before another one. */
export const idBefore = (dataId: number, standalone: boolean): number =>
  standalone || dataId > 0 ? dataId - 1 : ID_MODULUS - 1
