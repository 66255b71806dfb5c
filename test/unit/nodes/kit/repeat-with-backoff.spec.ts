import assert from 'node:assert/strict'
import { systemClock } from '../../../../src/lib/clock'
import { EnvlogError, type Reason } from '../../../../src/lib/errors'
import { runPeriodically } from '../../../../src/nodes/kit/action/repeat-with-backoff'
import { MAX_SECONDS } from '../../../../src/shared/action'
import { useFakeTimers, watch } from '../../lib/api/setup'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

describe('repeating', () => {
  const timers = useFakeTimers()

  /** Triggers with the given durations and results; `starts` are in ms. */
  function setup(
    period: number,
    run: (index: number) => { takes?: number; fails?: Reason } = () => ({}),
    random = 0.5,
  ) {
    const begin = Date.now()
    const abort = new AbortController()
    const starts: number[] = []
    const ended = watch(
      runPeriodically(period, { clock: systemClock, random: () => random }, abort.signal, async () => {
        const { takes, fails } = run(starts.length)
        starts.push(Date.now() - begin)
        if (takes) await systemClock.sleep(takes, abort.signal)
        if (fails) throw new EnvlogError(fails)
      }),
    )
    const distances = () => starts.slice(1).map((start, index) => start - (starts[index] ?? 0))
    return { starts, distances, ended, abort }
  }

  it('starts after a random time of 1 to 5 seconds', async () => {
    for (const [random, expected] of [
      [0, 1000],
      [0.5, 3000],
      [0.999999, 5000],
    ] as const) {
      const { starts, abort } = setup(MINUTE, undefined, random)
      await timers().tickAsync(6000)
      assert.equal(Math.round((starts[0] ?? 0) / 10) * 10, expected)
      abort.abort()
    }
  })

  it('repeats one interval after the last start', async () => {
    const { distances } = setup(MINUTE, () => ({ takes: 20_000 }))
    await timers().tickAsync(5 * MINUTE)
    assert.deepEqual(new Set(distances()), new Set([MINUTE]))
  })

  it('never overlaps: it repeats at the end of the last run if that is later', async () => {
    const { distances } = setup(MINUTE, (index) => ({ takes: index === 0 ? 150_000 : 0 }))
    await timers().tickAsync(5 * MINUTE)
    // A timer of 0 ms takes 1 ms.
    assert.deepEqual(
      distances()
        .slice(0, 2)
        .map((distance) => Math.floor(distance / 1000)),
      [150, 60],
    )
  })

  const backingOff: Reason[] = [
    'no-connection',
    'timeout-silent',
    'timeout-total',
    'service-failed',
    'service-failed-again',
    'service-refused',
  ]
  const inMinutes = (distances: number[]) => distances.slice(0, 8).map((distance) => distance / MINUTE)
  for (const reason of backingOff) {
    it(`doubles its interval after ${reason}, up to five minutes, and resets it after a success`, async () => {
      const { distances } = setup(MINUTE, (index) => (index < 4 ? { fails: reason } : {}))
      await timers().tickAsync(HOUR)
      assert.deepEqual(inMinutes(distances()), [2, 4, 5, 5, 1, 1, 1, 1])
    })
  }

  for (const reason of ['login-refused', 'access-refused'] as const) {
    it(`doubles its interval after ${reason}, up to an hour, and resets it after a success`, async () => {
      const { distances } = setup(10 * MINUTE, (index) => (index < 5 ? { fails: reason } : {}))
      await timers().tickAsync(8 * HOUR)
      assert.deepEqual(inMinutes(distances()), [20, 40, 60, 60, 60, 10, 10, 10])
    })
  }

  for (const reason of ['quota-refused', 'device-refused', 'reply-unreadable', 'period-empty'] as const) {
    it(`keeps its interval after ${reason}`, async () => {
      const { distances } = setup(MINUTE, () => ({ fails: reason }))
      await timers().tickAsync(5 * MINUTE)
      assert.deepEqual(new Set(distances()), new Set([MINUTE]))
    })
  }

  it('knows on a failure when it repeats', async () => {
    const announced: number[] = []
    const starts: number[] = []
    const ports = { clock: systemClock, random: () => 0.5 }
    const abort = new AbortController()
    void runPeriodically(MINUTE, ports, abort.signal, async (nextAfter) => {
      starts.push(Date.now())
      await systemClock.sleep(1000, abort.signal)
      const error = new EnvlogError(starts.length < 3 ? 'no-connection' : 'reply-not-json')
      announced.push(nextAfter(error))
      throw error
    })
    await timers().tickAsync(HOUR)
    abort.abort()
    assert.deepEqual(announced.slice(0, 5), starts.slice(1, 6))
  })

  it('never repeats sooner than its period, however long that is', async () => {
    const { distances } = setup(3 * HOUR, () => ({ fails: 'no-connection' }))
    await timers().tickAsync(20 * HOUR)
    assert.deepEqual(new Set(distances()), new Set([3 * HOUR]))
  })

  it('can wait for the longest interval', async () => {
    const { distances } = setup(MAX_SECONDS * 1000)
    await timers().tickAsync(MAX_SECONDS * 1000 + 10_000)
    assert.deepEqual(distances(), [MAX_SECONDS * 1000])
  })

  for (const [how, ms] of [
    ['back', -HOUR],
    ['forwards', HOUR],
  ] as const) {
    it(`keeps its interval if the clock is moved ${how} while it runs`, async () => {
      const { starts } = setup(MINUTE, (index) => {
        if (index === 0) timers().setSystemTime(Date.now() + ms)
        return { takes: 1 }
      })
      await timers().tickAsync(3000 + MINUTE - 10)
      assert.equal(starts.length, 1)
      await timers().tickAsync(20)
      assert.equal(starts.length, 2)
    })
  }

  it('stops with its signal: before the first run, between two, and during one', async () => {
    for (const [after, expected] of [
      [500, 0],
      [MINUTE, 1],
      [3500, 1],
    ] as const) {
      const { starts, ended, abort } = setup(2 * MINUTE, () => ({ takes: 1000 }))
      await timers().tickAsync(after)
      abort.abort()
      await timers().tickAsync(10 * MINUTE)
      assert.deepEqual([starts.length, ended.state], [expected, 'done'])
    }
  })
})
