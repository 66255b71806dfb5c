import type { EndpointCounts, RecordCounts } from '../../shared/admin'
import type { EndpointName } from '../endpoints'
import { createEndpointLimiter, type EndpointLimiterPorts } from './endpoint-limiter'
import type { AccountState } from './limiter-state'
import { type AccountLimits, ENDPOINT_NAMES, limitsWith, mapEndpoints } from './limits'
import type { AttemptCost, AttemptResult, LimitScope, Reservation } from './types'

/** Devices whose records are reported: a person looks at them. */
const MAX_REPORTED_DEVICES = 5

/** Statuses that say nothing about the quota, whatever their headers report. */
const NOT_ABOUT_QUOTA = new Set([401, 403])

/**
 * The limiters of one account, by endpoint. Instants are monotonic ms; `toWallMs` is what to add for ms since 1970 UTC.
 * @param processId names the reservations of this process
 */
export function createAccountLimiter({
  processId = '',
  share = () => 1,
  isShared = () => false,
}: { processId?: string } & Partial<Omit<EndpointLimiterPorts, 'nextReservationId'>> = {}) {
  let reservations = 0
  const nextReservationId = () => `${processId}:${reservations++}`
  const limits = limitsWith()
  const endpoints = mapEndpoints((name) =>
    createEndpointLimiter(name, limits[name], { share, isShared, nextReservationId }),
  )

  return {
    endpoints,

    /**
     * Turns a reservation into usage, by how the attempt ended.
     * @param knowsOthers a shared store knows what others use, better than the headers
     */
    commit(
      reservation: Reservation,
      result: AttemptResult<unknown>,
      now: number,
      knowsOthers: boolean,
    ): AttemptCost {
      const cost = costOf(reservation, result)
      endpoints[reservation.endpoint].commit(reservation, cost, result.headers, now, knowsOthers)
      return cost
    },

    /** The settings changed. */
    configure(changed: AccountLimits): void {
      for (const name of ENDPOINT_NAMES) endpoints[name].configure(changed[name])
    },

    /** What the admin API reports, per endpoint. */
    counts: (endpoint: EndpointName, now: number, toWallMs: number): Omit<EndpointCounts, 'waiting'> => {
      const { requests, permits, availableAt } = endpoints[endpoint]
      const { limit, windowSeconds } = requests.rateLimit()
      const { own, byOthers } = requests.usage(now)
      const byMembers = requests.usageByMembers(now)
      const foreign = Math.max(byOthers, byMembers.amount)
      const left = Math.max(0, Math.min(permits(now), limit - own - foreign))
      const nextAt = availableAt(now, 1)
      const freeAt = left > 0 ? null : Math.round((nextAt > now ? nextAt : byMembers.until) + toWallMs)
      return { limit, windowSeconds, own, foreign, left, freeAt }
    },

    /** The devices that have the smallest part of their records left. */
    fewestRecords(now: number): RecordCounts[] {
      const all = ENDPOINT_NAMES.flatMap((endpoint) =>
        endpoints[endpoint].recordsLeft(now).map((device) => ({ endpoint, ...device })),
      )
      const used = all.filter(({ left, limit }) => left < limit)
      return used.sort((a, b) => a.left / a.limit - b.left / b.limit).slice(0, MAX_REPORTED_DEVICES)
    },

    /** What is worth saving. */
    getState(now: number): AccountState {
      const state: AccountState = { endpoints: {}, devices: {} }
      for (const name of ENDPOINT_NAMES) {
        const { requests, devices } = endpoints[name]
        const ofEndpoint = requests.getState(now)
        const ofDevices = (devices?.entries() ?? []).flatMap(([device, limiter]) => {
          const ofDevice = limiter.getState(now)
          return ofDevice ? [[device, ofDevice] as [string, typeof ofDevice]] : []
        })
        if (ofEndpoint) state.endpoints[name] = ofEndpoint
        if (ofDevices.length > 0) state.devices[name] = ofDevices
      }
      return state
    },

    /** Adds the state of an earlier process. */
    restore(state: AccountState, now: number): void {
      for (const name of ENDPOINT_NAMES) {
        const { requests, devices } = endpoints[name]
        const ofEndpoint = state.endpoints[name]
        if (ofEndpoint) requests.restore(ofEndpoint, now)
        for (const [device, ofDevice] of state.devices[name] ?? []) {
          devices?.getOrCreate(device, now).restore(ofDevice, now)
        }
      }
    },
  }
}

export type AccountLimiter = ReturnType<typeof createAccountLimiter>

/** The limits that a reservation is under: `name` is what members of a shared quota call them. */
export function limitersOf({ endpoint, requests, records }: Reservation) {
  const ofEndpoint = { name: endpoint as string, limiter: requests }
  return records
    ? [ofEndpoint, { name: `${endpoint} ${records.device}`, limiter: records.limiter }]
    : [ofEndpoint]
}

function costOf(reservation: Reservation, result: AttemptResult<unknown>): AttemptCost {
  const refusedBy = findRefusal(reservation, result)
  const recordsLeft = result.headers?.recordsRemaining ?? 0
  const canRequestFewer =
    refusedBy === 'device' && recordsLeft > 0 && recordsLeft < (reservation.maxRecords ?? 0)
  const isSent = !result.isUnsent
  return {
    used: { requests: isSent ? 1 : 0, records: isSent ? recordsUsed(reservation, result) : 0 },
    refusedBy,
    closes: canRequestFewer ? undefined : refusedBy,
    is429: refusedBy !== undefined && 'error' in result && result.error.cause.status === 429,
  }
}

/** Records received; if the response was incomplete the header decides, and without one the reservation stays. */
function recordsUsed(
  { records: reserved, maxRecords = 0 }: Reservation,
  { records, headers }: AttemptResult<unknown>,
): number {
  const remaining = headers?.recordsRemaining ?? null
  // At most the usage of all clients: the service may not have counted yet what others have reserved.
  const byHeader =
    remaining === null || !reserved ? maxRecords : reserved.limiter.rateLimit().limit - remaining
  return Math.min(maxRecords, Math.max(0, records ?? byHeader))
}

/** Which limit a response refused the request for, if it did (docs/quota.md, *How requests are counted*). */
function findRefusal({ records }: Reservation, result: AttemptResult<unknown>): LimitScope | undefined {
  if (!('error' in result) || !result.headers) return undefined
  const { status = 0 } = result.error.cause ?? {}
  const { remaining, recordsRemaining } = result.headers
  if (status === 429) {
    return records && ((remaining ?? 0) > 0 || recordsRemaining === 0) ? 'device' : 'endpoint'
  }
  const isOtherRefusal = status >= 400 && status < 500 && !NOT_ABOUT_QUOTA.has(status)
  return isOtherRefusal && remaining === 0 ? 'endpoint' : undefined
}
