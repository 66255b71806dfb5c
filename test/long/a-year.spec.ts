import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { DayFigures, YearResult } from '../support/fleet/a-year-process'

/** Of the heap after the first day. */
const MOST_MORE = 0.1
/** From the first month on, when what was known of devices that left is deleted as fast as it comes. */
const MOST_MORE_LATER = 0.05
/** By so much the heap of the same year differs from run to run, MB. */
const NOISE_MB = 0.3

describe('a year of 500 devices that come, go, move and fail, with outages, receipts and deploys', function () {
  this.timeout(600_000)
  let year: YearResult

  before(async () => {
    const child = fork(require.resolve('../support/fleet/a-year-process.ts'), [], {
      execArgv: ['--require', 'tsx/cjs'],
    })
    const [told] = await Promise.race([once(child, 'message'), once(child, 'exit').then(ended)])
    year = told as YearResult
    for (const figures of year.figures) console.log(`      ${inShort(figures)}`)
    console.log(`      ${JSON.stringify({ ...year.kept, reports: year.reports })}`)
  })

  it('ends with the heap that it had after the first day', () => {
    const [first, last] = ends()
    const month = year.figures.find(({ day }) => day === 30) as DayFigures
    const most = Math.min(first.heap * (1 + MOST_MORE), month.heap * (1 + MOST_MORE_LATER)) + NOISE_MB
    const before = `${first.heap.toFixed(1)} MB after a day, ${month.heap.toFixed(1)} MB after a month`
    assert.ok(last.heap <= most, `${last.heap.toFixed(1)} MB after ${before}`)
  })

  it('ends with a saved state no larger than it was after a month', () => {
    const month = year.figures.find(({ day }) => day === 30) as DayFigures
    const [, last] = ends()
    assert.ok(last.stored <= month.stored * (1 + MOST_MORE), `${last.stored} kB after ${month.stored} kB`)
  })

  it('brought every record of the devices that stayed, each once where its receipt came', () => {
    const { devices, fewest, perDevice, doubled } = year.kept
    assert.deepEqual([devices, doubled], [10, 0])
    // The last are yet to come.
    assert.ok(fewest >= perDevice - 30, `${fewest} of ${perDevice}`)
  })

  it('never exceeded the quota', () => {
    assert.equal(year.over, 0)
  })

  const ends = () => [year.figures[0], year.figures.at(-1)] as [DayFigures, DayFigures]
})

function ended([code]: unknown[]): never {
  throw new Error(`it ended with ${code}`)
}

function inShort({ day, records, polls, requests, heap, stored, wall }: DayFigures): string {
  const sizes = `heap ${heap.toFixed(1)} MB, saved state ${stored.toFixed(0)} kB`
  return `day ${day}: ${records} records, ${polls} polls, ${requests} requests, ${sizes}, ${wall.toFixed(1)} s`
}
