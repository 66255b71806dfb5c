import assert from 'node:assert/strict'
import fc from 'fast-check'
import { readCurrentDevice } from '../../../../src/lib/decode/current-device'
import { readGraphEnvelope } from '../../../../src/lib/decode/envelopes'
import { EnvlogError } from '../../../../src/lib/errors'
import { deviceByOracle, graphByOracle } from '../../../support/answer-oracle'
import { runs } from '../../../support/chance'

const value = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom('', ' ', '1', '-60', '2000', 'x', 0, 7, 1e9, 0.5, null, undefined),
  },
  { weight: 1, arbitrary: fc.constantFrom([], {}, [[]], [null], ['a'], true, { a: 1 }, 'a\0b', '\ud800') },
)
const object = (keys: readonly string[], some = value) =>
  fc.record(Object.fromEntries(keys.map((key) => [key, some])), { requiredKeys: [] })
const maybe = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 4, arbitrary }, { weight: 1, arbitrary: value })

const unit = object(['serial', 'model', 'name'])
const group = object(['num', 'name'])
const wrapped = <T>(arbitrary: fc.Arbitrary<T>) =>
  maybe(fc.oneof(arbitrary, fc.array(arbitrary, { maxLength: 2 })))
const OFFSETS = [
  'time-diff',
  'time_diff',
  'std-bias',
  'std_bias',
  'dst-bias',
  'dst_bias',
  'dst-flg',
  'dst_flg',
]

const channels = maybe(fc.array(maybe(object(['num', 'name', 'unit', 'value'])), { maxLength: 3 }))

const device = maybe(
  fc
    .tuple(
      fc.record({ serial: fc.oneof(fc.constant('5212A1B2'), value) }),
      object(['model', 'name', 'num', 'battery', 'rssi', 'unixtime']),
      object(OFFSETS, fc.oneof(fc.constantFrom('540', 0, '', null), value)),
      fc.record(
        {
          channel: channels,
          baseunit: wrapped(unit),
          group: wrapped(group),
        },
        { requiredKeys: [] },
      ),
    )
    .map((parts) => Object.assign({}, ...parts) as unknown),
)

describe('a device of current readings', () => {
  it('is decoded like by the schema, whatever the service sends', () => {
    fc.assert(
      fc.property(device, (found) => {
        const read = readCurrentDevice(found, 3)
        const expected = deviceByOracle(found)
        if (!expected) assert.ok('part' in read && /^devices\.3/.test(read.part), JSON.stringify(read))
        else assert.deepEqual(read, { ...expected, index: 3 })
      }),
      { numRuns: runs(9000) },
    )
  })
})

const IDENTITIES = ['', 'remote-', 'base-'].flatMap((prefix) =>
  ['serial', 'model', 'name'].map((name) => `${prefix}${name}`),
)
const answer = fc
  .tuple(
    object(IDENTITIES, fc.oneof(fc.constantFrom('5212A1B2', 'Freezer'), value)),
    object(OFFSETS, fc.oneof(fc.constantFrom('540', 0, '', null), value)),
    fc.record({ channel: channels, data: fc.oneof(fc.constant([]), value) }, { requiredKeys: ['data'] }),
  )
  .map((parts) => Object.assign({}, ...parts) as object)

describe('an answer with records', () => {
  it('is decoded like by the schema, or names the same part, whatever the service sends', () => {
    fc.assert(
      fc.property(answer, (found) => {
        let read: object
        try {
          const { records: _records, ...about } = readGraphEnvelope(found)
          read = about
        } catch (error) {
          assert.ok(error instanceof EnvlogError && error.reason === 'reply-unreadable', String(error))
          read = error.params
        }
        assert.deepEqual(read, graphByOracle(found))
      }),
      { numRuns: runs(9000) },
    )
  })
})
