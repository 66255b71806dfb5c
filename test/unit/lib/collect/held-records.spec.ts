import assert from 'node:assert/strict'
import fc from 'fast-check'
import { decodeHeld, encodeHeld, keyOf, type RecordKey } from '../../../../src/lib/collect/held-records'
import { MAX_TIMESTAMP_MS } from '../../../../src/lib/decode/time'
import { runs } from '../../../support/chance'

const chance = { numRuns: runs(20_000), seed: 1 }
const RECORDS = 300
const NOON = 1_795_161_600_000
const DAY_SECONDS = 86_400

const anyTime = fc.oneof(
  fc.constantFrom(null, 0, NOON, NOON + 1, NOON - 60_000),
  fc.integer({ min: -MAX_TIMESTAMP_MS, max: MAX_TIMESTAMP_MS }),
)
const anyNumber = fc.oneof(fc.constantFrom(null, 0, 1, 65_535), fc.integer({ min: -10, max: 2 ** 40 }))
const anyKey = fc.record({ timestamp: anyTime, dataId: anyNumber }, { noNullPrototype: true })
/** Runs of equal steps, as devices have them. */
const anyRun = fc
  .tuple(anyKey, fc.integer({ min: -3, max: 90_000 }), fc.constantFrom(0, 1, 1, 2), fc.nat(20))
  .map(([first, seconds, by, count]) =>
    Array.from({ length: count }, (_, at) => move(first, seconds * at, by * at)),
  )
const anyKeys = fc.array(fc.oneof(anyRun, fc.array(anyKey)), { maxLength: 6 }).map((parts) => parts.flat())

const move = ({ timestamp, dataId }: RecordKey, seconds: number, by: number): RecordKey => ({
  timestamp: timestamp === null ? null : timestamp + seconds * 1000,
  dataId: dataId === null ? null : dataId + by,
})

/** Records whose times differ by this many seconds. */
function measured(steps: readonly number[], numberOf: (index: number) => number | null): RecordKey[] {
  let timestamp = NOON
  return steps.map((seconds, index) => {
    timestamp += seconds * 1000
    return { timestamp, dataId: numberOf(index) }
  })
}

describe('the encoded records of a response', () => {
  it('are decoded as they were encoded, with any times and numbers', () => {
    fc.assert(
      fc.property(anyKeys, (keys) => {
        assert.deepEqual(decodeHeld(encodeHeld(keys), keys.length), keys)
      }),
      chance,
    )
  })

  it('have at most 200 characters for a device that records at a constant interval', () => {
    for (const seconds of [1, 2, 60, 600, 3600, DAY_SECONDS]) {
      const steps = Array.from({ length: RECORDS }, () => seconds)
      for (const first of [0, 1, 65_400]) {
        for (const numberOf of [(at: number) => (first + at) % 65_536, () => 0, () => null]) {
          assert.ok(encodeHeld(measured(steps, numberOf)).length <= 200)
        }
      }
    }
  })

  it('have at most 3000 characters for any other device whose numbers increase', () => {
    const steps = fc.array(fc.integer({ min: 0, max: DAY_SECONDS }), {
      minLength: RECORDS,
      maxLength: RECORDS,
    })
    fc.assert(
      fc.property(steps, fc.nat(2 ** 32), (seconds, first) => {
        assert.ok(encodeHeld(measured(seconds, (at) => first + at)).length <= 3000)
      }),
      { numRuns: runs(2000), seed: 1 },
    )
  })

  it('are undefined if there are more records than wanted', () => {
    const keys = measured(
      Array.from({ length: 20 }, () => 60),
      (index) => index,
    )
    assert.equal(decodeHeld(encodeHeld(keys), 19), undefined)
    assert.equal(decodeHeld('vgoo00.1 +1o.1 *zzzzzzzzz', 10_000), undefined)
    const words = Array.from({ length: 10_001 }, (_, index) => `${index.toString(36)}.`).join(' ')
    assert.equal(decodeHeld(words, 10_000), undefined)
  })

  const odd = [
    'x',
    'a',
    ' ',
    'A.1',
    'a.1.1',
    'a+b.1',
    'a,1000.1',
    '+1.1',
    'a.1 +1',
    'a. +1.1',
    '.1 +1.1',
    'a.1 *3',
  ]
  for (const text of [...odd, 'a.1 +1.1 *', 'a.1 +1.1 *-3', 'a.1 +1.1 *0', 'a.1 +1.1 *2 *2']) {
    it(`are undefined for the text ${JSON.stringify(text)}`, () => {
      assert.equal(decodeHeld(text, RECORDS), undefined)
    })
  }

  it('are undefined for any other text, unless it would be encoded like that', () => {
    const word = fc
      .array(fc.constantFrom(...'+*.,-01az'), { maxLength: 8 })
      .map((letters) => letters.join(''))
    const words = fc.array(word, { maxLength: 6 }).map((all) => all.join(' '))
    const changed = fc
      .tuple(anyKeys, fc.nat(), fc.constantFrom('', ' ', '+', '*', '.', ',', '-', '0', 'z'))
      .map(([keys, place, letter]) => {
        const text = encodeHeld(keys)
        const at = place % (text.length + 1)
        return text.slice(0, at) + letter + text.slice(at + 1)
      })
    fc.assert(
      fc.property(fc.oneof(fc.string(), words, changed), (text) => {
        const keys = decodeHeld(text, RECORDS)
        if (!keys) return
        assert.ok(keys.length <= RECORDS)
        assert.equal(encodeHeld(keys), text)
      }),
      chance,
    )
  })
})

describe('the key of a record', () => {
  it('distinguishes time and number', () => {
    const keys = [null, 0, 1, 11].flatMap((timestamp) =>
      [null, 0, 1, 11].map((dataId) => ({ timestamp, dataId })),
    )
    assert.equal(new Set(keys.map(keyOf)).size, keys.length)
  })
})
