import assert from 'node:assert/strict'
import { limitsSchema, readLimits, repairLimit } from '../../../src/shared/limits-schema'
import { describeProblem } from '../../../src/shared/problems'
import { withCatalogs } from '../../support/catalog-red'

describe('limits', () => {
  it('are about the devices or groups that a row names, also if it does not say how they are selected', () => {
    const devices = [{ serial: '52A10001' }]
    const selects = [
      { devices },
      { bases: ['5F0A1001'] },
      { groups: ['Racks'] },
      {},
      { devices, select: 'all' },
    ]
    const read = readLimits(selects.map((row, index) => ({ name: `row ${index}`, above: 8, ...row })))
    assert.ok(Array.isArray(read))
    assert.deepEqual(
      read.map(({ select }) => select),
      ['list', 'list', 'group', 'all', 'all'],
    )
  })

  it('may have a margin of half their distance, whatever their decimals', () => {
    assert.ok(Array.isArray(readLimits([{ above: 5.6, below: 5.4, margin: 0.1 }])))
    assert.ok('problem' in readLimits([{ above: 5.6, below: 5.4, margin: 0.11 }]))
  })

  it('have an upper limit above the lower one', () => {
    assert.ok(Array.isArray(readLimits([{ above: 5.1, below: 5 }])))
    for (const above of [5, 4])
      assert.deepEqual(readLimits([{ above, below: 5 }]), {
        property: 'limits.0.above',
        problem: { problem: 'limit-order' },
      })
  })

  it('may have one name for several channels, and for several quantities', () => {
    const rows = [{ channel: 1 }, { channel: 2 }, {}, { quantity: 'humidity' }]
    assert.ok(Array.isArray(readLimits(rows.map((row) => ({ ...row, above: 8 })))))
    assert.ok('problem' in readLimits([{ above: 8 }, { quantity: 'temperature', above: 9 }]))
  })

  it('have settings of up to 100,000 minutes', () => {
    const isValid = (settings: object) => limitsSchema.safeParse(settings).success
    for (const [name, least] of [
      ['errorAfter', 1],
      ['silentAfter', 1],
      ['remind', 0],
    ] as const)
      assert.deepEqual(
        [least - 1, least, 100_000, 100_001].map((minutes) => isValid({ [name]: minutes })),
        [false, true, true, false],
      )
  })

  it('have names of at most 100 characters', () => {
    const named = (length: number) => readLimits([{ above: 8, name: 'x'.repeat(length) }])
    assert.ok(Array.isArray(named(100)))
    assert.deepEqual(named(101), { property: 'limits.0.name', problem: { problem: 'too-long', most: 100 } })
  })

  it('must not stand below one that applies to all their channels', () => {
    const one = { select: 'list', devices: [{ serial: '52A10001' }], above: 20 }
    assert.deepEqual(readLimits([{ above: -15 }, { name: 'mild', above: -18 }, one]), {
      property: 'limits.2.name',
      problem: { problem: 'limit-covered' },
    })
    for (const rows of [
      [one, { above: -15 }],
      [{ above: -15 }, { ...one, name: 'too hot' }],
      [{ above: -15 }, { ...one, quantity: 'humidity' }],
      [{ above: -15 }, { ...one, channel: 2 }],
    ])
      assert.ok(Array.isArray(readLimits(rows)))
  })

  it('have no misspelt properties, and the row and the property are named', () => {
    const found = readLimits([{ above: 8 }, { abvoe: 8, below: 2 }])
    assert.ok('problem' in found)
    const sentence = describeProblem(
      found.problem,
      found.property,
      withCatalogs('en-US')._ as (key: string) => string,
    )
    assert.match(sentence, /^Limit 2: A limit has no property 'abvoe'\. Its properties are: name, .*above/)
  })

  it('keep a wrong number in the form, because without it they would be others', () => {
    const saved = { above: '8,5', below: 2, minutes: 'ten', channel: 'ch2', select: 'x' }
    const { above, below, minutes, channel, select } = repairLimit(saved)
    assert.deepEqual([above, below, minutes, channel, select], ['8,5', 2, 'ten', 'ch2', 'all'])
    assert.ok('problem' in readLimits([repairLimit(saved)]))
  })
})
