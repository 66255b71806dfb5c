import assert from 'node:assert/strict'
import fc from 'fast-check'
import { createRecordScanner } from '../../../src/lib/api/record-scanner'
import { readNumber, valueError } from '../../../src/lib/readings/number'
import {
  addRecords,
  type Column,
  createTable,
  type RecordTable,
  valueAt,
} from '../../../src/lib/readings/record-table'

/** What reading makes of each value, by key. */
function read({ length, columns }: RecordTable) {
  const values = (column: Column) =>
    Array.from({ length }, (_, index) => {
      const value = valueAt(column, index)
      return readNumber(value) ?? valueError(value)
    })
  return new Map([...columns].map(([key, column]) => [key, values(column)]))
}

/** What the scanner makes of bytes that come in pieces; what it leaves is parsed at the end. */
function scanned(json: readonly string[], lengths: readonly number[]) {
  const bytes = Buffer.from(`${json.join(',')},`)
  const table = createTable()
  const { scan } = createRecordScanner(table)
  let done = 0
  for (let arrived = 0, turn = 0; arrived < bytes.length; turn++) {
    arrived += lengths[turn % lengths.length] ?? 1
    done += scan(bytes.subarray(done, arrived))
  }
  const byScanner = table.length
  addRecords(table, JSON.parse(`[${bytes.toString('utf8', done, bytes.length - 1)}]`))
  return { table, byScanner }
}

function plain(json: readonly string[]) {
  const table = createTable()
  addRecords(table, JSON.parse(`[${json.join(',')}]`))
  return table
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
const number = fc.oneof(
  decimal,
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.maxSafeInteger(),
)
const text = fc.oneof(
  number.map(String),
  fc.stringMatching(/^-?[0-9.]{0,20}$/),
  fc.constantFrom(...ODD, ...HOSTILE),
  fc.string({ maxLength: 5 }),
)
const value = fc.oneof(
  { weight: 8, arbitrary: number },
  { weight: 8, arbitrary: text },
  { weight: 1, arbitrary: fc.constantFrom(null, true, [], {}, { a: 1 }) },
)
const key = fc.constantFrom('unixtime', 'data-id', 'ch1', 'ch2', 'a"b', '7', '__proto__')
const keys = fc.uniqueArray(key, { minLength: 1, maxLength: 5 })
/** Runs of records of one kind, in the order of these keys, as a service writes them. */
const json = fc
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
const written = (names: readonly string[], values: readonly unknown[]) =>
  `{${names.map((name, index) => `${JSON.stringify(name)}:${JSON.stringify(values[index])}`).join(',')}}`
const lengths = fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 6 })

describe('records that are taken straight from bytes', function () {
  this.timeout(60_000)

  it('are the same as parsed, however the network cuts them', () => {
    let byScanner = 0
    let all = 0
    fc.assert(
      fc.property(json, lengths, (records, sizes) => {
        const found = scanned(records, sizes)
        byScanner += found.byScanner
        all += records.length
        assert.deepEqual(read(found.table), read(plain(records)))
      }),
      { numRuns: 3000 },
    )
    assert.ok(byScanner > all / 3, `only ${byScanner} of ${all}`)
  })

  it('hold every decimal number exactly', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(number, fc.stringMatching(/^-?[0-9]{1,9}(\.[0-9]{1,9})?$/)), { minLength: 2 }),
        (values) => {
          const records = values.map((one) => written(['ch1'], [one]))
          assert.deepEqual(
            read(scanned(records, [1000]).table).get('ch1'),
            JSON.parse(JSON.stringify(values)).map(Number),
          )
        },
      ),
      { numRuns: 3000 },
    )
  })

  it('are left where they are no JSON', () => {
    const good = '{"ch1":1}'
    for (const bad of ['01', '1.', '.5', '-', '+1', '1.2.3', '"a', '"\n"', 'x', '1 2', '', '1}']) {
      const table = createTable()
      const bytes = Buffer.from(`${good},${good},{"ch1":${bad}},${good},`)
      assert.equal(createRecordScanner(table).scan(bytes), 2 * (good.length + 1), bad)
      assert.equal(table.length, 2)
      assert.deepEqual(read(table).get('ch1'), [1, 1])
    }
  })

  it('find room however many there are, also for a key that comes late', () => {
    const records = Array.from({ length: 20_000 }, (_, index) =>
      index < 15_000 ? `{"ch1":${index}}` : `{"ch1":${index},"ch2":1}`,
    )
    const { table, byScanner } = scanned(records, [65_536])
    assert.deepEqual(read(table), read(plain(records)))
    assert.ok(byScanner > 19_990)
  })
})
