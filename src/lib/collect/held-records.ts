/**
 * The records of a response as compact text for a cursor: time and number of each record, run-length encoded, so that a
 * device that records at a constant interval needs only a few characters.
 */
import type { SeriesRecord } from '../readings/record-reader'

/** Time and number of a record; `dataId` is `null` if it has none. */
export type RecordKey = Pick<SeriesRecord, 'timestamp' | 'dataId'>

/** `<time>/<number>`; each part is blank if absent. */
export const keyOf = ({ timestamp, dataId }: RecordKey): string => `${timestamp ?? ''}/${dataId ?? ''}`

const BASE = 36

/**
 * Runs, separated by blanks. `<time>.<number>` starts a run, in seconds since 1970; each part is blank if absent.
 * `+<seconds>.<number>` is a step from the previous record, and `*<count>` repeats it. Numbers are in base 36.
 */
export function encodeHeld(records: readonly RecordKey[]): string {
  const words: string[] = []
  let before: RecordKey | undefined
  let repeated = 0
  const endRun = () => {
    if (repeated > 1) words.push(`*${repeated.toString(BASE)}`)
    repeated = 0
  }
  let last = ''
  for (const record of records) {
    const word = before && canStep(before, record) ? stepTo(before, record) : placeOf(record)
    if (word === last && word.startsWith('+')) repeated++
    else {
      endRun()
      words.push(word)
      repeated = 1
    }
    last = word
    before = record
  }
  endRun()
  return words.join(' ')
}

const canStep = (before: RecordKey, record: RecordKey) =>
  before.timestamp !== null &&
  record.timestamp !== null &&
  (before.dataId === null) === (record.dataId === null)

const stepTo = (before: RecordKey, record: RecordKey) =>
  `+${inSeconds((record.timestamp ?? 0) - (before.timestamp ?? 0))}.${write((record.dataId ?? 0) - (before.dataId ?? 0))}`

const placeOf = ({ timestamp, dataId }: RecordKey) =>
  `${timestamp === null ? '' : inSeconds(timestamp)}.${write(dataId)}`

/** Milliseconds follow a comma; the service does not use them. */
function inSeconds(ms: number): string {
  const rest = ((ms % 1000) + 1000) % 1000
  return rest === 0 ? write(ms / 1000) : `${write((ms - rest) / 1000)},${rest}`
}

const write = (value: number | null) => (value === null ? '' : value.toString(BASE))

/** Decodes the output of `encodeHeld`; `undefined` for any other text, and for more than `most` records. */
export function decodeHeld(text: string, most: number): RecordKey[] | undefined {
  const records: RecordKey[] = []
  let step: RecordKey = { timestamp: 0, dataId: 0 }
  for (const word of text === '' ? [] : text.split(' ')) {
    const last = records.at(-1)
    const repeats = word.startsWith('*') ? Number.parseInt(word.slice(1), BASE) - 1 : 1
    if (!(repeats >= 1 && records.length + repeats <= most)) return undefined
    if (word.startsWith('*') || word.startsWith('+')) {
      if (!last) return undefined
      if (word.startsWith('+')) step = readPlace(word.slice(1))
      for (let index = 0; index < repeats; index++) records.push(stepFrom(records.at(-1) as RecordKey, step))
    } else records.push(readPlace(word))
  }
  return encodeHeld(records) === text ? records : undefined
}

const stepFrom = (last: RecordKey, { timestamp, dataId }: RecordKey): RecordKey => ({
  timestamp: (last.timestamp ?? 0) + (timestamp ?? 0),
  dataId: last.dataId === null ? null : last.dataId + (dataId ?? 0),
})

function readPlace(word: string): RecordKey {
  const [time = '', number = ''] = word.split('.')
  const [seconds = '', rest = '0'] = time.split(',')
  return {
    timestamp: time === '' ? null : Number.parseInt(seconds, BASE) * 1000 + Number(rest),
    dataId: number === '' ? null : Number.parseInt(number, BASE),
  }
}
