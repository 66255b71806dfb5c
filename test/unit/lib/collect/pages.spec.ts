import assert from 'node:assert/strict'
import fc from 'fast-check'
import { addPage, nextPage, type Page, startPaging } from '../../../../src/lib/collect/pages'
import { mergeSeries } from '../../../../src/lib/readings/merge'
import type { Series } from '../../../../src/lib/readings/series'
import { graph, readSeries } from '../answers'
import { type Behaviour, type ModelRecord, select } from './model-service'

const behaviour: fc.Arbitrary<Behaviour> = fc.record({
  inclusive: fc.boolean(),
  order: fc.constantFrom('ascending', 'descending', 'mixed'),
})

/** At most three records per second; the ids of a standalone device, or all 0 with different values. */
const MAX_PER_SECOND = 3
const _records = fc
  .tuple(fc.array(fc.integer({ min: 0, max: MAX_PER_SECOND }), { maxLength: 40 }), fc.boolean())
  .map(([counts, withIds]) => {
    const seconds = counts.flatMap((count, second) => Array.from({ length: count }, () => 1000 + second))
    return seconds.map(
      (unixtime, index): ModelRecord => ({ unixtime, id: withIds ? index + 1 : 0, value: index }),
    )
  })
/** In ms, not only full seconds. */
const _period = fc
  .tuple(fc.integer({ min: 990_000, max: 1_045_000 }), fc.integer({ min: 1, max: 45_000 }))
  .map(([from, length]) => ({ from, to: from + length }))

/** The pages of a period, in order. */
function createPages(period: Parameters<typeof startPaging>[0]) {
  let paging = startPaging(period)
  return {
    next: () => nextPage(paging),
    /** True for the last page. */
    take(series: Series, count: number, requested: Page, recordsRemaining: number | null = 1): boolean {
      const before = structuredClone(paging)
      const received = { requested, count, recordsRemaining }
      const after = addPage(paging, series, received)
      assert.deepEqual(paging, before, 'the argument is not modified')
      paging = after
      return paging.isComplete
    },
    series: () => mergeSeries(paging.parts),
  }
}

interface Run {
  series: Series
  pages: number
}

/** Requests all pages from a service that returns at most `cap` records at once. */
function run(
  given: readonly ModelRecord[],
  period: { from: number; to: number; number: number | null },
  how: Behaviour,
  cap: number,
  grow: (page: number) => readonly ModelRecord[] = () => [],
): Run {
  const pages = createPages(period)
  const held = [...given]
  for (let count = 1; ; count++) {
    assert.ok(count < 500, 'it never ends')
    const next = pages.next()
    const page = { ...next, number: Math.min(next.number, cap) }
    const data = select(
      held,
      { 'unixtime-from': page.from, 'unixtime-to': page.to, number: page.number },
      how,
    )
    const series = readSeries(graph({ data }), 'utc')
    if (pages.take(series, data.length, page)) return { series: pages.series(), pages: count }
    held.push(...grow(count))
  }
}

const _wanted = (
  given: readonly ModelRecord[],
  { from, to, number }: { from: number; to: number; number: number | null },
) => {
  const inside = given.filter(({ unixtime }) => unixtime * 1000 >= from && unixtime * 1000 < to)
  return inside.slice(number === null ? 0 : Math.max(0, inside.length - number)).map(({ value }) => value)
}
const values = (series: Series) => series.records.map(({ ch1 }) => Number(ch1))
/** Values grow with time. Without ids and in mixed order, the order within a second is unknown. */
const isKnown = (series: Series, { order }: Behaviour) =>
  order === 'ascending' || series.records.some(({ dataId }) => dataId !== 0)
const _inOrder = (series: Series, how: Behaviour) =>
  isKnown(series, how) ? values(series) : values(series).sort((a, b) => a - b)

describe('the pages of a period', () => {
  it('always end, even if one second has more records than a page', () => {
    const crowded = fc.array(fc.integer({ min: 1000, max: 1003 }), { maxLength: 60 })
    const number = fc.option(fc.integer({ min: 1, max: 20 }))
    fc.assert(
      fc.property(crowded, behaviour, fc.integer({ min: 1, max: 8 }), number, (seconds, how, cap, count) => {
        const given = seconds.toSorted().map((unixtime, index) => ({ unixtime, id: index, value: index }))
        const { series } = run(given, { from: 1_000_000, to: 1_003_000, number: count }, how, cap)
        const found = values(series)
        assert.equal(new Set(found).size, found.length, 'no duplicates')
      }),
    )
  })

  it('overlap only by a second: there are about as many pages as the records fill', () => {
    const given = Array.from({ length: 100 }, (_, index) => ({
      unixtime: 1000 + index,
      id: index,
      value: index,
    }))
    for (const inclusive of [true, false]) {
      const how = { inclusive, order: 'ascending' } as const
      const { pages } = run(given, { from: 1_000_000, to: 1_100_000, number: null }, how, 10)
      assert.ok(pages <= 13, `${pages} pages`)
    }
  })

  it('are only one if the first is not full', () => {
    const given = [{ unixtime: 1000, id: 1, value: 1 }]
    const { pages } = run(
      given,
      { from: 0, to: 2_000_000, number: null },
      { inclusive: true, order: 'ascending' },
      10,
    )
    assert.equal(pages, 1)
  })

  it('count a record once, even if only the newest page has one of its channels', () => {
    const pages = createPages({ from: 0, to: 10_000, number: 2 })
    const at = (unixtime: number, more = {}) => ({ unixtime, 'data-id': unixtime, ch1: unixtime, ...more })
    const take = (data: object[]) => {
      const page = pages.next()
      return pages.take(readSeries(graph({ data }), 'utc'), data.length, page)
    }
    assert.equal(take([at(9), at(10, { ch2: 1 })]), false, 'one is outside: bounds are inclusive')
    take([at(8), at(9)])
    assert.deepEqual(values(pages.series()), [8, 9])
  })

  it('continue after a full page that contains duplicates', () => {
    const pages = createPages({ from: 0, to: 10_000, number: null })
    const take = (seconds: number[]) => {
      const data = seconds.map((unixtime) => ({ unixtime, 'data-id': unixtime, ch1: unixtime }))
      return pages.take(readSeries(graph({ data }), 'utc'), data.length, {
        ...pages.next(),
        number: 3,
      })
    }
    assert.equal(take([8, 8, 9]), false)
    assert.equal(take([7, 8]), true)
    assert.deepEqual(values(pages.series()), [7, 8, 9])
  })

  it('keep records without a time, without duplicates', () => {
    const pages = createPages({ from: 0, to: 10_000, number: null })
    const take = (seconds: number[], number: number) => {
      const data = seconds.map((unixtime) => ({ unixtime, 'data-id': unixtime + 1, ch1: unixtime }))
      return pages.take(readSeries(graph({ data }), 'utc'), data.length, {
        ...pages.next(),
        number,
      })
    }
    assert.equal(take([0, 6, 7], 3), false)
    assert.equal(take([0, 4, 5, 6], 5), true)
    assert.deepEqual(values(pages.series()), [0, 4, 5, 6, 7])
  })
})
