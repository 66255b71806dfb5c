import assert from 'node:assert/strict'
import { deflateRawSync } from 'node:zlib'
import fc from 'fast-check'
import {
  decodeRecords,
  encodeRecords,
  isAhead,
  type RecordKey,
  saveKnown,
} from '../../../../src/lib/collect/known-records'
import { MAX_TIMESTAMP_MS } from '../../../../src/lib/decode/time'
import { runs } from '../../../support/chance'

const chance = { numRuns: runs(20_000), seed: 1 }
const NOON = 1_795_161_600_000

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

describe('the encoded records of a response', () => {
  it('are decoded as they were encoded, with any times and numbers', () => {
    fc.assert(
      fc.property(anyKeys, (keys) => {
        assert.deepEqual(decodeRecords(encodeRecords(keys)), keys)
      }),
      chance,
    )
  })

  it('are undefined for more than 10,000 records, and for any other text', () => {
    const many = Array.from({ length: 10_001 }, () => ({ timestamp: NOON, dataId: 1 }))
    assert.equal(decodeRecords(encodeRecords(many)), undefined)
    const packed = fc.json().map((text) => deflateRawSync(text).toString('base64url'))
    fc.assert(
      fc.property(fc.oneof(fc.string(), packed), (text) => {
        const keys = decodeRecords(text)
        if (keys && text !== '') assert.deepEqual(decodeRecords(encodeRecords(keys)), keys)
      }),
      chance,
    )
    assert.equal(decodeRecords(deflateRawSync(' '.repeat(1_000_001)).toString('base64url')), undefined)
  })
})

describe('a record', () => {
  it('is ahead if its time is more than an hour after the response', () => {
    assert.deepEqual(
      [3_600_000, 3_600_001].map((time) => isAhead(time, 0)),
      [false, true],
    )
  })
})

describe('the remembered values of records with the same time and number', () => {
  it('are the last 1,000', () => {
    const hashes = Array.from({ length: 1001 }, (_, index) => `${NOON}/0 ${index}`)
    const saved = saveKnown([{ timestamp: NOON, dataId: 0 }], hashes).hashes
    assert.deepEqual(saved, hashes.slice(1))
  })
})
