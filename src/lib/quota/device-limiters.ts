import {
  createWindowLimiter,
  isPersistedLimiter,
  type PersistedLimiter,
  type RateLimit,
  type WindowLimiter,
} from './window-limiter'

/** Devices whose records were asked for lately; more are looked through for those that are free again. */
const TIDY_ABOVE = 64

/** The records of each device of one endpoint (*Limits*: records per hour and device). */
export function createDeviceLimiters(described: RateLimit) {
  let row = described
  let tidyAt = TIDY_ABOVE
  const devices = new Map<string, WindowLimiter>()

  function tidy(now: number): void {
    if (devices.size <= tidyAt) return
    for (const [device, limiter] of devices) {
      const { own, foreign } = limiter.spent(now)
      if (own + foreign === 0 && limiter.when(now, 1) <= now) devices.delete(device)
    }
    tidyAt = Math.max(TIDY_ABOVE, devices.size * 2)
  }

  function of(device: string, now: number): WindowLimiter {
    let limiter = devices.get(device)
    if (!limiter) {
      tidy(now)
      limiter = createWindowLimiter(row)
      devices.set(device, limiter)
    }
    return limiter
  }

  return {
    of,
    rebase(changed: RateLimit): void {
      row = changed
      for (const limiter of devices.values()) limiter.rebase(row)
    },
    entries: () => [...devices],
    save(now: number, toWall: number): [string, PersistedLimiter][] {
      return [...devices].flatMap(([device, limiter]) => {
        const saved = limiter.save(now, toWall)
        return saved ? [[device, saved] as [string, PersistedLimiter]] : []
      })
    },
    load(saved: unknown, now: number, toWall: number): void {
      if (!Array.isArray(saved)) return
      for (const entry of saved) {
        const [device, state] = Array.isArray(entry) ? entry : []
        if (typeof device === 'string' && isPersistedLimiter(state)) of(device, now).load(state, now, toWall)
      }
    },
  }
}

export type DeviceLimiters = ReturnType<typeof createDeviceLimiters>
