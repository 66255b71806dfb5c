/** The simulated service's time, in ms since 1970. */
export interface Clock {
  now(): number
}

/** A clock that can be advanced by a test or through the control address. */
export interface MovableClock extends Clock {
  advance(ms: number): void
}

/** A clock that stands still unless it is advanced; for tests. */
export function manualClock(startTime: number): MovableClock {
  return runningClock({ speed: 0, startTime })
}

/** A clock that runs `speed` times as fast as real time, starting at `startTime` (default: now). */
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

/** Makes any clock movable: through its own `advance` if it has one, otherwise through an offset. */
export function movable(clock: Clock): MovableClock {
  if ('advance' in clock && typeof clock.advance === 'function') return clock as MovableClock
  let offset = 0
  return {
    now: () => clock.now() + offset,
    advance: (ms) => {
      offset += ms
    },
  }
}
