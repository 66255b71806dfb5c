import type { QuotaHeaders } from '../../api/quota-headers'
import type { Grant } from '../account-limiter'
import type { Bill } from '../attempt-cost'
import { type Allowance, heldMs } from '../window-limiter'
import type { Claim, Settled } from './store'

/** The limits that a request meets, as a shared ledger names them: its endpoint's, and that of its device's records. */
export function limitsOf({ endpoint, requests, budget }: Grant): { name: string; allowance: Allowance }[] {
  const ofEndpoint = { name: endpoint, allowance: requests }
  return budget
    ? [ofEndpoint, { name: `${endpoint} ${budget.device}`, allowance: budget.allowance }]
    : [ofEndpoint]
}

/** What a ledger is asked for. */
export function claimsOf(grant: Grant): Claim[] {
  const { number = 0, budget } = grant
  return limitsOf(grant).map(({ name, allowance }, at) => {
    const { limit, window } = allowance.row()
    const asked =
      at === 0 ? { wanted: 1, least: 1 } : { wanted: number, least: Math.min(number, budget?.enough ?? 0) }
    return { name, ...asked, limit, heldMs: heldMs(window) }
  })
}

/** What a ledger is told of an answer, once it was entered here. @param now monotonic */
export function settledOf(
  grant: Grant,
  reading: QuotaHeaders | null,
  { used, closed }: Bill,
  now: number,
): Settled[] {
  return limitsOf(grant).map(({ name, allowance }, at) => {
    const { limit, window } = allowance.row()
    const last = (at === 0 ? used.requests : used.records) > 0 ? allowance.lastSpent() : undefined
    const held = heldMs(window)
    return {
      name,
      // What remains is the rest of the limit that was told with it, which may not hold yet.
      limit: (at === 0 ? reading?.limit : null) ?? limit,
      heldMs: held,
      spent: last && { id: last.id, amount: last.amount, ageMs: Math.round(now - last.at) },
      remaining: (at === 0 ? reading?.remaining : reading?.recordsRemaining) ?? null,
      // What was released since then; within the margin the service cannot have counted it.
      flightMs: Math.round(Math.max(0, now - grant.since - (held - window * 1000))),
      closedMs: closed === (at === 0 ? 'endpoint' : 'device') ? Math.round(allowance.closedUntil() - now) : 0,
    }
  })
}
