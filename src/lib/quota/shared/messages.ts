/** The messages to the shared store, made of what the limiters know. */

import type { QuotaHeaders } from '../../api/quota-headers'
import { type AccountLimiter, limitersOf } from '../account-limiter'
import { ENDPOINT_NAMES, occupiedMs } from '../limits'
import type { AttemptCost, Reservation } from '../types'
import type { WindowLimiter } from '../window-limiter'
import type { CommitRequest, ReserveRequest, UsageReplay } from './store'

/** What an attempt needs. */
export function reserveRequestsOf(reservation: Reservation): ReserveRequest[] {
  const { maxRecords = 0, records } = reservation
  return limitersOf(reservation).map(({ name, limiter }, index) => {
    const { limit, windowSeconds } = limiter.rateLimit()
    const amounts =
      index === 0
        ? { wanted: 1, minimum: 1 }
        : { wanted: maxRecords, minimum: Math.min(maxRecords, records?.minimum ?? 0) }
    return { name, ...amounts, limit, occupiedMs: occupiedMs(windowSeconds) }
  })
}

/** What is reported of an attempt, after it was committed to the limiters here. */
export function commitRequestsOf(
  reservation: Reservation,
  headers: QuotaHeaders | null,
  { used, closes }: AttemptCost,
  now: number,
): CommitRequest[] {
  return limitersOf(reservation).map(({ name, limiter }, index) => {
    const isOfEndpoint = index === 0
    const { limit, windowSeconds } = limiter.rateLimit()
    const occupied = occupiedMs(windowSeconds)
    const marginMs = occupied - windowSeconds * 1000
    const entry = (isOfEndpoint ? used.requests : used.records) > 0 ? limiter.latestOwn() : undefined
    const isClosed = closes === (isOfEndpoint ? 'endpoint' : 'device')
    return {
      name,
      // What remains refers to the limit of the same response, which may not apply yet.
      limit: (isOfEndpoint ? headers?.limit : null) ?? limit,
      occupiedMs: occupied,
      used: entry && { id: entry.id, amount: entry.amount, ageMs: Math.round(now - entry.at) },
      remaining: (isOfEndpoint ? headers?.remaining : headers?.recordsRemaining) ?? null,
      // What expired within the margin cannot have been counted by the service.
      flightMs: Math.round(Math.max(0, now - reservation.reservedAt - marginMs)),
      closedMs: isClosed ? Math.round(limiter.cooldownUntil() - now) : 0,
    }
  })
}

/** All that this process uses, by limit. */
export function replaysOf({ endpoints }: Pick<AccountLimiter, 'endpoints'>, now: number): UsageReplay[] {
  return ENDPOINT_NAMES.flatMap((name) => {
    const { requests, devices } = endpoints[name]
    const ofDevices = devices?.entries() ?? []
    return [
      ...replayOf(name, requests, now),
      ...ofDevices.flatMap(([device, limiter]) => replayOf(`${name} ${device}`, limiter, now)),
    ]
  })
}

function replayOf(name: string, limiter: WindowLimiter, now: number): UsageReplay[] {
  const { entries, inFlight } = limiter.ownUsage(now)
  const closedMs = Math.max(0, Math.round(limiter.cooldownUntil() - now))
  if (entries.length + inFlight.length + closedMs === 0) return []
  const used = entries.map(({ id, at, amount }) => ({ id, amount, ageMs: Math.round(now - at) }))
  const occupied = occupiedMs(limiter.rateLimit().windowSeconds)
  return [{ name, occupiedMs: occupied, used, inFlight, ended: [], closedMs }]
}

/** Reservation in flight → its limits. */
export function limitsByReservation(replays: readonly UsageReplay[]): Map<string, string[]> {
  const names = new Map<string, string[]>()
  for (const { name, inFlight } of replays) {
    for (const { id } of inFlight) names.set(id, [...(names.get(id) ?? []), name])
  }
  return names
}
