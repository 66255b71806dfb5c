import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { DayFigures } from './fleet/many-devices-process'

/** Relative to the heap after the first day. */
const MAX_GROWTH = 0.1
/** From the first month on, when the state of removed devices is deleted as fast as it is added. */
const MAX_LATER_GROWTH = 0.05
/** Variation of the heap between runs of the same days, MB. */
const NOISE_MB = 0.3
/** Records of refused and replaced devices, and of the last three days, are missing. */
const MIN_DELIVERED = 0.75

describe('months with outages, receipts, deploys, and 500 devices that are added, removed or moved, or fail', function () {
  // FLEET_DAYS=365 takes minutes.
  this.timeout(900_000)
  let recordsADay: number
  let [first, month, last]: DayFigures[] = []

  before(async () => {
    const child = fork(require.resolve('./fleet/many-devices-process.ts'), [], {
      // As in .mocharc.json: fewer collections of short-lived objects.
      execArgv: ['--require', 'tsx/cjs', '--max-semi-space-size=32'],
    })
    const [message] = await Promise.race([once(child, 'message'), once(child, 'exit')])
    assert.equal(typeof message, 'object', `the fleet process exited with code ${message}`)
    const figures: DayFigures[] = message.figures
    console.log(figures)
    recordsADay = message.recordsADay
    ;[first, month, last] = [figures[0], figures.find(({ day }) => day === 30), figures.at(-1)]
  })

  it('deliver records every day until the end', () => {
    assert.ok(first && last)
    const delivered = (last.records - first.records) / (last.day - first.day) / recordsADay
    assert.ok(delivered > MIN_DELIVERED, String(delivered))
  })

  it('grow the heap by at most 10 % after the first day, and by at most 5 % after the first month', () => {
    assert.ok(first && month && last)
    const most = Math.min(first.heap * (1 + MAX_GROWTH), month.heap * (1 + MAX_LATER_GROWTH)) + NOISE_MB
    assert.ok(last.heap <= most, `${last.heap} MB, not ${most}`)
  })

  it('grow the saved state by at most 10 % after the first month', () => {
    assert.ok(month && last)
    assert.ok(last.stored <= month.stored * (1 + MAX_GROWTH), `${last.stored} kB after ${month.stored} kB`)
  })
})
