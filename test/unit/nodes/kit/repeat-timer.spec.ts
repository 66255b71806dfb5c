import assert from 'node:assert/strict'
import { systemClock } from '../../../../src/lib/clock'
import { EnvlogError, type Reason } from '../../../../src/lib/errors'
import { RepeatTimer } from '../../../../src/nodes/kit/action/repeat-timer'
import { MAX_SECONDS } from '../../../../src/shared/action'
import { useFakeTimers } from '../../lib/api/setup'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

describe('repeating', () => {
  const timers = useFakeTimers()
  const { random } = Math
  afterEach(() => {
    Math.random = random
  })

  /**
   * Triggers with the given durations and results. `starts` are in ms, `dues` are the times at which a run was due
   * before the last one ended; `next` are the starts announced at the end of each run, ms since 1970 UTC.
   */
  function setup(
    period: number,
    run: (index: number) => {
      takes?: number
      /** Time until its first response; by default, that is the last one. */
      responds?: number
      fails?: Reason
      isLost?: boolean
    } = () => ({}),
    { chance = 0.5, plannedIn = undefined as number | undefined, isAligned = false } = {},
  ) {
    const begin = Date.now()
    const starts: number[] = []
    const dues: number[] = []
    const next: number[] = []
    Math.random = () => chance
    const trigger = () => {
      const { takes = 0, responds = takes, fails, isLost } = run(starts.length)
      const respondedAt = systemClock.monotonic() + responds
      starts.push(Date.now() - begin)
      if (isLost) return
      timer.started()
      const end = () => next.push(timer.ended(respondedAt, fails && new EnvlogError(fails)))
      if (takes > 0) systemClock.after(takes, end)
      else end()
    }
    const plannedAt = plannedIn === undefined ? undefined : begin + plannedIn
    const timer = new RepeatTimer(period, trigger, () => dues.push(Date.now() - begin), {
      plannedAt,
      isAligned,
    })
    const distances = () => starts.slice(1).map((start, index) => start - (starts[index] ?? 0))
    return { begin, starts, dues, next, distances, timer }
  }

  it('starts after a random time of 1 to 5 seconds', async () => {
    for (const [chance, expected] of [
      [0, 1000],
      [0.999999, 5000],
    ] as const) {
      const { starts, timer } = setup(MINUTE, undefined, { chance })
      await timers().tickAsync(6000)
      assert.equal(Math.round((starts[0] ?? 0) / 10) * 10, expected)
      timer.stop()
    }
  })

  it('repeats at multiples of a period of up to an hour if it is aligned, and otherwise after a period', async () => {
    for (const period of [10_000, 20_000, MINUTE, 90_000, 5 * MINUTE, HOUR]) {
      const offset = performance.now()
      const { distances, starts, timer } = setup(period, () => ({ takes: 1000 }), { isAligned: true })
      await timers().tickAsync(4 * period)
      const late = starts.slice(1).map((start) => (offset + start) % period)
      assert.deepEqual([new Set(late), new Set(distances().slice(1))], [new Set([0]), new Set([period])])
      timer.stop()
    }
    for (const [period, isAligned] of [
      [HOUR + MINUTE, true],
      [MINUTE, false],
    ] as const) {
      const { distances, timer } = setup(period, () => ({ takes: 1000 }), { isAligned })
      await timers().tickAsync(4 * period)
      assert.deepEqual(new Set(distances()), new Set([period]))
      timer.stop()
    }
  })

  it('leaves out what became due before a response that arrived late', async () => {
    for (const [takes, minutes] of [
      [62_000, 2],
      [130_000, 3],
    ] as const) {
      const { distances, timer } = setup(MINUTE, (index) => ({ takes: index === 1 ? takes : 0 }))
      await timers().tickAsync(6 * MINUTE)
      assert.deepEqual(distances().slice(1, 3), [minutes * MINUTE, MINUTE])
      timer.stop()
    }
  })

  it('never overlaps: it repeats at the end of a round whose first response arrived in time', async () => {
    const late = { takes: 150_000, responds: 1000 }
    const { distances } = setup(MINUTE, (index) => (index === 1 ? late : {}))
    await timers().tickAsync(6 * MINUTE)
    // After that, it runs at the full minute again.
    const seconds = distances().map((distance) => Math.round(distance / 1000))
    assert.deepEqual(seconds.slice(1, 4), [150, 60, 60])
  })

  it('tells a run that takes longer when the next one is due, once', async () => {
    const { starts, dues } = setup(MINUTE, (index) => ({ takes: index === 1 ? 150_000 : 20_000 }))
    await timers().tickAsync(6 * MINUTE)
    assert.deepEqual(dues, [(starts[1] ?? 0) + MINUTE])
  })

  it('goes on after a deploy when it would have run without it, after a period at the latest', async () => {
    for (const [plannedIn, expected] of [
      [20 * MINUTE, 20 * MINUTE],
      [-HOUR, 3000],
      [24 * HOUR, HOUR],
    ] as const) {
      const { starts, timer } = setup(HOUR, () => ({}), { plannedIn })
      await timers().tickAsync(HOUR + 1000)
      assert.equal(starts[0], expected)
      timer.stop()
    }
  })

  it('goes on if its message is lost', async () => {
    const { distances } = setup(MINUTE, (index) => ({ isLost: index === 1 }))
    await timers().tickAsync(5 * MINUTE)
    assert.deepEqual(new Set(distances().slice(1)), new Set([MINUTE]))
  })

  /** In half minutes, because the first run after a success is due up to a minute earlier. */
  const inMinutes = (distances: number[]) =>
    distances.slice(0, 8).map((distance) => Math.round((2 * distance) / MINUTE) / 2)
  for (const reason of [
    'no-connection',
    'timeout-total',
    'service-failed',
    'service-refused',
    'path-not-found',
  ] as const) {
    it(`tries again after ${reason} in 1, 2, 4, 5, 5 minutes, even if it repeats less often, until a success`, async () => {
      const { distances } = setup(30 * MINUTE, (index) => (index < 5 ? { fails: reason } : {}))
      await timers().tickAsync(3 * HOUR)
      assert.deepEqual(inMinutes(distances()), [1, 2, 4, 5, 5, 30, 30, 30])
    })
  }

  it('tries again in 1, 2, 4 minutes … up to an hour if the login is refused', async () => {
    const { distances } = setup(10 * MINUTE, (index) => (index < 8 ? { fails: 'login-refused' } : {}))
    await timers().tickAsync(8 * HOUR)
    assert.deepEqual(inMinutes(distances()), [1, 2, 4, 8, 16, 32, 60, 60])
    assert.equal(distances()[8], 10 * MINUTE)
  })

  it('waits from the end of a failed run, however long that takes', async () => {
    const { distances } = setup(MINUTE, (index) =>
      index < 2 ? { takes: 90_000, fails: 'no-connection' } : {},
    )
    await timers().tickAsync(HOUR)
    assert.deepEqual(inMinutes(distances()).slice(0, 3), [2.5, 3.5, 1])
  })

  it('keeps its period after other failures', async () => {
    const { distances } = setup(MINUTE, () => ({ fails: 'device-refused' }))
    await timers().tickAsync(5 * MINUTE)
    assert.deepEqual(new Set(distances().slice(1)), new Set([MINUTE]))
  })

  it('knows at the end of a run when it repeats', async () => {
    const { begin, starts, next } = setup(MINUTE, (index) => ({
      takes: 1000,
      fails: index < 3 ? 'no-connection' : 'response-not-json',
    }))
    await timers().tickAsync(HOUR)
    assert.deepEqual(
      next.slice(0, 5),
      starts.slice(1, 6).map((start) => begin + start),
    )
  })

  it('can have the longest period', async () => {
    const { distances } = setup(MAX_SECONDS * 1000)
    await timers().tickAsync(MAX_SECONDS * 1000 + 10_000)
    assert.deepEqual(distances(), [MAX_SECONDS * 1000])
  })

  it('keeps its period if the clock is moved while it runs', async () => {
    const { starts } = setup(MINUTE, (index) => {
      if (index === 0) timers().setSystemTime(Date.now() - HOUR)
      return { takes: 1 }
    })
    await timers().tickAsync(3000 + MINUTE - 10)
    assert.equal(starts.length, 1)
    await timers().tickAsync(20)
    assert.equal(starts.length, 2)
  })

  it('plans nothing for the time after a failure, so that a deploy with a corrected setting tries again at once', async () => {
    const { timer } = setup(HOUR, (index) => (index === 0 ? { fails: 'login-refused' } : {}))
    await timers().tickAsync(10_000)
    assert.equal(timer.nextAt, undefined)
    await timers().tickAsync(MINUTE)
    assert.ok(timer.nextAt)
  })

  it('stops before the first run, between two, and during one', async () => {
    for (const [after, expected] of [
      [500, 0],
      [MINUTE, 1],
      [3500, 1],
    ] as const) {
      const { starts, timer } = setup(2 * MINUTE, () => ({ takes: 1000 }))
      await timers().tickAsync(after)
      timer.stop()
      await timers().tickAsync(10 * MINUTE)
      assert.equal(starts.length, expected)
    }
  })
})
