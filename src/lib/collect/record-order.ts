import { ID_MODULUS } from '../readings/continuity'
import type { RecordKey } from './cursor-records'
import { timeOf } from './known-records'

/** A record whose time is more than this after the arrival of the response has a wrong time. */
export const MAX_AHEAD_MS = 3_600_000

/** The numbers of standalone devices start at 1, so 0 means that there is no number. */
const hasNumber = ({ dataId }: RecordKey, standalone: boolean) =>
  dataId !== null && !(standalone && dataId === 0)

/** Whether two records have the same time and number. */
export const isSameRecord = (a: RecordKey, b: RecordKey): boolean =>
  a.timestamp === b.timestamp && a.dataId === b.dataId

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

/** The records with a time, except those ahead of the response. If all are ahead, all are returned. */
export function inTime<R extends RecordKey>(records: readonly R[], receivedAt: number): R[] {
  const timed = records.filter(({ timestamp }) => timestamp !== null)
  const notAhead = timed.filter(({ timestamp }) => !isAhead(timestamp as number, receivedAt))
  return notAhead.length > 0 ? notAhead : timed
}
