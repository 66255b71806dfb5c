/** The simulated service's time, in ms since 1970. */
export interface Clock {
  now(): number
}

/** A clock that can be advanced, by a test or at the control address. */
export interface MovableClock extends Clock {
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

/** Makes any clock movable: with its own `advance` if it has one, otherwise by adding an offset. */
export function toMovable(clock: Clock): MovableClock {
  if ('advance' in clock && typeof clock.advance === 'function') return clock as MovableClock
  let offset = 0
  return {
    now: () => clock.now() + offset,
    advance: (ms) => {
      offset += ms
    },
  }
}
