import { MAX_RECORDS } from '../endpoints'
import { EnvlogError } from '../errors'
import { readNumber } from './number'

/**
 * The records of an answer, stored by column. An answer has up to 65,535 of them and arrives in parts. As columns of
 * numbers they take a third of the memory of objects, and there are no objects to be garbage collected.
 */
export interface RecordTable {
  length: number
  /** How many records the columns have memory for. */
  capacity: number
  /** By key of the records. */
  columns: Map<string, Column>
  /** Indexes of records that are no objects. */
  invalidRecords: number[]
}

/** The values of one key, by index of the record. */
export interface Column {
  /** Each value as `readNumber` reads it; NaN where that is `null`. Its length is the capacity of the table. */
  numbers: Float64Array
  /** The values that are no numbers, unchanged. A record without the key has no entry. */
  nonNumbers: Map<number, unknown>
}

/**
 * True for the keys of a record (docs/service.md, *Fields*). Other keys are ignored, because a faulty answer may have
 * thousands of them.
 */
export const isRecordKey = (key: string): boolean => RECORD_KEY.test(key)
const RECORD_KEY = /^(?:unixtime|data[-_]id|ch[1-9]\d?)$/

export function createRecordTable(): RecordTable {
  return { length: 0, capacity: 0, columns: new Map(), invalidRecords: [] }
}

/** Limits the elements of any list in an answer. @throws EnvlogError `reply-too-many` */
export function checkRecordCount(count: number): void {
  if (count > MAX_RECORDS) throw new EnvlogError('reply-too-many', { most: MAX_RECORDS })
}

/** Allocates memory for so many further records. @throws EnvlogError `reply-too-many` */
export function ensureCapacity(table: RecordTable, more: number): void {
  const needed = table.length + more
  if (table.capacity >= needed) return
  checkRecordCount(needed)
  table.capacity = Math.min(MAX_RECORDS, Math.max(needed, 2 * table.capacity))
  for (const column of table.columns.values()) {
    const previous = column.numbers
    column.numbers = new Float64Array(table.capacity)
    column.numbers.set(previous)
  }
}

/** Appends parsed records; `null` ones are skipped. @throws EnvlogError `reply-too-many` */
export function appendRecords(table: RecordTable, records: readonly unknown[]): void {
  ensureCapacity(table, records.length)
  for (const record of records) {
    if (record === null) continue
    const index = table.length++
    for (const { numbers } of table.columns.values()) numbers[index] = Number.NaN
    if (typeof record !== 'object' || Array.isArray(record)) {
      table.invalidRecords.push(index)
      continue
    }
    for (const [key, value] of Object.entries(record)) {
      if (isRecordKey(key)) setValue(getOrCreateColumn(table, key), index, value)
    }
  }
}

function getOrCreateColumn({ length, capacity, columns }: RecordTable, key: string): Column {
  let column = columns.get(key)
  if (!column) {
    column = { numbers: new Float64Array(capacity).fill(Number.NaN, 0, length), nonNumbers: new Map() }
    columns.set(key, column)
  }
  return column
}

/** Stores a value of a record: as a number if it is one or a text of one, else unchanged. */
export function setValue({ numbers, nonNumbers }: Column, index: number, value: unknown): void {
  const number = readNumber(value)
  numbers[index] = number ?? Number.NaN
  if (number === null) nonNumbers.set(index, isObject(value) ? OBJECT : value)
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null
/** Replaces any object: what it holds is no value, and may be nested too deeply to be cloned. */
const OBJECT = Object.freeze({})

/** A column that drops whatever is stored in it, for keys that no record has. */
export const IGNORED_COLUMN: Column = {
  numbers: new Float64Array(0),
  nonNumbers: Object.assign(new Map<number, unknown>(), { set: () => IGNORED_COLUMN.nonNumbers }),
}

/** The column of a key; an empty one if no record has the key. */
export function getColumn({ length, columns }: RecordTable, key: string): Column {
  return columns.get(key) ?? { numbers: new Float64Array(length).fill(Number.NaN), nonNumbers: new Map() }
}

/** The value of a record: a number if it is one or a text of one, else unchanged; `undefined` without the key. */
export function getValue({ numbers, nonNumbers }: Column, index: number): unknown {
  const number = numbers[index] as number
  return Number.isNaN(number) ? nonNumbers.get(index) : number
}

/** A copy of the table without the records at these indexes, which include all that are no objects. */
export function withoutRecords({ length, columns }: RecordTable, excluded: ReadonlySet<number>): RecordTable {
  const indexes = Array.from({ length }, (_, index) => index).filter((index) => !excluded.has(index))
  const copies = [...columns].map(([key, column]) => [key, pickRows(column, indexes)] as const)
  return { length: indexes.length, capacity: indexes.length, columns: new Map(copies), invalidRecords: [] }
}

function pickRows({ numbers, nonNumbers }: Column, indexes: readonly number[]): Column {
  const column: Column = { numbers: new Float64Array(indexes.length), nonNumbers: new Map() }
  for (const [index, source] of indexes.entries()) {
    column.numbers[index] = numbers[source] as number
    if (nonNumbers.has(source)) column.nonNumbers.set(index, nonNumbers.get(source))
  }
  return column
}
