import { occupiedMs, type WindowLimiter } from '../window-limiter'
import type { UsageReplay } from './store'

/** All that this process uses of a limit, for a ledger that may not know it; nothing where it uses nothing. */
export function usageOf(name: string, limiter: WindowLimiter, now: number): UsageReplay[] {
  const { spent, inFlight } = limiter.own(now)
  const closedMs = Math.max(0, Math.round(limiter.closedUntil() - now))
  if (spent.length + inFlight.length + closedMs === 0) return []
  return [
    {
      name,
      occupiedMs: occupiedMs(limiter.row().window),
      spent: spent.map(({ id, at, amount }) => ({ id, amount, ageMs: Math.round(now - at) })),
      inFlight,
      ended: [],
      closedMs,
    },
  ]
}
