/** The time of the simulated service, in ms since 1970. */
export interface Clock {
  now(): number
}

/** A clock that can be moved on by hand, by a test or through the control address. */
export interface MovableClock extends Clock {
  advance(ms: number): void
}

/** A clock that stands still unless it is advanced: for tests. */
export function manualClock(startTime: number): MovableClock {
  return runningClock({ speed: 0, startTime })
}

/** A clock that runs `speed` times as fast as real time, from `startTime` (default: now). */
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

/** Any clock, made movable: by its own `advance` when it has one, else by an offset. */
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
