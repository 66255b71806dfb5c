import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { Account } from '../../../../src/lib/account'
import { collectRange } from '../../../../src/lib/collect/range'
import { readEnvelope } from '../../../../src/lib/decode/envelopes'
import type { EnvlogError } from '../../../../src/lib/errors'
import { runs } from '../../../support/chance'
import { context, graph, type Json, NO_LIST } from '../responses'
import { type Behaviour, type ModelRecord, type Query, select } from './model-service'

const target = { serial: '5212A1B2', base: '5212A1B2' }
const MAX_PER_SECOND = 3
const behaviour: fc.Arbitrary<Behaviour> = fc.record({
  inclusive: fc.boolean(),
  order: fc.constantFrom('ascending', 'descending', 'mixed'),
})
/** Number of records in each second; ids of a remote unit that wrap, or that restart. */
const records = fc
  .tuple(
    fc.array(fc.integer({ min: 0, max: MAX_PER_SECOND }), { minLength: 10, maxLength: 40, size: 'max' }),
    fc.constantFrom(0, 65_530),
    fc.option(fc.integer({ min: 1, max: 60 })),
  )
  .map(([counts, first, begins]) => {
    const seconds = counts.flatMap((count, second) => Array.from({ length: count }, () => 1000 + second))
    const idOf = (index: number) =>
      begins === null || index < begins ? (first + index) % 65_536 : index - begins
    // Records with the same time and number are the same.
    const distinct = new Set(seconds.map((unixtime, index) => `${unixtime}/${idOf(index)}`))
    return [...distinct].map((key, value): ModelRecord => {
      const [unixtime, id] = key.split('/').map(Number) as [number, number]
      return { unixtime, id, value }
    })
  })
/** Records that the device's hourly budget allows for each request. */
const budgets = fc.array(fc.constantFrom(7, 7, 8, 11, 25, 16_000), { minLength: 1, maxLength: 6 })

interface Service {
  records: ModelRecord[]
  how: Behaviour
  budgets: readonly number[]
  /** Called after a page was sent. */
  grow?(page: number, records: ModelRecord[]): void
  /** Ignores the period. */
  isDeaf?: boolean
  /** Number of received requests. */
  requests?: number
}

/** An account whose service sends these records; `number` is how many it would have sent. */
function accountWith(respond: (params: Query) => { data: Json[]; number: number }, quota = {}): Account {
  const read = async (endpoint: 'data', params: Query) => {
    const { data, number } = respond(params)
    return {
      endpoint,
      body: readEnvelope(endpoint, JSON.stringify(graph({ data }))),
      receivedAt: 0,
      quota,
      number,
    }
  }
  return { client: { read }, devices: NO_LIST, series1Models: [] } as unknown as Account
}

/** Values of a period, and the number of requests. */
async function collect(service: Service, from: number, to: number, number: number | null = null) {
  let pages = 0
  const account = accountWith((params) => {
    service.requests = ++pages
    if (pages > 2000) throw new RangeError('it never ends')
    const most = service.budgets[(pages - 1) % service.budgets.length] ?? 0
    const received = { ...params, number: Math.min(params.number, most) }
    const query = service.isDeaf ? { ...received, 'unixtime-from': 0, 'unixtime-to': 1e9 } : received
    const data = select([...service.records], query, service.how)
    service.grow?.(pages, service.records)
    return { data, number: received.number }
  })
  const period = { from: { instant: from }, to: { instant: to } }
  const query = { period, number, time: 'utc', format: 'read' } as const
  const { content } = await collectRange(account, target, query, context)
  assert.ok(content.kind === 'series')
  const { records: found } = content.series
  const times = found.map(({ timestamp }) => timestamp ?? 0)
  assert.deepEqual(
    times,
    times.toSorted((a, b) => a - b),
    'oldest first',
  )
  const values = found.map(({ ch1 }) => Number(ch1)).sort((a, b) => a - b)
  assert.equal(new Set(values).size, values.length, 'no duplicates')
  return { values, pages }
}

const inside = (given: readonly ModelRecord[], from: number, to: number) =>
  given.filter(({ unixtime }) => unixtime * 1000 >= from && unixtime * 1000 < to).map(({ value }) => value)
const period = fc
  .tuple(
    fc.integer({ min: 990_000, max: 1_045_000 }),
    fc.oneof(fc.integer({ min: 1, max: 45_000 }), fc.integer({ min: 30_000, max: 60_000 })),
  )
  .map(([from, length]) => [from, from + length] as const)
const numRuns = runs(6000)

describe('a period fetched in pages of any size', () => {
  it('is complete, with each record once', () =>
    fc.assert(
      fc.asyncProperty(records, period, behaviour, budgets, async (given, [from, to], how, most) => {
        const { values } = await collect({ records: given, how, budgets: most }, from, to)
        assert.deepEqual(values, inside(given, from, to))
      }),
      { numRuns },
    ))

  it('returns exactly the newest records if a number is given', () =>
    fc.assert(
      fc.asyncProperty(
        records,
        period,
        behaviour,
        budgets,
        fc.integer({ min: 1, max: 30 }),
        async (given, [from, to], how, most, number) => {
          const { values } = await collect({ records: given, how, budgets: most }, from, to, number)
          const wanted = inside(given, from, to)
          assert.equal(values.length, Math.min(number, wanted.length))
          const seconds = (list: number[]) => list.map((value) => given[value]?.unixtime)
          assert.deepEqual(seconds(values), seconds(wanted.slice(-number)))
        },
      ),
      { numRuns },
    ))

  it('has all records of the beginning, even if more are added with every page, within the period or after it', () =>
    fc.assert(
      fc.asyncProperty(
        ...[records, period, behaviour, budgets, fc.integer({ min: 1, max: 9 })],
        async (given, [from, to], how, most, growth) => {
          const before = inside(given, from, to)
          const grow = (page: number, held: ModelRecord[]) => {
            for (let each = 0; each < growth; each++) {
              const value = 1000 + page * 10 + each
              held.push({ unixtime: 1040 + page, id: value, value })
            }
          }
          const { values } = await collect({ records: [...given], how, budgets: most, grow }, from, to)
          assert.deepEqual(
            values.filter((value) => value < 1000),
            before,
          )
        },
      ),
      { numRuns },
    ))

  it('has the records that the service still keeps if it drops the oldest with every page', () =>
    fc.assert(
      fc.asyncProperty(records, period, behaviour, budgets, async (given, [from, to], how, most) => {
        const held = [...given]
        const grow = () => void held.splice(0, 3)
        const found = await collect({ records: held, how, budgets: most, grow }, from, to)
        const kept = new Set(found.values)
        assert.deepEqual(
          inside(held, from, to).filter((value) => !kept.has(value)),
          [],
        )
      }),
      { numRuns },
    ))
})

describe('a service that ignores the period', () => {
  /** The period has a few seconds; the last ones may be skipped individually if a page contains nothing else. */
  const MAX_PAGES = 5

  it('is requested again only as long as that returns something, and nothing is duplicated or outside the period', () =>
    fc.assert(
      fc.asyncProperty(records, period, behaviour, budgets, async (given, [from, to], how, most) => {
        const deaf = { records: given, how, budgets: most, isDeaf: true, requests: 0 }
        const possible = new Set(inside(given, from, to))
        try {
          const { values } = await collect(deaf, from, to)
          assert.ok(values.every((value) => possible.has(value)))
        } catch (error) {
          assert.match((error as EnvlogError).reason, /^response-other-period$/)
        }
        assert.ok(deaf.requests <= most.length + MAX_PAGES, `${deaf.requests} requests`)
      }),
      { numRuns },
    ))
})

describe('the pages of a period', () => {
  const how: Behaviour = { inclusive: true, order: 'ascending' }
  const seconds = (...found: number[]) =>
    found.map((unixtime) => ({ unixtime, id: unixtime, value: unixtime }))

  it('overlap only by a second: there are about as many as the records fill, one if the first is not full', async () => {
    const given = seconds(...Array.from({ length: 100 }, (_, index) => 1000 + index))
    for (const inclusive of [true, false]) {
      const { pages } = await collect(
        { records: given, how: { ...how, inclusive }, budgets: [10] },
        1e6,
        1.1e6,
      )
      assert.ok(pages <= 13, `${pages} pages`)
    }
  })

  it('always end, without duplicates, even if one second has more records than a page', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1000, max: 1003 }), { maxLength: 60 }),
        behaviour,
        fc.integer({ min: 1, max: 8 }),
        async (crowded, how, cap) => {
          const given = crowded.toSorted().map((unixtime, index) => ({ unixtime, id: index, value: index }))
          await collect({ records: given, how, budgets: [cap] }, 1_000_000, 1_003_000)
        },
      ),
    ))

  /** The values of a period of 10 s, whose pages have these records; all but the last are full. */
  async function valuesOf(pages: Json[][], number: number | null = null) {
    const left = [...pages]
    const respond = () => {
      const data = left.shift() ?? []
      return { data, number: left.length === 0 ? 16_000 : data.length }
    }
    const account = accountWith(respond, { recordsRemaining: 1 })
    const query = { period: { from: { instant: 0 }, to: { instant: 10_000 } }, number, time: 'utc' } as const
    const { content } = await collectRange(account, target, { ...query, format: 'read' }, context)
    return content.kind === 'series' ? content.series.records.map(({ ch1 }) => ch1) : []
  }
  const at = (unixtime: number, more = {}) => ({ unixtime, 'data-id': unixtime + 1, ch1: unixtime, ...more })

  it('count a record once, even if only the newest page has one of its channels', async () => {
    assert.deepEqual(
      await valuesOf(
        [
          [at(9), at(10, { ch2: 1 })],
          [at(8), at(9)],
        ],
        2,
      ),
      [8, 9],
    )
  })

  it('continue after a full page that contains duplicates', async () => {
    assert.deepEqual(
      await valuesOf([
        [at(8), at(8), at(9)],
        [at(7), at(8)],
      ]),
      [7, 8, 9],
    )
  })

  it('keep records without a time, without duplicates', async () => {
    assert.deepEqual(
      await valuesOf([
        [at(0), at(6), at(7)],
        [at(0), at(4), at(5), at(6)],
      ]),
      [0, 4, 5, 6, 7],
    )
  })
})
