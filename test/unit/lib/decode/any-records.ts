/** Records as a service may write them, and the decoded values of a table. */
import fc from 'fast-check'
import { readNumber, readValueError } from '../../../../src/lib/decode/number'
import { type Column, getValue, type RecordTable } from '../../../../src/lib/decode/record-table'

/** The decoded values, by key. */
export function readValues({ length, columns }: RecordTable) {
  const values = (column: Column) =>
    Array.from({ length }, (_, index) => {
      const value = getValue(column, index)
      return readNumber(value) ?? readValueError(value)
    })
  return new Map([...columns].map(([key, column]) => [key, values(column)]))
}

const ODD = [
  '-0',
  '-',
  '.',
  '+1',
  '007',
  '-007',
  '.5',
  '5.',
  '-.5',
  '1.2.3',
  '1e5',
  '--1',
  '1-',
  '',
  ' 1',
  '1 ',
]
const HOSTILE = ['"', '\\', '},{', '"},{"', ',"ch1":1', '漢', '\0', '\u007f', '\ud800']
const decimal = fc
  .tuple(fc.integer({ min: 0, max: 9_999_999 }), fc.integer({ min: 0, max: 5 }), fc.boolean())
  .map(([whole, digits, isNegative]) => (isNegative ? -1 : 1) * (whole / 10 ** digits))
export const anyNumber = fc.oneof(
  decimal,
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.maxSafeInteger(),
)
const text = fc.oneof(
  anyNumber.map(String),
  fc.stringMatching(/^-?[0-9.]{0,20}$/),
  fc.constantFrom(...ODD, ...HOSTILE),
  fc.string({ maxLength: 5 }),
)
const value = fc.oneof(
  { weight: 8, arbitrary: anyNumber },
  { weight: 8, arbitrary: text },
  { weight: 1, arbitrary: fc.constantFrom(null, true, [], {}, { a: 1 }) },
)
const key = fc.constantFrom('unixtime', 'data-id', 'ch1', 'ch2', 'a"b', '7', '__proto__')
const keys = fc.uniqueArray(key, { minLength: 1, maxLength: 5 })
/** Runs of records with the same keys in the same order, as a service writes them. */
export const anyRecords = fc
  .array(
    keys.chain((names) =>
      fc.array(
        fc.tuple(...names.map(() => value)).map((values) => written(names, values)),
        { maxLength: 12 },
      ),
    ),
    { maxLength: 4 },
  )
  .map((runs) => runs.flat())
export const written = (names: readonly string[], values: readonly unknown[]) =>
  `{${names.map((name, index) => `${JSON.stringify(name)}:${JSON.stringify(values[index])}`).join(',')}}`
export const anyLengths = fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 6 })
