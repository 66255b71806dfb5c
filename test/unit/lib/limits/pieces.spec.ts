import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import { type Bounds, type Ended, judge, type Lane, type Run } from '../../../../src/lib/limits/judge'
import { type Added, type Measurement, Pieces } from '../../../../src/lib/limits/pieces'
import { fromSavedPieces, toSavedPiece } from '../../../../src/lib/limits/saved-pieces'
import { runs } from '../../../support/chance'

const MINUTE = 60_000
const AT = Date.UTC(2026, 10, 20)

/** All measurements in the order of their times, judged by `judge` alone. */
function inOrder(measurements: readonly Measurement[], bounds: Bounds) {
  const lane: Lane = { run: undefined }
  const ended: Ended[] = []
  for (const { time, value } of measurements.toSorted((a, b) => a.time - b.time)) {
    const over = value === null ? undefined : judge(lane, { time, value }, bounds)
    if (over) ended.push(over)
  }
  return { ended: ended.filter(({ run }) => run.isAlarm), run: lane.run }
}

const limits = fc
  .record({
    above: fc.option(fc.integer({ min: 1, max: 3 })),
    below: fc.option(fc.integer({ min: -3, max: -1 })),
    minutes: fc.integer({ min: 0, max: 6 }),
    margin: fc.integer({ min: 0, max: 3 }),
  })
  .filter(({ above, below, margin }) => above !== below && 2 * margin <= (above ?? 99) - (below ?? -99))

const series = fc.array(
  fc.record({ value: fc.option(fc.integer({ min: -6, max: 6 })), cut: fc.nat(9), place: fc.nat() }),
  { minLength: 1, maxLength: 40 },
)

/** The series in blocks that arrive in any order. */
function blocksOf(steps: readonly { value: number | null; cut: number; place: number }[]) {
  const blocks: { place: number; measurements: Measurement[] }[] = []
  for (const [minute, { value, cut, place }] of steps.entries()) {
    if (cut === 0 || blocks.length === 0) blocks.push({ place, measurements: [] })
    blocks.at(-1)?.measurements.push({ time: AT + minute * MINUTE, value })
  }
  return blocks.toSorted((a, b) => a.place - b.place).map(({ measurements }) => measurements)
}

const byTime = (a: { time: number }, b: { time: number }) => a.time - b.time
/** Of a run that is over, only the value that ended it is reported, not the newest one before. */
const withoutNewest = ({ run: { at: _, value: _value, ...run }, time, value }: Ended) => ({
  run,
  time,
  value,
})

/** Whether a measurement cannot be missing, because it lies within measurements without a hole. */
const isKnown = (pieces: Pieces, time: number) =>
  pieces.all.some(({ first, at }) => time >= first && time <= at)

describe('the pieces of a channel', () => {
  it('show after each block what the whole series so far shows, in whatever order the blocks arrive', () => {
    fc.assert(
      fc.property(limits, series, fc.boolean(), (bounds, steps, isSaved) => {
        let pieces = new Pieces()
        const all: Measurement[] = []
        const settled: Ended[] = []
        let changeable: readonly Ended[] = []
        for (const block of blocksOf(steps)) {
          all.push(...block.filter(({ time }) => !isKnown(pieces, time)))
          const added: Added = pieces.add(block, MINUTE, bounds)
          const isChangeable = (one: Ended) => added.changeable?.includes(one) ?? false
          settled.push(...added.ended.filter((one) => !isChangeable(one)))
          changeable = added.changeable ?? changeable
          const told = [...settled, ...changeable].filter(({ run }) => run.isAlarm)
          const expected = inOrder(all, bounds)
          assert.deepEqual(told.map(withoutNewest).toSorted(byTime), expected.ended.map(withoutNewest))
          assert.deepEqual<Run | undefined>(added.run, expected.run)
          if (isSaved) pieces = fromSavedPieces(JSON.parse(JSON.stringify(pieces.all.map(toSavedPiece))))
        }
      }),
      { numRuns: runs(40_000) },
    )
  })

  it('are joined once a hole between them is older than 30 days', () => {
    const day = 86_400_000
    const bounds = { above: 1, below: null, minutes: 0, margin: 0 }
    const countAfter = (days: number) => {
      const pieces = new Pieces()
      for (const time of [AT, AT + day, AT + (1 + days) * day])
        pieces.add([{ time, value: 0 }], MINUTE, bounds)
      return pieces.all.length
    }
    assert.deepEqual([30, 31].map(countAfter), [3, 2])
  })
})
