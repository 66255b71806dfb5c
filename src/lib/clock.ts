import { EnvlogError } from './errors'

/** Time as a port, so that tests control it. */
export interface Clock {
  /**
   * Milliseconds since 1970 UTC, for display and for data that outlives the process. It jumps when the clock is set.
   */
  now(): number
  /** Milliseconds since an arbitrary instant, for delays and windows. Never jumps. */
  monotonic(): number
  /** Resolves after `ms`. @throws EnvlogError `closed` as soon as the signal aborts */
  sleep(ms: number, signal: AbortSignal): Promise<void>
  /** Calls back after `ms`. @returns cancels the timer */
  after(ms: number, callback: () => void): () => void
}

/** The system clock. It looks up the globals on each call, so that fake timers installed later take effect. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms)
    return () => clearTimeout(timer)
  },
  sleep(ms, signal) {
    return new Promise((resolve, reject) => {
      const stop = () => {
        cancel()
        reject(new EnvlogError('closed'))
      }
      const cancel = systemClock.after(ms, () => {
        signal.removeEventListener('abort', stop)
        resolve()
      })
      if (signal.aborted) stop()
      else signal.addEventListener('abort', stop, { once: true })
    })
  },
}

/** Resolves in the next turn of the event loop, so that long work does not delay Node-RED's other flows. */
export const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

/**
 * A timer that calls back at a given instant.
 * @returns sets the instant in monotonic ms; `Infinity` for none
 */
export function createAlarm(clock: Clock, callback: () => void): (at: number) => void {
  let dueAt = Number.POSITIVE_INFINITY
  let cancel = () => {}
  return (at) => {
    if (at === dueAt) return
    cancel()
    dueAt = at
    if (at === Number.POSITIVE_INFINITY) return
    cancel = clock.after(Math.max(0, Math.ceil(at - clock.monotonic())), () => {
      dueAt = Number.POSITIVE_INFINITY
      callback()
    })
  }
}
