import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { DayFigures, FleetResult } from './fleet/many-devices-process'

/** Relative to the heap after the first day. */
const MAX_GROWTH = 0.1
/** From the first month on, when the state of removed devices is deleted as fast as it is added. */
const MAX_LATER_GROWTH = 0.05
/** Variation of the heap between runs of the same days, MB. */
const NOISE_MB = 0.3

describe('months of 500 devices that are added, removed, moved and fail, with outages, receipts and deploys', function () {
  // FLEET_DAYS=365 takes minutes.
  this.timeout(900_000)
  let result: FleetResult

  before(async () => {
    const child = fork(require.resolve('./fleet/many-devices-process.ts'), [], {
      execArgv: ['--require', 'tsx/cjs'],
    })
    const [message] = await Promise.race([once(child, 'message'), once(child, 'exit').then(ended)])
    result = message as FleetResult
    for (const figures of result.figures) console.log(`      ${inShort(figures)}`)
    console.log(`      ${JSON.stringify({ ...result.kept, reports: result.reports })}`)
  })

  it('do not grow the heap after the first day', () => {
    const [first, last] = ends()
    const month = result.figures.find(({ day }) => day === 30) as DayFigures
    const most = Math.min(first.heap * (1 + MAX_GROWTH), month.heap * (1 + MAX_LATER_GROWTH)) + NOISE_MB
    const before = `${first.heap.toFixed(1)} MB after a day, ${month.heap.toFixed(1)} MB after a month`
    assert.ok(last.heap <= most, `${last.heap.toFixed(1)} MB after ${before}`)
  })

  it('do not grow the saved state after the first month', () => {
    const month = result.figures.find(({ day }) => day === 30) as DayFigures
    const [, last] = ends()
    assert.ok(last.stored <= month.stored * (1 + MAX_GROWTH), `${last.stored} kB after ${month.stored} kB`)
  })

  it('deliver every record of the permanent devices, each once if its receipt is returned', () => {
    const { devices, fewest, perDevice, doubled } = result.kept
    assert.deepEqual([devices, doubled], [10, 0])
    // The last records have not been delivered yet.
    assert.ok(fewest >= perDevice - 30, `${fewest} of ${perDevice}`)
  })

  it('never exceed the quota', () => {
    assert.equal(result.over, 0)
  })

  const ends = () => [result.figures[0], result.figures.at(-1)] as [DayFigures, DayFigures]
})

function ended([code]: unknown[]): never {
  throw new Error(`it ended with ${code}`)
}

function inShort({ day, records, polls, requests, heap, stored, wall }: DayFigures): string {
  const sizes = `heap ${heap.toFixed(1)} MB, saved state ${stored.toFixed(0)} kB`
  return `day ${day}: ${records} records, ${polls} polls, ${requests} requests, ${sizes}, ${wall.toFixed(1)} s`
}
