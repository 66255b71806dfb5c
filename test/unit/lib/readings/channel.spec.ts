import assert from 'node:assert/strict'
import fc from 'fast-check'
import { matchChannels, parseChannelNumber } from '../../../../src/lib/readings/channel'

const listedChannel = (num: number | null, name = '', unit = '') => ({ num, name, unit })
const matched = (nums: (number | null)[], seen: number[] = []) =>
  matchChannels(
    nums.map((num, index) => listedChannel(num, `name ${index}`)),
    new Set(seen),
  )
    .channels.map(({ number, name }) => `${number} ${name}`)
    .join(', ')

describe('matching channels with the records', () => {
  it('counts from one even if adding one would match as well, or neither matches', () => {
    assert.deepEqual(matched([1, 3], [1]), '1 name 0, 3 name 1')
    assert.deepEqual(matched([1], [1, 2]), '1 name 0, 2 ch2')
  })

  it('keeps two channels with the same number: the second one gets the next free number', () => {
    assert.deepEqual(matched([1, 1, 2, 1]), '1 name 0, 2 name 2, 3 name 1, 4 name 3')
    assert.deepEqual(matched([0, 0]), '1 name 0, 2 name 1')
    assert.deepEqual(matched([99, 99]), '99 name 0', 'there is no channel 100')
  })

  it('uses the position of a channel without a number, even next to one that counts from zero', () => {
    assert.deepEqual(matched([0, null]), '1 name 0, 2 name 1')
    assert.deepEqual(matched([null, null]), '1 name 0, 2 name 1')
  })

  it('leaves out invalid channel numbers', () => {
    assert.deepEqual(matched([1, -4, 1.5, 1e9]), '1 name 0')
  })

  it("uses a channel's key as its missing name, and keeps any other name unchanged", () => {
    const { channels } = matchChannels([listedChannel(1, '', 'C'), listedChannel(2, '__proto__', '%')])
    const [first, second] = channels
    assert.deepEqual(first, {
      key: 'ch1',
      number: 1,
      name: 'ch1',
      unit: '°C',
      quantity: 'temperature',
    })
    assert.deepEqual(second, {
      key: 'ch2',
      number: 2,
      name: '__proto__',
      unit: '%',
      quantity: 'humidity',
    })
  })

  it('has every number once, in order, with its key, and every recorded channel', () => {
    const num = fc.oneof(fc.integer({ min: -1, max: 8 }), fc.constant(null))
    const seen = fc.uniqueArray(fc.integer({ min: 1, max: 8 }))
    fc.assert(
      fc.property(fc.array(num), seen, (nums, numbers) => {
        const { channels } = matchChannels(
          nums.map((n) => listedChannel(n)),
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

describe('the channel number in the key of a value', () => {
  it('is found only in the keys of channels', () => {
    assert.equal(parseChannelNumber('ch1'), 1)
    assert.equal(parseChannelNumber('ch12'), 12)
    for (const key of ['ch0', 'ch01', 'ch', 'CH1', 'ch1 ', 'xch1', 'ch-1', 'ch100', '__proto__', 'data-id']) {
      assert.equal(parseChannelNumber(key), undefined)
    }
  })
})
