/** Replaces the time of this process with a virtual clock, so that nodes run through months quickly. */
import { createVirtualClock, type VirtualClock } from '../../support/clock'

/** @param from ms since 1970 */
export function installVirtualTime(from: number): VirtualClock {
  const { setImmediate } = globalThis
  /** Pending callbacks of setImmediate. */
  let turns = 0
  const quiet = async () => {
    do await new Promise<void>((resolve) => setImmediate(resolve))
    while (turns > 0)
  }
  const clock = createVirtualClock(1000.25, from, quiet)
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
  return clock
}
