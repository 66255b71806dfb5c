import type { RateLimit } from './limits'
import { createWindowLimiter, type WindowLimiter } from './window-limiter'

/** Unused limiters of devices are removed when there are more than this, or than twice those in use. */
const MIN_CLEANUP = 64

/** The limiters of the devices of an endpoint whose records are counted. */
export function createDeviceLimiters(initial: RateLimit) {
  let configured = initial
  let cleanupAbove = MIN_CLEANUP
  const limiters = new Map<string, WindowLimiter>()

  function cleanUp(now: number): void {
    if (limiters.size <= cleanupAbove) return
    for (const [device, limiter] of limiters) {
      const { own, byOthers } = limiter.usage(now)
      if (own + byOthers === 0 && limiter.availableAt(now, 1) <= now) limiters.delete(device)
    }
    cleanupAbove = Math.max(MIN_CLEANUP, limiters.size * 2)
  }

  return {
    entries: () => [...limiters],
    getOrCreate(device: string, now: number): WindowLimiter {
      const found = limiters.get(device)
      if (found) return found
      cleanUp(now)
      const created = createWindowLimiter(configured)
      limiters.set(device, created)
      return created
    },
    configure(limit: RateLimit): void {
      configured = limit
      for (const limiter of limiters.values()) limiter.configure(limit)
    },
  }
}
