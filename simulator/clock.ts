/** The simulated service's time, in ms since 1970, which tests can advance. */
export interface MovableClock {
  now(): number
  advance(ms: number): void
}

/** A stopped clock that tests advance. */
export function manualClock(startTime: number): MovableClock {
  return runningClock({ speed: 0, startTime })
}

/** A clock that runs `speed` times (default 1) as fast as real time, beginning at `startTime` (default: now). */
export function runningClock(options: { speed?: number; startTime?: number } = {}): MovableClock {
  const realStart = Date.now()
  const speed = options.speed ?? 1
  let start = options.startTime ?? realStart
  return {
    now: () => start + (Date.now() - realStart) * speed,
    advance: (ms) => {
      start += ms
    },
  }
}
