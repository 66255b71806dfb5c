import assert from 'node:assert/strict'
import fc from 'fast-check'
import { findAlarms, findRuns } from '../../../support/limits/oracle'
import { type Measured, reportOf } from '../../../support/report/plant'

const MINUTE = 60_000
const START = Date.parse('2026-10-08T00:00Z')

/** Values near the limits, for some time each, with pauses in between. */
const stretches = fc.array(
  fc.record({
    value: fc.integer({ min: -7, max: 7 }),
    count: fc.integer({ min: 1, max: 30 }),
    pause: fc.oneof({ weight: 5, arbitrary: fc.constant(1) }, fc.integer({ min: 2, max: 60 })),
    error: fc.boolean(),
  }),
  { minLength: 1, maxLength: 25 },
)

const limits = fc.record({
  above: fc.option(fc.integer({ min: 2, max: 5 }), { nil: null, freq: 5 }),
  below: fc.integer({ min: -5, max: -2 }),
  minutes: fc.constantFrom(0, 5, 10, 60, 240),
  margin: fc.integer({ min: 0, max: 2 }),
})

const story = fc.record({
  stretches,
  limit: limits,
  interval: fc.constantFrom(1, 5, 10),
  /** Where the period begins and ends, in percent of the series. */
  bounds: fc.tuple(fc.integer({ min: 0, max: 99 }), fc.integer({ min: 0, max: 100 })),
})

type Story = typeof story extends fc.Arbitrary<infer T> ? T : never

function toRecords({ stretches: all, interval }: Story): Measured[] {
  const records: Measured[] = []
  let at = START
  for (const { value, count, pause, error } of all) {
    if (error) records.push([at, 'E1'])
    at += pause * interval * MINUTE
    for (let index = 0; index < count; index++) {
      records.push([at, value])
      at += interval * MINUTE
    }
  }
  return records
}

describe('the excursions of a report', () => {
  it('are those of a scan of all values that overlap the period, whatever was requested', async () => {
    await fc.assert(
      fc.asyncProperty(story, async (told) => {
        const records = toRecords(told)
        const values = records.flatMap(([time, value]) =>
          typeof value === 'number' ? [{ time, value }] : [],
        )
        const now = (records.at(-1)?.[0] ?? START) + MINUTE
        const [first = 0, last = 0] = told.bounds
          .toSorted((a, b) => a - b)
          .map((percent) => START + Math.floor(((now - START) * percent) / 100))
        const period = { from: first, to: Math.max(last, first + 1) }
        const margin = told.limit.minutes * MINUTE
        // Without any value in what is requested, no excursion is known to last.
        fc.pre(values.some(({ time }) => time >= period.from - margin && time < period.to + margin))
        const { channel } = await reportOf([{ serial: '5212A1B2', records }], {
          ...{ now, rows: [told.limit], zone: 'UTC' },
          period: { from: { instant: period.from }, to: { instant: period.to } },
        })
        const isInside = ({ from, until }: { from: number; until: number | null }) =>
          from < period.to && (until ?? Number.POSITIVE_INFINITY) > period.from
        const expected = findAlarms(values, told.limit).filter(isInside)
        const pending = findRuns(values, told.limit).filter((run) => !run.isAlarm && run.until === null)
        // Without records in the period, a channel is listed only with an excursion.
        const found = channel ?? { excursions: [], outsideAtEnd: [] }
        assert.deepEqual(
          found.excursions.map(({ from, until, isUntilKnown, side, extreme }) => ({
            ...{ from, until: isUntilKnown ? until : null, condition: side, extreme },
          })),
          expected,
        )
        assert.deepEqual(
          found.excursions.map(({ isFromKnown }) => isFromKnown),
          expected.map(({ from }) => from > (values[0]?.time as number)),
        )
        if (channel)
          assert.deepEqual(
            found.outsideAtEnd.map(({ from, extreme }) => ({ from, extreme })),
            pending.filter(isInside).map(({ from, extreme }) => ({ from, extreme })),
          )
      }),
      { numRuns: 100 },
    )
  })
})
