import type { QuotaHeaders } from '../../api/quota-headers'
import type { Reservation } from '../account-limiter'
import type { AttemptCost } from '../attempt-cost'
import { occupiedMs, type WindowLimiter } from '../window-limiter'
import type { CommitRequest, ReserveRequest } from './store'

/** The limits that a request meets, as a shared ledger names them: its endpoint's, and that of its device's records. */
export function limitsOf({
  endpoint,
  requests,
  budget,
}: Reservation): { name: string; limiter: WindowLimiter }[] {
  const ofEndpoint = { name: endpoint, limiter: requests }
  return budget
    ? [ofEndpoint, { name: `${endpoint} ${budget.device}`, limiter: budget.limiter }]
    : [ofEndpoint]
}

/** What a ledger is asked for. */
export function claimsOf(reservation: Reservation): ReserveRequest[] {
  const { number = 0, budget } = reservation
  return limitsOf(reservation).map(({ name, limiter }, at) => {
    const { limit, window } = limiter.row()
    const asked =
      at === 0 ? { wanted: 1, least: 1 } : { wanted: number, least: Math.min(number, budget?.enough ?? 0) }
    return { name, ...asked, limit, occupiedMs: occupiedMs(window) }
  })
}

/** What a ledger is told of an answer, once it was entered here. @param now monotonic */
export function settledOf(
  reservation: Reservation,
  reading: QuotaHeaders | null,
  { used, closed }: AttemptCost,
  now: number,
): CommitRequest[] {
  return limitsOf(reservation).map(({ name, limiter }, at) => {
    const { limit, window } = limiter.row()
    const last = (at === 0 ? used.requests : used.records) > 0 ? limiter.lastSpent() : undefined
    const held = occupiedMs(window)
    return {
      name,
      // What remains is the rest of the limit that was told with it, which may not hold yet.
      limit: (at === 0 ? reading?.limit : null) ?? limit,
      occupiedMs: held,
      spent: last && { id: last.id, amount: last.amount, ageMs: Math.round(now - last.at) },
      remaining: (at === 0 ? reading?.remaining : reading?.recordsRemaining) ?? null,
      // What was released since then; within the margin the service cannot have counted it.
      flightMs: Math.round(Math.max(0, now - reservation.since - (held - window * 1000))),
      closedMs: closed === (at === 0 ? 'endpoint' : 'device') ? Math.round(limiter.closedUntil() - now) : 0,
    }
  })
}
