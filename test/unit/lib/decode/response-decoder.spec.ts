import assert from 'node:assert/strict'
import fc from 'fast-check'
import { type GraphEnvelope, readEnvelope } from '../../../../src/lib/decode/envelopes'
import { createResponseDecoder } from '../../../../src/lib/decode/response-decoder'
import { relayGraph } from '../answers'
import { anyLengths, anyRecords, readValues } from './any-records'

/** What is read of an answer that arrives in pieces, and whether it was read while it did. */
function decodeInChunks(json: string, lengths: readonly number[]) {
  const bytes = Buffer.from(json)
  const { parser, decode } = createResponseDecoder('data-relay')
  assert.ok(parser)
  for (let at = 0, count = 0; at < bytes.length; count++) {
    const length = lengths[count % lengths.length] ?? 1
    parser.push(bytes.subarray(at, at + length))
    at += length
  }
  const remainder = parser.end()
  const envelope = () => decode({ remainder, text: () => json }) as GraphEnvelope
  return { envelope, meanwhile: remainder !== undefined }
}

const { data: _, ...head } = relayGraph()
const answer = (records: readonly string[], more = '') =>
  `${JSON.stringify(head).slice(0, -1)},"data":[${records.join(',')}]${more}}`

describe('an answer with records that is decoded while it arrives', () => {
  it('has the same result as one that is decoded as a whole', () => {
    let meanwhile = 0
    let all = 0
    fc.assert(
      fc.property(
        anyRecords,
        anyLengths,
        fc.constantFrom('', ',"more":{"data":[1]}'),
        (some, sizes, more) => {
          const json = answer(some, more)
          const found = decodeInChunks(json, sizes)
          all += some.length > 1 ? 1 : 0
          meanwhile += found.meanwhile ? 1 : 0
          const { records, ...about } = found.envelope()
          const { records: whole, ...expected } = readEnvelope('data-relay', json) as GraphEnvelope
          assert.deepEqual([about, readValues(records)], [expected, readValues(whole)])
        },
      ),
      { numRuns: 1000 },
    )
    assert.ok(meanwhile > all / 2, `only ${meanwhile} of ${all}`)
  })

  it('has the same maximum depth as one that is decoded as a whole', () => {
    const deep = `${'['.repeat(200)}${']'.repeat(200)}`
    const json = answer(Array(300).fill('{"unixtime":1,"ch1":2}'), `,"more":${deep}`)
    const { envelope, meanwhile } = decodeInChunks(json, [1000])
    assert.ok(meanwhile)
    for (const read of [envelope, () => readEnvelope('data-relay', json)]) {
      assert.throws(read, { reason: 'reply-too-deep' })
    }
  })

  describe('needs no more memory than its records', () => {
    const size = (json: string) => {
      const { records } = decodeInChunks(json, [65_536]).envelope()
      return { records: records.length, columns: records.columns.size }
    }

    it('with any other keys', () => {
      const keys = Array.from({ length: 5000 }, (_, index) => `"k${index}":0`).join(',')
      const wide = `{"unixtime":1,${keys},"ch1":2}`
      const narrow = Array.from({ length: 20_000 }, () => '{"k0":1,"ch1":3}')
      const before = process.memoryUsage().arrayBuffers
      assert.deepEqual(size(answer([wide, ...narrow, wide])), { records: 20_002, columns: 2 })
      assert.ok(process.memoryUsage().arrayBuffers - before < 50e6)
    })

    it('with channels 1 to 99, and no other number', () => {
      const json = answer(['{"ch0":1,"ch1":1,"ch99":1,"ch100":1,"ch01":1,"__proto__":1}', '{"ch1":1}'])
      assert.equal(size(json).columns, 2)
    })

    for (const [title, count, isRefused] of [
      ['as many as a logger holds are read', 65_535, false],
      ['more are ENVLOG_REPLY', 65_536, true],
    ] as const) {
      it(title, () => {
        const json = answer(Array.from({ length: count }, (_, index) => `{"ch1":${index}}`))
        const whole = () => (readEnvelope('data-relay', json) as GraphEnvelope).records.length
        for (const read of [() => size(json).records, whole]) {
          if (isRefused) assert.throws(read, { code: 'ENVLOG_REPLY' })
          else assert.equal(read(), count)
        }
      })
    }

    it('keeps nothing of values that are objects, at any depth', () => {
      const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`
      const { records } = decodeInChunks(answer([`{"ch1":${deep}}`, '{"ch1":1}']), [65_536]).envelope()
      assert.deepEqual(records.columns.get('ch1')?.nonNumbers.get(0), {})
    })
  })

  const record = (index: number) => `{"unixtime":${index},"data-id":${index},"ch1":1.5}`
  const many = Array.from({ length: 5000 }, (_, index) => record(index))

  it('is decoded before its end arrives', () => {
    const { envelope, meanwhile } = decodeInChunks(answer(many), [65_536])
    assert.deepEqual([meanwhile, envelope().records.length], [true, 5000])
  })

  const damaged: readonly (readonly [string, string])[] = [
    ['a comma too many', answer([...many, ''])],
    ['a comma too few', answer(many).replace('},{"unixtime":4999', '}{"unixtime":4999')],
    ['no end', answer(many).slice(0, -2)],
    ['no end of its last record', answer(many).replace(/\}\]\}$/, ']}')],
    ['two ends', `${answer(many)}}`],
  ]
  for (const [title, json] of damaged) {
    it(`is no JSON with ${title}`, () => {
      for (const size of [100, 65_536]) {
        const { envelope, meanwhile } = decodeInChunks(json, [size])
        assert.equal(meanwhile, false)
        assert.throws(envelope, { reason: 'reply-not-json' })
      }
    })
  }
})
