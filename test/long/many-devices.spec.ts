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

describe('months with 500 devices, some of which are added, removed or moved, or fail, with outages, receipts and deploys', function () {
  // FLEET_DAYS=365 takes minutes.
  this.timeout(900_000)
  let result: FleetResult

  before(async () => {
    const child = fork(require.resolve('./fleet/many-devices-process.ts'), [], {
      execArgv: ['--require', 'tsx/cjs'],
    })
    const [message] = await Promise.race([once(child, 'message'), once(child, 'exit').then(failOnExit)])
    result = message as FleetResult
    for (const figures of result.figures) console.log(`      ${summaryOf(figures)}`)
    console.log(`      ${JSON.stringify({ ...result.kept, reports: result.reports })}`)
  })

  it('grow the heap by at most 10 % after the first day, and by at most 5 % after the first month', () => {
    const [first, month, last] = firstMonthAndLast()
    const most = Math.min(first.heap * (1 + MAX_GROWTH), month.heap * (1 + MAX_LATER_GROWTH)) + NOISE_MB
    const reference = `${first.heap.toFixed(1)} MB after a day, ${month.heap.toFixed(1)} MB after a month`
    assert.ok(last.heap <= most, `${last.heap.toFixed(1)} MB after ${reference}`)
  })

  it('grow the saved state by at most 10 % after the first month', () => {
    const [, month, last] = firstMonthAndLast()
    assert.ok(last.stored <= month.stored * (1 + MAX_GROWTH), `${last.stored} kB after ${month.stored} kB`)
  })

  it('deliver the records of the permanent devices, except those still on their way, each once if its receipt is returned', () => {
    const { devices, fewest, perDevice, doubled } = result.kept
    assert.deepEqual([devices, doubled], [10, 0])
    // The last records have not been delivered yet.
    assert.ok(fewest >= perDevice - 30, `${fewest} of ${perDevice}`)
  })

  it('never exceed the quota', () => {
    assert.equal(result.over, 0)
  })

  function firstMonthAndLast(): [DayFigures, DayFigures, DayFigures] {
    const [first, last] = [result.figures[0], result.figures.at(-1)]
    const month = result.figures.find(({ day }) => day === 30)
    assert.ok(first && month && last, 'FLEET_DAYS must be at least 30')
    return [first, month, last]
  }
})

function failOnExit([code]: unknown[]): never {
  throw new Error(`the fleet process exited with code ${code}`)
}

function summaryOf({ day, records, polls, requests, heap, stored, wall }: DayFigures): string {
  const sizes = `heap ${heap.toFixed(1)} MB, saved state ${stored.toFixed(0)} kB`
  return `day ${day}: ${records} records, ${polls} polls, ${requests} requests, ${sizes}, ${wall.toFixed(1)} s`
}
