/** A place in a series where the device's ids tell that something is not there. */
export interface Gap {
  /** `missing`: ids were left out. `restart`: the device began again at a lower id. */
  kind: 'missing' | 'restart'
  /** Times of the neighbouring records. */
  after: string | null
  before: string | null
  /** How many records; `null` where a restart makes it unknown. */
  missing: number | null
}

/** What continuity looks at of a record. */
export interface NumberedRecord {
  time: string | null
  timestamp: number | null
  dataId: number | null
}

/** Relay ids run 0…65535 and start over; standalone ids only grow (docs/service.md, *Fields*). */
export const ID_MODULUS = 65_536

/** A gap and the index of the record after it: times alone do not tell, several records may have one. */
export interface PlacedGap {
  at: number
  gap: Gap
}

/**
 * Gaps between neighbours of an ordered series. Ids that are all 0, or absent, claim nothing; spacing in time
 * alone is never a gap (docs/service.md, *Fields*).
 */
export function findGaps(records: readonly NumberedRecord[], standalone: boolean): Gap[] {
  return placeGaps(records, standalone).map(({ gap }) => gap)
}

/** The same with their places. */
export function placeGaps(records: readonly NumberedRecord[], standalone: boolean): PlacedGap[] {
  const gaps: PlacedGap[] = []
  const interval = onceOnly(() => usualInterval(records))
  const undated = onceOnly(() => undatedIds(records))
  let before: NumberedRecord | undefined
  for (let index = 0; index < records.length; index++) {
    const after = records[index] as NumberedRecord
    if (!isTimed(after)) continue
    const found = before && (standalone ? grown(before, after) : turned(before, after, interval))
    if (before && found && (found === 'restart' || found > 0)) {
      const missing = found === 'restart' ? null : found - countBetween(undated(), before, after)
      const kind = missing === null ? 'restart' : 'missing'
      if (missing === null || missing > 0) {
        gaps.push({ at: index, gap: { kind, after: before.time, before: after.time, missing } })
      }
    }
    before = after
  }
  return gaps
}

/** Few series need it, and for those it is the same everywhere. */
function onceOnly<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** Ids of records that have no time, each once, the smallest first: they may be anywhere. */
function undatedIds(records: readonly NumberedRecord[]): number[] {
  const ids = new Set<number>()
  for (const { timestamp, dataId } of records) if (timestamp === null && dataId !== null) ids.add(dataId)
  return [...ids].sort((one, other) => one - other)
}

/** Ids that turned over are those behind the one and those before the other. */
function countBetween(ids: readonly number[], before: NumberedRecord, after: NumberedRecord): number {
  const [up, down] = [countBelow(ids, id(before) + 1), countBelow(ids, id(after))]
  return id(after) > id(before) ? down - up : ids.length - up + down
}

/** Of numbers in order. */
function countBelow(ids: readonly number[], bound: number): number {
  let [from, to] = [0, ids.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if ((ids[middle] as number) < bound) from = middle + 1
    else to = middle
  }
  return from
}

const isTimed = ({ timestamp, dataId }: NumberedRecord) => timestamp !== null && dataId !== null
const id = (record: NumberedRecord) => record.dataId ?? 0

function grown(before: NumberedRecord, after: NumberedRecord): number | 'restart' {
  const step = id(after) - id(before)
  return step < 0 ? 'restart' : step - 1
}

/** A lower id is a turn if the time in between is long enough for the records it would mean, else a restart. */
function turned(before: NumberedRecord, after: NumberedRecord, usual: () => number): number | 'restart' {
  const step = id(after) - id(before)
  if (step >= 0) return step - 1
  const interval = usual()
  const elapsed = (after.timestamp ?? 0) - (before.timestamp ?? 0)
  const wouldTake = (step + ID_MODULUS - 1) * interval
  const plausible = interval > 0 ? wouldTake <= elapsed * 1.5 : step + ID_MODULUS < ID_MODULUS / 2
  return plausible ? step + ID_MODULUS - 1 : 'restart'
}

/** The median time from one id to the next, in ms; 0 where none follow each other. */
function usualInterval(records: readonly NumberedRecord[]): number {
  const counts = new Map<number, number>()
  let before: NumberedRecord | undefined
  let total = 0
  /** Nearly all are as the one before: counted before they are put down. */
  let last = 0
  let again = 0
  const count = () => counts.set(last, (counts.get(last) ?? 0) + again)
  for (const after of records) {
    if (!isTimed(after)) continue
    if (before && (id(after) - id(before) + ID_MODULUS) % ID_MODULUS === 1) {
      const step = (after.timestamp ?? 0) - (before.timestamp ?? 0)
      total++
      if (step !== last) {
        count()
        last = step
        again = 0
      }
      again++
    }
    before = after
  }
  count()
  let left = Math.floor(total / 2)
  for (const [step, count] of [...counts].sort(([one], [other]) => one - other)) {
    if (left < count) return step
    left -= count
  }
  return 0
}
