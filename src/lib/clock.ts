import { EnvlogError } from './errors'

/** Time as a port, so that tests own it. */
export interface Clock {
  /** Milliseconds since 1970 UTC: for what people read, and for what outlives the process. It may jump. */
  now(): number
  /** Milliseconds since some instant, never set back nor forwards: for what is waited for. */
  monotonic(): number
  /** Resolves after `ms`; rejects with `closed` as soon as the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
  /** Calls back after `ms`; the returned function cancels. */
  after(ms: number, callback: () => void): () => void
}

/** The machine's clock. Reads the globals at each call, so that fake timers installed later hold. */
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

/** A timer that calls back at an instant of the monotonic clock; each call sets it to another one, infinite for none. */
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
