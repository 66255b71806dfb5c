import { orClosed } from './abort'

/** The clock, which is injected so that tests can control time. */
export interface Clock {
  /**
   * Milliseconds since 1970 UTC, for display and for data that outlives the process. It jumps when the system clock is
   * set.
   */
  now(): number
  /** Milliseconds since an arbitrary instant, for delays and windows. Never jumps. */
  monotonic(): number
  /** Calls `callback` after `ms`. @returns a function that cancels the timer */
  after(ms: number, callback: () => void): () => void
}

/** The system clock. It reads the global functions on each call, so that fake timers installed later are used. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms)
    return () => clearTimeout(timer)
  },
}

/** Resolves after `ms`. @throws EnvlogError `closed` as soon as the signal aborts */
export async function sleep(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  let cancel = () => {}
  const passed = new Promise<void>((resolve) => {
    cancel = clock.after(ms, resolve)
  })
  await orClosed(passed, signal).finally(() => cancel())
}

/** Resolves in the next turn of the event loop, so that long work does not delay Node-RED's other flows. */
export const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))
