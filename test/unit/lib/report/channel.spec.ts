import assert from 'node:assert/strict'
import { decimalsOf, describeChannel } from '../../../../src/lib/report/channel'

const MINUTE = 60_000

describe('a channel with two values', () => {
  it('is incomplete because of the time between them, although its coverage is not known', async () => {
    const about = { number: 1, name: '', unit: '°C', quantity: null }
    // Of equal ones, the first is the longest.
    const records = [0, 61].map((minute) => ({ timestamp: minute * MINUTE, ch1: 5 }))
    const { coverage, state, gaps, longestGap } = await describeChannel(about, records as never, {
      period: { from: 0, to: 122 * MINUTE },
      limits: [],
      ...{ coverage: 95, gap: 60, isLost: false },
    })
    const all = [0, 61].map((minute) => ({ from: minute * MINUTE, to: (minute + 61) * MINUTE }))
    assert.deepEqual([coverage, state, gaps, longestGap], [null, 'incomplete', all, all[0]])
  })
})

describe('the number of values that a channel would have without gaps', () => {
  it('includes those at the beginning and at the end of the period, and is not known without values', async () => {
    const about = { number: 1, name: '', unit: '°C', quantity: null }
    const period = { from: 0, to: 60 * MINUTE }
    const of = async (from: number, to: number) => {
      const records = Array.from({ length: to - from }, (_, index) => ({
        ...{ timestamp: (from + index) * MINUTE, ch1: 5 },
      }))
      const context = { period, limits: [], coverage: 95, gap: 60, isLost: false }
      return (await describeChannel(about, records as never, context)).expected
    }
    assert.deepEqual([await of(0, 60), await of(10, 60), await of(0, 50), await of(0, 0)], [60, 60, 60, null])
  })
})

describe('the decimals of values', () => {
  it('are the most that one has, up to two', () => {
    const counts = [[], [5], [5, 5.1, 6], [5.25, 5.1], [5.125]].map(decimalsOf)
    assert.deepEqual(counts, [0, 0, 1, 2, 2])
  })
})

describe('a channel with many excursions and gaps', () => {
  it('lists the first 100 and 10 of them, and counts the others', async () => {
    let at = 0
    const records = Array.from({ length: 103 }, (_, index) => {
      at += (index % 9 === 8 ? 120 : 2) * MINUTE
      return [9, 0].map((ch1, minute) => ({ timestamp: at + minute * MINUTE, ch1 }))
    }).flat()
    const shown = { name: '', above: 8, below: null, minutes: 0, margin: 0 }
    const about = { number: 1, name: '', unit: '°C', quantity: null }
    const found = await describeChannel(about, records as never, {
      period: { from: 0, to: at + 2 * MINUTE },
      limits: [{ shown, convert: (value: number) => value }] as never,
      ...{ coverage: 95, gap: 60, isLost: false },
    })
    const { excursions, leftOut, gaps, gapsLeftOut } = found
    assert.deepEqual([excursions.length, leftOut, gaps.length, gapsLeftOut], [100, 3, 10, 1])
  })
})
