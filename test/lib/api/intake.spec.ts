import assert from 'node:assert/strict'
import fc from 'fast-check'
import { type GraphEnvelope, readEnvelope } from '../../../src/lib/api/envelopes'
import { createIntake } from '../../../src/lib/api/intake'
import { relayGraph } from '../answers'
import { anyLengths, anyRecords, readTable } from './any-records'

/** What is read of an answer that arrives in pieces, and whether it was read while it did. */
function takenIn(json: string, lengths: readonly number[]) {
  const bytes = Buffer.from(json)
  const { slicer, read } = createIntake('data-relay')
  assert.ok(slicer)
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const length = lengths[turn % lengths.length] ?? 1
    slicer.push(bytes.subarray(at, at + length))
    at += length
  }
  const rest = slicer.end()
  const envelope = () => read({ rest, text: () => json }) as GraphEnvelope
  return { envelope, meanwhile: rest !== undefined }
}

const { data: _, ...head } = relayGraph()
const answer = (records: readonly string[], more = '') =>
  `${JSON.stringify(head).slice(0, -1)},"data":[${records.join(',')}]${more}}`

describe('an answer with records that is taken in while it arrives', () => {
  it('says the same as one that is read as a whole', () => {
    let meanwhile = 0
    let all = 0
    fc.assert(
      fc.property(
        anyRecords,
        anyLengths,
        fc.constantFrom('', ',"more":{"data":[1]}'),
        (some, sizes, more) => {
          const json = answer(some, more)
          const found = takenIn(json, sizes)
          all += some.length > 1 ? 1 : 0
          meanwhile += found.meanwhile ? 1 : 0
          const { records, ...about } = found.envelope()
          const { records: whole, ...expected } = readEnvelope('data-relay', json) as GraphEnvelope
          assert.deepEqual([about, readTable(records)], [expected, readTable(whole)])
        },
      ),
      { numRuns: 1000 },
    )
    assert.ok(meanwhile > all / 2, `only ${meanwhile} of ${all}`)
  })

  const record = (index: number) => `{"unixtime":${index},"data-id":${index},"ch1":1.5}`
  const many = Array.from({ length: 5000 }, (_, index) => record(index))

  it('was read before its end came', () => {
    const { envelope, meanwhile } = takenIn(answer(many), [65_536])
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
    it(`is no JSON where it has ${title}`, () => {
      for (const size of [100, 65_536]) {
        const { envelope, meanwhile } = takenIn(json, [size])
        assert.equal(meanwhile, false)
        assert.throws(envelope, { reason: 'reply-not-json' })
      }
    })
  }
})
