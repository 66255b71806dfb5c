import { type Fields, isObject } from '../decode/fields'
import { readTimestamp } from '../decode/time'
import { readNumber, readValueError } from '../decode/value'
import type { Channel } from './channel'

/** One record of a series (docs/messages.md), with a value for each of its channels. */
export interface SeriesRecord {
  time: string | null
  /** ms since 1970 UTC. */
  timestamp: number | null
  dataId: number | null
  /** The errors of values that are `null`, by channel key. Absent if all values of the record are numbers. */
  errors?: Record<string, string>
  [key: `ch${number}`]: number | null
}

/**
 * Reads one record of a response (docs/service.md, *Fields*); `undefined` if it is not an object or its time is invalid.
 */
export function readRecord(
  fields: unknown,
  channels: readonly Channel[],
  formatTime: (timestamp: number | null) => string | null,
): SeriesRecord | undefined {
  if (!isObject(fields)) return undefined
  const timestamp = readTimestamp(fields.unixtime)
  if (timestamp === undefined) return undefined
  const record: SeriesRecord = { time: formatTime(timestamp), timestamp, dataId: readId(fields) }
  let errors: Record<string, string> | undefined
  for (const { key } of channels) {
    const value = readNumber(fields[key])
    record[key as `ch${number}`] = value
    if (value !== null) continue
    errors ??= {}
    errors[key] = readValueError(fields[key])
  }
  if (errors) record.errors = errors
  return record
}

/** The difference of two ids must be exact, because cursors contain differences. */
const MAX_ID = 2 ** 52 - 1

/** Reads the record's id; `null` if it is not an integer, or too large. If both spellings have a value, the first is used. */
function readId(fields: Fields): number | null {
  const id = readNumber(fields['data-id']) ?? readNumber(fields.data_id)
  return Number.isInteger(id) && Math.abs(id as number) <= MAX_ID ? id : null
}
