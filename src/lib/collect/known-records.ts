import type { Channel } from '../readings/channel'
import { fingerprint, type SeriesRecord } from '../readings/series'
import { decodeRecords, encodeRecords, keyOf, type RecordKey } from './cursor-records'
import { shortHash } from './short-hash'

/** Records that were delivered, sorted by time. */
export interface KnownRecords {
  records: readonly RecordKey[]
  /** For records that time and number do not distinguish: their keys, each with a hash of the values. */
  hashes: readonly string[]
}

/** The form of `KnownRecords` in the saved state. */
export interface SavedRecords {
  held: string
  hashes: string[]
}

/** Maximum number of records whose values are compared. The others are compared by time and number only. */
const MAX_HASHES = 1000

export const readKnown = ({ held, hashes }: SavedRecords): KnownRecords => ({
  records: decodeRecords(held) ?? [],
  hashes,
})

/** @param records in any order; hashes of other records are left out */
export function saveKnown(records: readonly RecordKey[], hashes: readonly string[]): SavedRecords {
  const sorted = records.toSorted(byTimeAndNumber)
  const keys = hashes.length > 0 ? new Set(records.map(keyOf)) : new Set<string>()
  const kept = hashes.filter((hash) => keys.has(hash.slice(0, hash.indexOf(' '))))
  return { held: encodeRecords(sorted), hashes: [...new Set(kept)].slice(-MAX_HASHES) }
}

/** The records that are not among the known ones. Values are compared only if several have the same time and number. */
export function selectUnknown(
  known: KnownRecords,
  records: readonly SeriesRecord[],
  channels: readonly Channel[],
): SeriesRecord[] {
  const times = new Set(known.records.map(({ timestamp }) => timestamp))
  const hashes = new Set(known.hashes)
  const before = countKeys(known.records)
  const now = countKeys(records.filter(({ timestamp }) => times.has(timestamp)))
  return records.filter((record) => {
    if (!times.has(record.timestamp)) return true
    const key = keyOf(record)
    const [count, received] = [before.get(key) ?? 0, now.get(key) ?? 0]
    if (count === 0) return true
    if (count === 1 && received === 1) return false
    // If in doubt, deliver the record again.
    return received > count && !hashes.has(hashOf(record, key, channels))
  })
}

/**
 * Hashes of the records that time and number do not distinguish.
 * @param edge a time at which more records without a number may arrive later; `null` for none
 */
export function hashesOf(
  records: readonly SeriesRecord[],
  channels: readonly Channel[],
  edge: number | null,
): string[] {
  const counts = countKeys(records)
  return records.flatMap((record) => {
    const key = keyOf(record)
    const mayBeShared = record.timestamp === edge && !record.dataId
    return mayBeShared || (counts.get(key) ?? 0) > 1 ? [hashOf(record, key, channels)] : []
  })
}

export const byTimeAndNumber = (a: RecordKey, b: RecordKey): number =>
  timeOf(a) - timeOf(b) || (a.dataId ?? 0) - (b.dataId ?? 0)

export const timeOf = ({ timestamp }: RecordKey): number => timestamp ?? Number.NEGATIVE_INFINITY

function countKeys(records: readonly RecordKey[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const key of records.map(keyOf)) counts.set(key, (counts.get(key) ?? 0) + 1)
  return counts
}

const hashOf = (record: SeriesRecord, key: string, channels: readonly Channel[]) =>
  `${key} ${shortHash(fingerprint(record, channels))}`
