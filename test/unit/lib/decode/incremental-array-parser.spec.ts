import assert from 'node:assert/strict'
import fc from 'fast-check'
import { createIncrementalArrayParser } from '../../../../src/lib/decode/incremental-array-parser'
import { runs } from '../../../support/chance'

/** The result for a text in chunks of these lengths. */
function parseInChunks(text: string, lengths: readonly number[], key = 'data') {
  const bytes = Buffer.from(text)
  const elements: unknown[] = []
  const parser = createIncrementalArrayParser(key, (found) => elements.push(...found))
  for (let at = 0, count = 0; at < bytes.length; count++) {
    const length = lengths[count % lengths.length] ?? 1
    parser.push(bytes.subarray(at, at + length))
    at += length
  }
  const remainder = parser.end()
  return remainder && { remainder, elements }
}

/** The same, parsed as a whole; undefined if it is no JSON or has no such array. */
function whole(text: string, key = 'data') {
  try {
    const remainder = JSON.parse(text)
    const elements = remainder[key]
    return Array.isArray(elements) ? { remainder: { ...remainder, [key]: [] }, elements } : undefined
  } catch {
    return undefined
  }
}

const HOSTILE = ['"', '\\', '\\"', '},{', '}],"data":[{', ']', '"data":[', 'é', '漢', '🌡', '\u2028', '{', '}']
const text = fc
  .array(fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ maxLength: 5 })), { maxLength: 4 })
  .map((parts) => parts.join(''))
const scalar = fc.oneof(text, fc.integer(), fc.double(), fc.boolean(), fc.constant(null))
const flat = fc.dictionary(fc.constantFrom('unixtime', 'data-id', 'ch1', 'ch2', 'data', 'x"'), scalar, {
  maxKeys: 5,
})
const nested = fc.record({
  serial: text,
  channel: fc.array(flat, { maxLength: 3 }),
  group: fc.oneof(flat, fc.constant([])),
})
const element = fc.oneof(
  { weight: 6, arbitrary: flat },
  { weight: 3, arbitrary: nested },
  { weight: 1, arbitrary: scalar },
)
/** One of them is long: what reads a body joins short chunks, and so many of them take long here. */
const lengths = fc
  .array(fc.oneof(fc.integer({ min: 1, max: 400 }), fc.constant(70_000)), { maxLength: 5 })
  .map((short) => [...short, 2000])
const indent = fc.constantFrom(undefined, 1, '\t')
/** Long enough for several batches. */
const filler = fc.constantFrom('', 'x'.repeat(300), '},{'.repeat(200), '漢'.repeat(300))

const MAX_CALLS = 5000
const numRuns = runs(1200)

const answer = fc
  .record({
    before: fc.dictionary(fc.constantFrom('a', 'data-x', 'nested'), fc.oneof(scalar, nested), { maxKeys: 3 }),
    elements: fc.array(element, { maxLength: 8 }),
    bytes: fc.constantFrom(0, 80_000, 150_000),
    after: fc.dictionary(fc.constantFrom('z', 'more'), fc.oneof(scalar, fc.array(flat, { maxLength: 2 })), {
      maxKeys: 2,
    }),
    filler,
    indent,
  })
  .map(({ before, elements, bytes, after, filler: fill, indent: space }) => {
    const some = elements.map((one) => (typeof one === 'object' && one !== null ? { ...one, fill } : one))
    const times = Math.min(MAX_CALLS, Math.ceil(bytes / JSON.stringify(some).length))
    const data = Array.from({ length: Math.max(1, times) }, () => some).flat()
    return JSON.stringify({ ...before, data, ...after }, null, space)
  })

describe('an answer that is parsed batch by batch', function () {
  this.timeout(60_000)

  it('is the same as parsed at once, in any chunks', () => {
    let cut = 0
    fc.assert(
      fc.property(answer, lengths, (json, sizes) => {
        const found = parseInChunks(json, sizes)
        if (found) cut++
        assert.deepEqual(found ?? whole(json), whole(json))
      }),
      { numRuns },
    )
    assert.ok(cut > numRuns / 3, `only ${cut} were cut`)
  })

  it('is nothing, or the same, if it is damaged', () => {
    fc.assert(
      fc.property(
        answer,
        lengths,
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.constantFrom(...HOSTILE, ''),
        (json, sizes, where, put) => {
          const at = Math.floor(where * json.length)
          const damaged = json.slice(0, at) + put + json.slice(at + 1)
          const found = parseInChunks(damaged, sizes)
          if (found) assert.deepEqual(found, whole(damaged))
        },
      ),
      { numRuns },
    )
  })

  const record = '{"unixtime":1,"ch1":2}'
  const records = Array.from({ length: 10_000 }, () => record).join(',')
  const cases: readonly (readonly [string, string])[] = [
    ['twice the array', `{"data":[${records}],"data":[${record}]}`],
    ['the array of another object', `{"other":{"data":[${records}]}}`],
    ['the array of another object before it', `{"other":{"data":[${records}]},"data":[${record}]}`],
    ['a comma too many', `{"data":[${records},]}`],
    ['an array that does not end', `{"data":[${records}`],
    ['a text instead of the array', '{"data":"[]"}'],
    ['something behind it', `{"data":[${records}]}x`],
    ['nothing in it', '{"data":[]}'],
    ['too little in it to cut', `{"data":[${record},${record}]}`],
  ]
  for (const [title, json] of cases) {
    it(`is left to JSON.parse if there is ${title}`, () =>
      assert.equal(parseInChunks(json, [65_536]), undefined))
  }

  it('may begin with a byte order mark', () => {
    const json = `{"data":[${records}]}`
    assert.deepEqual(parseInChunks(`\ufeff${json}`, [1000]), whole(json))
  })

  it('gives up on an element that is too long, and on an endless beginning', () => {
    assert.equal(parseInChunks(`{"data":[{"a":"${'},'.repeat(1_000_000)}"}]}`, [65_536]), undefined)
    assert.equal(parseInChunks(`{"a":"${'x'.repeat(2_000_000)}","data":[]}`, [65_536]), undefined)
  })
})
