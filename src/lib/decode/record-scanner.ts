import { MAX_RECORDS } from '../endpoints'
import { parseJson } from './json'
import {
  appendRecords,
  type Column,
  ensureCapacity,
  IGNORED_COLUMN,
  isRecordKey,
  type RecordTable,
  setValue,
} from './record-table'

const [QUOTE, BACKSLASH, COMMA, MINUS, DOT] = [0x22, 0x5c, 0x2c, 0x2d, 0x2e]
const [OPEN, CLOSE, ZERO, NINE, SPACE] = [0x7b, 0x7d, 0x30, 0x39, 0x20]

/** An integer of so many digits is exact, and its quotient by a power of ten up to here is rounded correctly. */
const EXACT_DIGITS = 15
const POWERS_OF_TEN = Array.from({ length: EXACT_DIGITS + 1 }, (_, power) => 10 ** power)

/** After so many records in a row without a known layout scanning ends, because parsing batches is faster for them. */
const MAX_UNKNOWN_LAYOUTS = 16

/**
 * Creates a scanner that reads records (docs/service.md, *Fields*) from the bytes of an answer into a table. Where
 * they are plain numbers, or texts of them, that takes less than half the time of parsing. Nearly all records have the
 * layout (keys and their order) of the one before. A record with another layout is parsed by itself, and sets the
 * layout that is expected of those behind it.
 */
export function createRecordScanner(table: RecordTable) {
  const scanner: Scanner = {
    table,
    prefixes: [],
    columns: [],
    recordColumns: 0,
    minRecordBytes: Number.POSITIVE_INFINITY,
    unknownLayouts: 0,
  }
  return {
    /**
     * Reads whole records, each with the comma behind it, and returns how many bytes they take.
     * @throws EnvlogError `reply-too-many`
     */
    scan: (bytes: Buffer) => scan(scanner, bytes),
  }
}

/**
 * The state of a scanner. The functions are no closures over it: they would be garbage with each answer, and the
 * machine code that V8 made of them too.
 */
interface Scanner {
  table: RecordTable
  /** The layout: the bytes in front of each value, from the key before to the colon. */
  prefixes: readonly Uint8Array[]
  /** The column of each value; `IGNORED_COLUMN` for other keys than those of records. */
  columns: readonly Column[]
  /** How many of `columns` belong to the table. */
  recordColumns: number
  /** Bytes of the shortest record that has all keys of the layout. */
  minRecordBytes: number
  /** How many records in a row did not have the expected layout. */
  unknownLayouts: number
}

function scan(scanner: Scanner, bytes: Buffer): number {
  // Nothing is read behind the end of the last record: V8 makes faster code if no access is out of bounds.
  const end = bytes.lastIndexOf('},') + 2
  reserveRecords(scanner, end)
  let done = 0
  while (done < end && scanner.unknownLayouts < MAX_UNKNOWN_LAYOUTS) {
    const next = scanKnownLayout(scanner, bytes, done) ?? parseUnknownLayout(scanner, bytes, done)
    if (next === undefined) break
    done = next
  }
  return done
}

/**
 * Scans a record that has the expected keys in their order, some of which may be absent. Returns where the next begins.
 */
function scanKnownLayout(scanner: Scanner, bytes: Buffer, start: number): number | undefined {
  const { table, prefixes, columns, recordColumns } = scanner
  if (prefixes.length === 0 || recordColumns !== table.columns.size) return undefined
  const index = table.length
  if (index === table.capacity) ensureCapacity(table, 1)
  let at = start
  for (let place = 0; place < prefixes.length && at >= 0; place++) {
    const column = columns[place] as Column
    const valueStart = skipPrefix(bytes, at, prefixes[place] as Uint8Array)
    if (valueStart < 0) column.numbers[index] = Number.NaN
    else at = scanValue(bytes, valueStart, column, index)
  }
  if (at > start && bytes[at] === CLOSE && bytes[at + 1] === COMMA) {
    table.length = index + 1
    scanner.unknownLayouts = 0
    return at + 2
  }
  for (const { nonNumbers } of columns) nonNumbers.delete(index)
  return undefined
}

/**
 * Parses one record and expects its layout from then on. Returns where the next begins. The text up to the first brace
 * is tried: if it parses, it is the whole record, whatever its texts hold.
 */
function parseUnknownLayout(scanner: Scanner, bytes: Buffer, start: number): number | undefined {
  if (bytes[start] !== OPEN) return undefined
  const end = bytes.indexOf(CLOSE, start) + 1
  if (end === 0 || bytes[end] !== COMMA) return undefined
  const record = parseJson(bytes.toString('utf8', start, end)) as object | undefined
  if (!record) return undefined
  const { table } = scanner
  appendRecords(table, [record])
  scanner.unknownLayouts++
  const keys = Object.keys(record)
  scanner.prefixes = keys.map((key, index) =>
    Buffer.from(`${index === 0 ? '{' : ','}${JSON.stringify(key)}:`),
  )
  scanner.columns = keys.map((key) =>
    isRecordKey(key) ? (table.columns.get(key) as Column) : IGNORED_COLUMN,
  )
  scanner.recordColumns = keys.filter(isRecordKey).length
  scanner.minRecordBytes = scanner.prefixes.reduce((sum, prefix) => sum + prefix.length + 1, 2)
  reserveRecords(scanner, bytes.length)
  return end + 1
}

/** Allocates memory for the records that so many bytes may hold, up to what an answer may hold. */
function reserveRecords({ table, minRecordBytes }: Scanner, bytes: number): void {
  ensureCapacity(table, Math.min(Math.ceil(bytes / minRecordBytes), MAX_RECORDS - table.length))
}

/** Returns the end of the prefix that begins at `start`; -1 where there are other bytes. */
function skipPrefix(bytes: Uint8Array, start: number, prefix: Uint8Array): number {
  for (let index = 0; index < prefix.length; index++) if (bytes[start + index] !== prefix[index]) return -1
  return start + prefix.length
}

/**
 * Stores the value that begins at `start`. Returns its end; -1 where it is no plain value, or has not arrived as a
 * whole.
 */
function scanValue(bytes: Buffer, start: number, column: Column, index: number): number {
  const isText = bytes[start] === QUOTE
  const first = isText ? start + 1 : start
  const digits = bytes[first] === MINUS ? first + 1 : first
  let at = digits
  let dot = -1
  let whole = 0
  for (; at < bytes.length; at++) {
    const byte = bytes[at] as number
    if (byte >= ZERO && byte <= NINE) whole = whole * 10 + (byte - ZERO)
    else if (byte === DOT && dot < 0) dot = at
    else break
  }
  const count = at - digits - (dot < 0 ? 0 : 1)
  const isNumber = isText
    ? bytes[at] === QUOTE
    : isEndOfValue(bytes[at]) && isJsonNumber(bytes, digits, dot, at)
  if (!isNumber || count === 0 || count > EXACT_DIGITS) {
    return isText ? scanText(bytes, first, column, index) : parseLiteral(bytes, start, column, index)
  }
  const size = dot < 0 ? whole : whole / (POWERS_OF_TEN[at - dot - 1] as number)
  column.numbers[index] = digits > first ? -size : size
  return isText ? at + 1 : at
}

const isEndOfValue = (byte: number | undefined) => byte === COMMA || byte === CLOSE

/** Unlike a number in a text, one of JSON has no leading zero, and digits on both sides of its dot. */
function isJsonNumber(bytes: Uint8Array, first: number, dot: number, end: number): boolean {
  const wholes = (dot < 0 ? end : dot) - first
  return wholes > 0 && (wholes === 1 || bytes[first] !== ZERO) && dot !== end - 1
}

/** Stores the text that begins at `start`, behind its quotation mark. Returns its end, or -1. */
function scanText(bytes: Buffer, start: number, column: Column, index: number): number {
  let at = start
  let isEscaped = false
  for (; at < bytes.length && bytes[at] !== QUOTE; at++) {
    if ((bytes[at] as number) < SPACE) return -1
    if (bytes[at] !== BACKSLASH) continue
    isEscaped = true
    at++
  }
  if (bytes[at] !== QUOTE) return -1
  const text = isEscaped
    ? parseJson(bytes.toString('utf8', start - 1, at + 1))
    : bytes.toString('utf8', start, at)
  if (text === undefined) return -1
  setValue(column, index, text)
  return at + 1
}

/**
 * Stores another number, `null`, `true` or `false`. Returns its end, or -1. An array or object that is cut at a comma
 * or brace does not parse.
 */
function parseLiteral(bytes: Buffer, start: number, column: Column, index: number): number {
  let at = start
  while (at < bytes.length && !isEndOfValue(bytes[at])) at++
  const value = parseJson(bytes.toString('utf8', start, at))
  if (value === undefined) return -1
  setValue(column, index, value)
  return at
}
