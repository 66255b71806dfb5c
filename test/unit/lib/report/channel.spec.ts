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

describe('a channel in a period', () => {
  const START = Date.UTC(2026, 9, 10)

  /** @param values of a channel by the minute; a text stands in place of a value */
  const of = (
    values: readonly (readonly [minute: number, value: number | string])[],
    { minutes, ...more }: { minutes: number; coverage?: number; gap?: number; limits?: object[] },
  ) => {
    const records = values.map(([minute, value]) => ({
      timestamp: START + minute * MINUTE,
      ...(typeof value === 'number' ? { ch1: value } : { ch1: null, errors: { ch1: value } }),
    }))
    const limits = (more.limits ?? []).map((limit) => ({
      shown: { name: '', above: null, below: null, minutes: 0, margin: 0, ...limit },
      convert: (value: number) => value,
    }))
    return describeChannel({ number: 1, name: '', unit: '°C', quantity: null }, records as never, {
      period: { from: START, to: START + minutes * MINUTE },
      ...{ coverage: 95, gap: 60, isLost: false, ...more, limits: limits as never },
    })
  }
  const minutely = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => [from + index, 5] as const)

  it('has one value of each time, the first', async () => {
    const { count, max } = await of([...minutely(0, 3), [3, 6], [3, 7], ...minutely(4, 6)], { minutes: 6 })
    assert.deepEqual([count, max?.value], [6, 6])
  })

  it('is complete with two values that are close enough', async () => {
    const { coverage, state } = await of(
      [
        [0, 5],
        [60, 5],
      ],
      { minutes: 120 },
    )
    assert.deepEqual([coverage, state], [null, 'complete'])
  })

  it('is incomplete if too little is measured, although no gap is too long', async () => {
    const states = [80, 81].map(async (coverage) => {
      const found = await of([...minutely(0, 61), ...minutely(80, 100)], { minutes: 100, coverage, gap: 60 })
      return [found.coverage, found.state]
    })
    assert.deepEqual(await Promise.all(states), [
      [80, 'complete'],
      [80, 'incomplete'],
    ])
  })

  it('has its longest gap, whichever it is', async () => {
    const { longestGap } = await of([...minutely(0, 10), ...minutely(80, 90), ...minutely(180, 190)], {
      minutes: 190,
    })
    assert.deepEqual(longestGap, { from: START + 89 * MINUTE, to: START + 180 * MINUTE })
  })

  it('has the excursions of all its limits by their beginning', async () => {
    const values = [5, 1, 5, 9, 5].map((value, minute) => [minute, value] as const)
    const { excursions } = await of(values, { minutes: 5, limits: [{ above: 8 }, { below: 2 }] })
    assert.deepEqual(
      excursions.map(({ side, from }) => [side, (from - START) / MINUTE]),
      [
        ['below', 1],
        ['above', 3],
      ],
    )
  })

  it('adds up the minutes of excursions that lie in the period', async () => {
    const warm = [-10, 5, 6, 7, 20, 30].map((minute) => [minute, minute === 7 ? 5 : 9] as const)
    const found = await of([...warm, [40, 5]], { minutes: 25, limits: [{ above: 8 }] })
    assert.deepEqual(
      found.excursions.map(({ minutes }) => minutes),
      [17, 20],
    )
    assert.equal(found.excursionMinutes, 7 + 5)
  })

  it('has the whole minutes of an excursion, as an alarm has them', async () => {
    const values = [
      [0, 5],
      [1, 9],
      [2.7, 5],
    ] as const
    const { excursions } = await of(values, { minutes: 5, limits: [{ above: 8 }] })
    assert.deepEqual(
      excursions.map(({ minutes }) => minutes),
      [1],
    )
  })

  it('counts only records without a value as such, and has the reason of the first', async () => {
    const values = [5, 'E2', 5, 'E1', 5].map((value, minute) => [minute, value] as const)
    const { errors, errorText } = await of(values, { minutes: 5 })
    assert.deepEqual([errors, errorText], [2, 'E2'])
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
