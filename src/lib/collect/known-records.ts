/**
 * The records of a device that were delivered: how they are told apart, ordered, saved, and found again in a response
 * (docs/collecting.md, *Records*).
 */
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { Channel } from '../readings/channel'
import { ID_MODULUS } from '../readings/continuity'
import { byId, fingerprint, type SeriesRecord } from '../readings/series'
import { shortHash } from './short-hash'

/** Time and number of a record; `dataId` is `null` if it has none. */
export type RecordKey = Pick<SeriesRecord, 'timestamp' | 'dataId'>

/** `<time>/<number>`; each part is blank if absent. */
export const keyOf = ({ timestamp, dataId }: RecordKey): string => `${timestamp ?? ''}/${dataId ?? ''}`

export const byTimeAndNumber = (a: RecordKey, b: RecordKey): number => timeOf(a) - timeOf(b) || byId(a, b)

export const timeOf = ({ timestamp }: RecordKey): number => timestamp ?? Number.NEGATIVE_INFINITY

/** A record whose time is more than this after the arrival of the response has a wrong time. */
export const MAX_AHEAD_MS = 3_600_000

/** The numbers of standalone devices start at 1, so 0 means that there is no number. */
const hasNumber = ({ dataId }: RecordKey, standalone: boolean) =>
  dataId !== null && !(standalone && dataId === 0)

/** Whether two records have the same time and number. */
export const isSameRecord = (a: RecordKey, b: RecordKey): boolean =>
  a.timestamp === b.timestamp && a.dataId === b.dataId

/** The records that are not among others, by time and number. */
export function without<R extends RecordKey>(records: readonly R[], others: readonly RecordKey[]): R[] {
  const keys = new Set(others.map(keyOf))
  return records.filter((record) => !keys.has(keyOf(record)))
}

/** How far a number is after another; negative if it is before. The numbers of remote units wrap around. */
function distance(number: number, other: number, standalone: boolean): number {
  const by = number - other
  return standalone || Math.abs(by) <= ID_MODULUS / 2 ? by : by - Math.sign(by) * ID_MODULUS
}

/** Whether the numbers of two records are consecutive. */
export const follows = (before: RecordKey, after: RecordKey, standalone: boolean): boolean =>
  hasNumber(before, standalone) &&
  hasNumber(after, standalone) &&
  distance(after.dataId ?? 0, before.dataId ?? 0, standalone) === 1

/** Whether a record is older than another by its number, and not later by its time. */
export function isOlder(record: RecordKey, other: RecordKey, standalone: boolean): boolean {
  if (record.timestamp === null || record.timestamp > timeOf(other)) return false
  if (!hasNumber(record, standalone) || !hasNumber(other, standalone)) return false
  return distance(record.dataId ?? 0, other.dataId ?? 0, standalone) < 0
}

export const isAhead = (timestamp: number, receivedAt: number) => timestamp > receivedAt + MAX_AHEAD_MS

/** Whether all records of a response are ahead of the clock, so that they hide the current ones. @param records sorted by time */
export function areAhead([oldest]: readonly RecordKey[], receivedAt: number): boolean {
  return oldest !== undefined && isAhead(timeOf(oldest), receivedAt)
}

/** The records with a time, except those ahead of the response. If all are ahead, all are returned. */
export function inTime<R extends RecordKey>(records: readonly R[], receivedAt: number): R[] {
  const timed = records.filter(({ timestamp }) => timestamp !== null)
  const notAhead = timed.filter(({ timestamp }) => !isAhead(timestamp as number, receivedAt))
  return notAhead.length > 0 ? notAhead : timed
}

/** Records that were delivered, sorted by time. */
export interface KnownRecords {
  records: readonly RecordKey[]
  /** For records that time and number do not distinguish: their keys, each with a hash of the values. */
  hashes: readonly string[]
}

/** The form of `KnownRecords` in the saved state. */
export interface SavedRecords {
  /** Encoded by `encodeRecords`. */
  held: string
  hashes: string[]
}

/** Maximum number of records whose values are compared. The others are compared by time and number only. */
export const MAX_HASHES = 1000

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

function countKeys(records: readonly RecordKey[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const key of records.map(keyOf)) counts.set(key, (counts.get(key) ?? 0) + 1)
  return counts
}

const hashOf = (record: SeriesRecord, key: string, channels: readonly Channel[]) =>
  `${key} ${shortHash(fingerprint(record, channels))}`

/** Maximum number of records in a cursor. No *latest* response has more. */
export const MAX_ENCODED = 10_000
const MAX_JSON_LENGTH = 1_000_000

/**
 * Encodes the records of a response as compact text for a cursor, from the differences of successive times and numbers.
 * About 60 characters are enough for a device that records at a constant interval.
 */
export function encodeRecords(records: readonly RecordKey[]): string {
  if (records.length === 0) return ''
  const [times, numbers] = [records.map(({ timestamp }) => timestamp), records.map(({ dataId }) => dataId)]
  return deflateRawSync(JSON.stringify([toSteps(times), toSteps(numbers)])).toString('base64url')
}

/** Decodes the output of `encodeRecords`; `undefined` for any other text, and for more than 10,000 records. */
export function decodeRecords(text: string): RecordKey[] | undefined {
  if (text === '') return []
  try {
    const json = inflateRawSync(Buffer.from(text, 'base64url'), { maxOutputLength: MAX_JSON_LENGTH })
    const [times, numbers] = JSON.parse(json.toString())
    if (!isSteps(times) || !isSteps(numbers) || times.length !== numbers.length) return undefined
    const dataIds = fromSteps(numbers)
    return fromSteps(times).map((timestamp, index) => ({ timestamp, dataId: dataIds[index] ?? null }))
  } catch {
    return undefined
  }
}

type Steps = (number | null)[]

function toSteps(values: Steps): Steps {
  let last = 0
  return values.map((value) => {
    const step = value === null ? null : value - last
    last = value ?? last
    return step
  })
}

function fromSteps(steps: Steps): Steps {
  let last = 0
  return steps.map((step) => {
    last += step ?? 0
    return step === null ? null : last
  })
}

const isSteps = (value: unknown): value is Steps =>
  Array.isArray(value) &&
  value.length <= MAX_ENCODED &&
  value.every((step) => step === null || Number.isSafeInteger(step))
