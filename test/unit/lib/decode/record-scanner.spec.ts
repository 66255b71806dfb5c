import assert from 'node:assert/strict'
import fc from 'fast-check'
import { createRecordScanner } from '../../../../src/lib/decode/record-scanner'
import { appendRecords, createRecordTable } from '../../../../src/lib/decode/record-table'
import { runs } from '../../../support/chance'
import { anyLengths, anyNumber, anyRecords, readValues, written } from './any-records'

/** The scanner's result for bytes in chunks; the rest is parsed at the end. */
function scanned(json: readonly string[], lengths: readonly number[]) {
  const bytes = Buffer.from(`${json.join(',')},`)
  const table = createRecordTable()
  const { scan } = createRecordScanner(table)
  let done = 0
  for (let arrived = 0, turn = 0; arrived < bytes.length; turn++) {
    arrived += lengths[turn % lengths.length] ?? 1
    done += scan(bytes.subarray(done, arrived))
  }
  const byScanner = table.length
  appendRecords(table, JSON.parse(`[${bytes.toString('utf8', done, bytes.length - 1)}]`))
  return { table, byScanner }
}

function plain(json: readonly string[]) {
  const table = createRecordTable()
  appendRecords(table, JSON.parse(`[${json.join(',')}]`))
  return table
}

describe('records that are scanned from bytes', function () {
  this.timeout(60_000)

  it('are the same as parsed, in any chunks', () => {
    let byScanner = 0
    let all = 0
    fc.assert(
      fc.property(anyRecords, anyLengths, (records, sizes) => {
        const found = scanned(records, sizes)
        byScanner += found.byScanner
        all += records.length
        assert.deepEqual(readValues(found.table), readValues(plain(records)))
      }),
      { numRuns: runs(9000) },
    )
    assert.ok(byScanner > all / 3, `only ${byScanner} of ${all}`)
  })

  it('contain every decimal number exactly', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(anyNumber, fc.stringMatching(/^-?[0-9]{1,9}(\.[0-9]{1,9})?$/)), { minLength: 2 }),
        (values) => {
          const records = values.map((one) => written(['ch1'], [one]))
          assert.deepEqual(
            readValues(scanned(records, [1000]).table).get('ch1'),
            JSON.parse(JSON.stringify(values)).map(Number),
          )
        },
      ),
      { numRuns: runs(9000) },
    )
  })

  it('are left to the parser if they are no JSON', () => {
    const good = '{"ch1":1}'
    for (const bad of ['01', '1.', '.5', '-', '+1', '1.2.3', '"a', '"\n"', 'x', '1 2', '', '1}', '\ufeff5']) {
      const table = createRecordTable()
      const bytes = Buffer.from(`${good},${good},{"ch1":${bad}},${good},`)
      assert.equal(createRecordScanner(table).scan(bytes), 2 * (good.length + 1), bad)
      assert.equal(table.length, 2)
      assert.deepEqual(readValues(table).get('ch1'), [1, 1])
    }
  })

  it('can be any number, also with a key that appears late', () => {
    const records = Array.from({ length: 20_000 }, (_, index) =>
      index < 15_000 ? `{"ch1":${index}}` : `{"ch1":${index},"ch2":1}`,
    )
    const { table, byScanner } = scanned(records, [65_536])
    assert.deepEqual(readValues(table), readValues(plain(records)))
    assert.ok(byScanner > 19_990)
  })

  const kinds: readonly (readonly [string, string])[] = [
    ['null', '{"unixtime":1,"ch1":null,"ch2":2}'],
    ['a text', '{"unixtime":"1","ch1":"Sensor Error","ch2":""}'],
    ['a text of another language', '{"unixtime":"1","ch1":"センサー異常 🌡","ch2":"2"}'],
    ['an escaped text', '{"unixtime":"1","ch1":"\\u30bb\\"\\\\","ch2":"2"}'],
    ['a long number', '{"unixtime":1,"ch1":0.30000000000000004,"ch2":12345678901234567890}'],
    ['an exponent', '{"unixtime":1,"ch1":1e-7,"ch2":"2E5"}'],
    ['blanks', '{"unixtime": 1,"ch1": "a, b" ,"ch2":\n2}'],
    ['a key less', '{"unixtime":1,"ch2":2}'],
    ['nothing behind its first key', '{"unixtime":1}'],
  ]
  for (const [title, odd] of kinds) {
    it(`may have ${title} in every other record, without parsing`, () => {
      const common = '{"unixtime":1,"ch1":1.5,"ch2":2}'
      const records = Array.from({ length: 1000 }, (_, index) => (index % 2 ? odd : common))
      const { table, byScanner } = scanned(records, [10_000])
      assert.deepEqual(readValues(table), readValues(plain(records)))
      // The scanner would have stopped after a few records that had to be parsed.
      if (title !== 'blanks') assert.ok(byScanner > 980, `only ${byScanner}`)
    })
  }

  it('are left to the parser if each has different keys', () => {
    const records = Array.from({ length: 1000 }, (_, index) => `{"unixtime":1,"k${index % 40}":1}`)
    const { table, byScanner } = scanned(records, [10_000])
    assert.deepEqual(readValues(table), readValues(plain(records)))
    assert.ok(byScanner < 100)
  })
})
