import { MAX_RECORDS } from '../endpoints'
import { EnvlogError } from '../errors'
import { readNumber } from './number'

/**
 * Records of an answer as columns. An answer has up to 65,535 of them, taken in by slices: as numbers side by side
 * they take a third of the room of objects, and nobody has to collect them.
 */
export interface RecordTable {
  length: number
  /** How many there is room for. */
  room: number
  /** By key. */
  columns: Map<string, Column>
  /** Records that are no objects. */
  misfits: number[]
}

/** The values of one key, by record. */
export interface Column {
  /** What `readNumber` makes of each; NaN where that is nothing. It is as long as the table's `room`. */
  numbers: Float64Array
  /** What came where there is no number; nothing where the record lacks the key. */
  others: Map<number, unknown>
}

/** What a record is made of (docs/service.md, *Fields*); other keys are not ours, and there may be thousands of them. */
export const isRecordKey = (key: string): boolean => RECORD_KEY.test(key)
const RECORD_KEY = /^(?:unixtime|data[-_]id|ch[1-9]\d?)$/

export function createRecordTable(): RecordTable {
  return { length: 0, room: 0, columns: new Map(), misfits: [] }
}

/** Of whatever an answer has a list. @throws EnvlogError `reply-too-many` */
export function checkRecordCount(count: number): void {
  if (count > MAX_RECORDS) throw new EnvlogError('reply-too-many', { most: MAX_RECORDS })
}

/** Makes room for so many more. @throws EnvlogError `reply-too-many` */
export function reserve(table: RecordTable, more: number): void {
  const wanted = table.length + more
  if (table.room >= wanted) return
  checkRecordCount(wanted)
  table.room = Math.min(MAX_RECORDS, Math.max(wanted, 2 * table.room))
  for (const column of table.columns.values()) {
    const before = column.numbers
    column.numbers = new Float64Array(table.room)
    column.numbers.set(before)
  }
}

/** Takes in what came next. @throws EnvlogError `reply-too-many` */
export function appendRecords(table: RecordTable, records: readonly unknown[]): void {
  reserve(table, records.length)
  for (const record of records) {
    if (record === null) continue
    const index = table.length++
    for (const { numbers } of table.columns.values()) numbers[index] = Number.NaN
    if (typeof record !== 'object' || Array.isArray(record)) {
      table.misfits.push(index)
      continue
    }
    for (const [key, value] of Object.entries(record)) {
      if (isRecordKey(key)) put(ownColumn(table, key), index, value)
    }
  }
}

function ownColumn({ length, room, columns }: RecordTable, key: string): Column {
  let column = columns.get(key)
  if (!column) {
    column = { numbers: new Float64Array(room).fill(Number.NaN, 0, length), others: new Map() }
    columns.set(key, column)
  }
  return column
}

/** What a record has there: the number that it is, or else as it came. */
export function put({ numbers, others }: Column, index: number, value: unknown): void {
  const number = readNumber(value)
  numbers[index] = number ?? Number.NaN
  if (number === null) others.set(index, isObject(value) ? OBJECT : value)
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null
/** Stands for any: what it holds is no value, and may be deeper than it could be copied. */
const OBJECT = Object.freeze({})

/** Where values go whose key is none of a record's. */
export const IGNORED_COLUMN: Column = {
  numbers: new Float64Array(0),
  others: Object.assign(new Map<number, unknown>(), { set: () => IGNORED_COLUMN.others }),
}

/** The values of a key; of one that no record has nothing but gaps. */
export function getColumn({ length, columns }: RecordTable, key: string): Column {
  return columns.get(key) ?? { numbers: new Float64Array(length).fill(Number.NaN), others: new Map() }
}

/** What a record has there, numeric text as a number. */
export function getValue({ numbers, others }: Column, index: number): unknown {
  const number = numbers[index] as number
  return Number.isNaN(number) ? others.get(index) : number
}

/** The same without some of them. */
export function withoutRecords({ length, columns }: RecordTable, gone: ReadonlySet<number>): RecordTable {
  const kept = Array.from({ length }, (_, index) => index).filter((index) => !gone.has(index))
  const names = [...columns].map(([key, column]) => [key, only(column, kept)] as const)
  return { length: kept.length, room: kept.length, columns: new Map(names), misfits: [] }
}

function only({ numbers, others }: Column, kept: readonly number[]): Column {
  const column: Column = { numbers: new Float64Array(kept.length), others: new Map() }
  for (const [index, before] of kept.entries()) {
    column.numbers[index] = numbers[before] as number
    if (others.has(before)) column.others.set(index, others.get(before))
  }
  return column
}
