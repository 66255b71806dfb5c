import type { Clock } from '../../../src/lib/clock'

/** Time that passes only by hand. */
export interface HandClock extends Clock {
  pass(ms: number): void
  /** Sets the wall clock; what is waited for does not notice. */
  jump(ms: number): void
}

/** @param start ms since 1970 UTC */
export function handClock(start = 1_795_161_600_000): HandClock {
  const due = new Map<() => void, number>()
  let passed = 0
  let ahead = start
  return {
    now: () => passed + ahead,
    monotonic: () => passed,
    sleep: () => Promise.reject(new Error('nobody sleeps here')),
    after(ms, callback) {
      const run = () => callback()
      due.set(run, passed + ms)
      return () => void due.delete(run)
    },
    pass(ms) {
      passed += ms
      for (const [run, at] of [...due]) {
        if (at > passed || !due.delete(run)) continue
        run()
      }
    },
    jump(ms) {
      ahead += ms
    },
  }
}
