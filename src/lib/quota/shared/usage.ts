import { type Allowance, heldMs } from '../window-limiter'
import type { Usage } from './store'

/** All that this process uses of a limit, for a ledger that may not know it; nothing where it uses nothing. */
export function usageOf(name: string, allowance: Allowance, now: number): Usage[] {
  const { spent, inFlight } = allowance.own(now)
  const closedMs = Math.max(0, Math.round(allowance.closedUntil() - now))
  if (spent.length + inFlight.length + closedMs === 0) return []
  return [
    {
      name,
      heldMs: heldMs(allowance.row().window),
      spent: spent.map(({ id, at, amount }) => ({ id, amount, ageMs: Math.round(now - at) })),
      inFlight,
      ended: [],
      closedMs,
    },
  ]
}
