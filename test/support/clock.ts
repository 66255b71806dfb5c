import type { Clock } from '../../src/lib/clock'

interface Due {
  at: number
  run: () => void
}

/** A virtual clock: time passes only when it is advanced. */
export interface VirtualClock extends Clock {
  /** Moves the wall clock forwards or back; timers are not affected. */
  jump(ms: number): void
  /** Lets time pass: timers run when they are due, with all asynchronous work that follows. */
  pass(ms: number): Promise<void>
  /** The same, synchronously: asynchronous work that follows runs later. */
  advance(ms: number): void
  /** Runs timers that are due now, and the asynchronous work that follows. */
  settle(): Promise<void>
  /** Number of pending timers. */
  pending(): number
}

/** The initial time, ms since 1970 UTC. */
const NOW = 1_795_161_600_000

/** Resolves after all promise callbacks that are ready. */
const oneTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

/**
 * @param started monotonic ms; not an integer, to detect wrong rounding
 * @param now ms since 1970 UTC
 * @param quiet resolves when nothing more happens until time passes
 */
export function createVirtualClock(started = 1000.25, now = NOW, quiet = oneTurn): VirtualClock {
  /** Pending timers, the next one first. */
  const queue: Due[] = []
  let at = started
  let ahead = now - started

  function after(ms: number, run: () => void): () => void {
    const due: Due = { at: at + Math.max(0, ms), run }
    const before = queue.findLastIndex((other) => other.at <= due.at)
    queue.splice(before + 1, 0, due)
    return () => {
      const place = queue.indexOf(due)
      if (place >= 0) queue.splice(place, 1)
    }
  }

  /** Runs the next timer, if it is not due after `end`. */
  function runNext(end: number): boolean {
    const [due] = queue
    if (!due || due.at > end) {
      // A callback may have let time pass.
      at = Math.max(at, end)
      return false
    }
    queue.shift()
    at = Math.max(at, due.at)
    due.run()
    return true
  }

  async function reach(end: number): Promise<void> {
    do await quiet()
    while (runNext(end))
  }

  const clock: Clock = {
    now: () => Math.floor(at + ahead),
    monotonic: () => at,
    after,
  }

  return {
    ...clock,
    jump: (ms) => {
      ahead += ms
    },
    pass: (ms) => reach(at + ms),
    advance(ms) {
      const end = at + ms
      while (runNext(end));
    },
    settle: () => reach(at),
    pending: () => queue.length,
  }
}
