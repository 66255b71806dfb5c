import assert from 'node:assert/strict'
import fc from 'fast-check'
import { createChannel, matchChannels, parseChannelNumber } from '../../../../src/lib/readings/channel'

const listedChannel = (num: number | null, name = '', unit = '') => ({ num, name, unit })
const matched = (nums: (number | null)[], seen: number[] = []) =>
  matchChannels(
    nums.map((num, index) => listedChannel(num, `name ${index}`)),
    createChannel,
    new Set(seen),
  )
    .map(({ number, name }) => `${number} ${name}`)
    .join(', ')

describe('matching channels with the records', () => {
  it('keeps two channels with the same number: the second one gets the next free number', () => {
    assert.deepEqual(matched([1, 1, 2, 1]), '1 name 0, 2 name 2, 3 name 1, 4 name 3')
    assert.deepEqual(matched([0, 0]), '1 name 0, 2 name 1')
    assert.deepEqual(matched([98, 98]), '98 name 0, 99 name 1')
    assert.deepEqual(matched([99, 99]), '99 name 0', 'there is no channel 100')
    const many = Array.from({ length: 120 }, (_, index) => index + 1)
    assert.match(matched(many), /, 99 name 98$/)
  })

  it('uses the position of a channel without a number, even next to one that counts from zero', () => {
    assert.deepEqual(matched([0, null]), '1 name 0, 2 name 1')
    assert.deepEqual(matched([null, null]), '1 name 0, 2 name 1')
  })

  it('sorts channels that are listed in another order', () => {
    assert.deepEqual(matched([1, 0]), '1 name 1, 2 name 0')
    assert.deepEqual(matched([2, 1]), '1 name 1, 2 name 0')
  })

  it('counts them from zero if all match the records only then', () => {
    assert.deepEqual(matched([1, 2], [2, 3]), '2 name 0, 3 name 1')
    assert.deepEqual(matched([1, 2], [1, 2, 3]), '1 name 0, 2 name 1, 3 ch3')
  })

  it('leaves out invalid channel numbers', () => {
    assert.deepEqual(matched([1, -4, 1.5, 1e9]), '1 name 0')
  })

  it('has every number once, in order, with its key, and every recorded channel', () => {
    const num = fc.oneof(fc.integer({ min: -1, max: 8 }), fc.constant(null))
    const seen = fc.uniqueArray(fc.integer({ min: 1, max: 8 }))
    fc.assert(
      fc.property(fc.array(num), seen, (nums, numbers) => {
        const channels = matchChannels(
          nums.map((n) => listedChannel(n)),
          createChannel,
          new Set(numbers),
        )
        const found = channels.map(({ number }) => number)
        assert.deepEqual(
          found,
          [...new Set(found)].sort((a, b) => a - b),
        )
        assert.ok(numbers.every((number) => found.includes(number)))
        for (const { key, number, name } of channels) {
          assert.equal(key, `ch${number}`)
          assert.equal(parseChannelNumber(key), number)
          assert.notEqual(name, '')
        }
      }),
    )
  })
})
