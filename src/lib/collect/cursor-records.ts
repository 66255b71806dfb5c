import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { SeriesRecord } from '../readings/series'

/** Time and number of a record; `dataId` is `null` if it has none. */
export type RecordKey = Pick<SeriesRecord, 'timestamp' | 'dataId'>

/** `<time>/<number>`; each part is blank if absent. */
export const keyOf = ({ timestamp, dataId }: RecordKey): string => `${timestamp ?? ''}/${dataId ?? ''}`

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
