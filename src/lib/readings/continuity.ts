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
 * Finds the gaps between records of a series, by the record after each gap. Ids that are all 0 or absent show no gaps,
 * and a longer interval between two records alone is not a gap (docs/service.md, *Fields*). If the record with the id
 * before is present anywhere, there is no gap: the records of two clocks may alternate.
 * @param records oldest first
 */
export function findGaps<R extends NumberedRecord>(records: readonly R[], standalone: boolean): Map<R, Gap> {
  const gaps = new Map<R, Gap>()
  const jumps = overAbsent(findJumps(records, standalone), records, standalone)
  if (jumps.length === 0) return gaps
  const dated = records.filter(isDated)
  // A record without a time may belong to any gap.
  const undated = [...idsOf(records.filter(({ timestamp }) => timestamp === null))]
  // The time between two records alone does not show how many are missing.
  const intervalMs = dated.length > 2 ? recordingInterval(dated) : null
  for (const { before, after } of jumps) {
    const [from, to] = [before.dataId, after.dataId]
    const skipped = to - from - 1 + (to > from ? 0 : ID_MODULUS)
    // The ids of a remote unit have wrapped around if there was enough time for those that were skipped.
    const isPlausible =
      intervalMs === null
        ? skipped < ID_MODULUS / 2
        : skipped * intervalMs <= (after.timestamp - before.timestamp) * 1.5
    const isRestart = to < from && (standalone || !isPlausible)
    const missing = skipped - undated.filter((id) => isBetween(id, from, to)).length
    const gap = { after: before.time, before: after.time }
    if (isRestart) gaps.set(after, { kind: 'restart', ...gap, missing: null })
    else if (missing > 0) gaps.set(after, { kind: 'missing', ...gap, missing })
  }
  return gaps
}

type Dated<R> = R & { timestamp: number; dataId: number }
interface Jump<R> {
  before: Dated<R>
  after: Dated<R>
}
const idsOf = (records: readonly NumberedRecord[]) => new Set(records.flatMap(({ dataId }) => dataId ?? []))
const idBefore = (id: number, standalone: boolean) => (standalone || id > 0 ? id - 1 : ID_MODULUS - 1)
const isDated = <R extends NumberedRecord>(record: R): record is Dated<R> =>
  record.timestamp !== null && record.dataId !== null

/** Whether an id is between two others, perhaps across a wraparound. */
const isBetween = (id: number, from: number, to: number) =>
  to > from ? id > from && id < to : id > from || id < to

/** Successive records with ids that are neither equal nor consecutive. Standalone devices have no id 0. */
function findJumps<R extends NumberedRecord>(records: readonly R[], standalone: boolean): Jump<R>[] {
  const jumps: Jump<R>[] = []
  let before: Dated<R> | undefined
  for (const after of records) {
    if (!isDated(after) || (standalone && after.dataId === 0)) continue
    const steps = before ? after.dataId - before.dataId : 0
    if (before && steps !== 0 && steps !== 1) jumps.push({ before, after })
    before = after
  }
  return jumps
}

/** The jumps to an id before which no record has the id. */
function overAbsent<R extends NumberedRecord>(
  jumps: readonly Jump<R>[],
  records: readonly R[],
  standalone: boolean,
): Jump<R>[] {
  const before = ({ after }: Jump<R>) => idBefore(after.dataId, standalone)
  // Only of the jumps: a set of the ids of all records takes longer than everything else about gaps.
  const absent = new Set(jumps.map(before))
  if (absent.size > 0) for (const record of records) if (isDated(record)) absent.delete(record.dataId)
  return jumps.filter((jump) => absent.has(before(jump)))
}
