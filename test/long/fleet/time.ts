/** Replaces the time of this process with a virtual clock, so that nodes run through months quickly. */
import { createVirtualClock } from '../../support/clock'

export interface ProcessTime {
  /** ms since 1970 */
  now(): number
  after(ms: number, run: () => void): () => void
  /** Lets time pass, with everything that follows from it. */
  pass(ms: number): Promise<void>
  /** Elapsed real time, ms */
  elapsedMs(): number
  /** Restores the real time. */
  end(): void
}

/** @param from ms since 1970 */
export function installVirtualTime(from: number): ProcessTime {
  const { setTimeout, clearTimeout, setImmediate } = globalThis
  const { now: dateNow } = Date
  const began = performance.now()
  const real = performance.now.bind(performance)
  /** Pending callbacks of setImmediate. */
  let turns = 0
  const quiet = async () => {
    do await new Promise<void>((resolve) => setImmediate(resolve))
    while (turns > 0)
  }
  const clock = createVirtualClock(1000.25, from, quiet)
  let ended = false
  Date.now = clock.now
  performance.now = clock.monotonic
  Object.assign(globalThis, {
    setImmediate: <T extends unknown[]>(run: (...args: T) => void, ...args: T) => {
      turns++
      return setImmediate(() => {
        turns--
        run(...args)
      })
    },
    setTimeout: (run: () => void, ms = 0) => {
      const cancel = clock.after(Math.max(1, ms), run)
      return { cancel, ref() {}, unref() {} }
    },
    clearTimeout: (timer?: { cancel?: () => void }) => timer?.cancel?.(),
  })
  return {
    now: clock.now,
    after: clock.after,
    pass: clock.pass,
    elapsedMs: () => real() - began,
    end() {
      if (ended) return
      ended = true
      Date.now = dateNow
      performance.now = real
      Object.assign(globalThis, { setTimeout, clearTimeout, setImmediate })
    },
  }
}
