import type { QuotaHeaders } from '../api/quota-headers'
import type { EndpointName } from '../endpoints'
import { createDeviceLimiters } from './device-limiters'
import { type EndpointLimits, occupiedMs } from './limits'
import type { AttemptCost, RecordDemand, Reservation, StartEstimate } from './types'
import { createWindowLimiter, type WindowLimiter } from './window-limiter'

export interface EndpointLimiterPorts {
  /** The part of a limit that this process may use, 1 for all of it. */
  share(windowSeconds: number): number
  /** True if several processes share the account's quota. */
  isShared(): boolean
  nextReservationId(): string
}

/**
 * Until the first response shows the state of the account, an unanswered request blocks the next one for so long; with
 * a shared quota until it is answered, as one request too many is all that may go wrong when the store is lost.
 */
const UNANSWERED_BLOCKS_MS = 5000

/** The limiters of one endpoint: of its requests, and of the records of each of its devices. Instants: monotonic ms. */
export function createEndpointLimiter(
  endpoint: EndpointName,
  limits: EndpointLimits,
  { share, isShared, nextReservationId }: EndpointLimiterPorts,
) {
  const requests = createWindowLimiter(limits.requests)
  const devices = limits.records && createDeviceLimiters(limits.records)
  const probe = createProbe()
  /** False until a response has shown the state of the account: until then requests are sent one at a time. */
  let isKnown = false
  let lastSentAt = Number.NEGATIVE_INFINITY
  /** Other members have the permits that are free here. */
  let blockedUntil = Number.NEGATIVE_INFINITY

  const shareOf = (limiter: WindowLimiter) => share(limiter.rateLimit().windowSeconds)

  /** With how few records a request is sent: with all that can be available at once, if that is less. */
  const minimumOf = ({ wanted, minimum }: RecordDemand, limiter: WindowLimiter) =>
    Math.min(wanted, minimum, limiter.capacity(shareOf(limiter)))

  /** Until when an unanswered request blocks the others. */
  function exclusiveUntil(): number {
    if (isKnown || requests.inFlight() === 0) return Number.NEGATIVE_INFINITY
    return isShared() ? Number.POSITIVE_INFINITY : lastSentAt + UNANSWERED_BLOCKS_MS
  }

  /** Requests for which there are permits. */
  function permits(now: number): number {
    if (now < blockedUntil) return 0
    return Math.min(requests.available(now, shareOf(requests)), probe.available(now))
  }

  /** Requests that can be sent now, as far as records do not matter. */
  function available(now: number): number {
    if (now < exclusiveUntil()) return 0
    return isKnown ? permits(now) : Math.min(permits(now), 1)
  }

  /** When so many requests can be sent. */
  const availableAt = (now: number, amount: number) =>
    Math.max(
      requests.availableAt(now, amount, shareOf(requests)),
      blockedUntil,
      probe.availableAt(now, amount),
    )

  function reserveRecords(demand: RecordDemand, now: number) {
    const limiter = devices?.getOrCreate(demand.device, now)
    if (!limiter) return null
    const minimum = minimumOf(demand, limiter)
    const left = limiter.available(now, shareOf(limiter))
    return { device: demand.device, limiter, minimum, left }
  }

  return {
    requests,
    /** Of the devices whose records were requested lately; `null` where records are not counted. */
    devices,
    permits,
    available,
    availableAt,

    /** When permits that are not available now may become so without a response; infinite if never. */
    nextChange: (now: number) => Math.max(availableAt(now, 1), exclusiveUntil()),

    /**
     * Estimates when jobs can be sent; a function for many of them. Its `position` is how many are sent before, and
     * `recordsBlockedUntil` when others' records of the device may be available.
     */
    createEstimator(now: number) {
      const ofRequests = requests.createEstimator(now, shareOf(requests))
      const ofDevices = new Map<string, (amount: number) => number>()
      return (
        demand: RecordDemand | undefined,
        position: number,
        recordsBlockedUntil = now,
      ): StartEstimate => {
        const ahead = position + 1
        const at = Math.max(ofRequests(ahead), blockedUntil, probe.availableAt(now, ahead))
        if (!demand || !devices) return { at, isForRecords: false }
        const limiter = devices.getOrCreate(demand.device, now)
        const ofDevice = ofDevices.get(demand.device) ?? limiter.createEstimator(now, shareOf(limiter))
        ofDevices.set(demand.device, ofDevice)
        const recordsAt = Math.max(ofDevice(minimumOf(demand, limiter)), recordsBlockedUntil)
        return { at: Math.max(at, recordsAt), isForRecords: recordsAt > at }
      }
    },

    /** Reserves a request, and records if it is about them; or says when the device has enough records again. */
    reserve(demand: RecordDemand | undefined, now: number): Reservation | { recordsAt: number } {
      const ofDevice = demand ? reserveRecords(demand, now) : null
      if (ofDevice && ofDevice.left < ofDevice.minimum) {
        const { limiter, minimum } = ofDevice
        return { recordsAt: limiter.availableAt(now, minimum, shareOf(limiter)) }
      }
      const id = nextReservationId()
      probe.markSent(id)
      lastSentAt = now
      const wanted = demand?.wanted
      const base = { id, endpoint, reservedAt: now, requests, baseline: requests.reserve(id, 1, now) }
      if (!ofDevice) return { ...base, records: null, maxRecords: wanted }
      const { device, limiter, minimum, left } = ofDevice
      const maxRecords = Math.min(wanted ?? 0, left)
      const baseline = limiter.reserve(id, maxRecords, now)
      return { ...base, records: { device, limiter, minimum, baseline }, maxRecords }
    },

    /** The request was not sent: everything that was reserved is free again. */
    cancel({ id, records }: Reservation, now: number): void {
      probe.markUnsent(id)
      requests.commit(id, 0, now)
      records?.limiter.commit(id, 0, now)
    },

    /**
     * Turns a reservation into usage.
     * @param knowsOthers a shared store knows what others use, better than the headers
     */
    commit(
      { id, baseline, records }: Reservation,
      { used, closes, is429 }: AttemptCost,
      headers: QuotaHeaders | null,
      now: number,
      knowsOthers: boolean,
    ): void {
      requests.commit(id, used.requests, now)
      records?.limiter.commit(id, used.records, now)
      if (used.requests === 0) probe.markUnsent(id)
      if (headers) {
        isKnown = true
        if (headers.remaining !== null) probe.markAnswered(id)
        updateFromHeaders(requests, headers, now, knowsOthers ? null : baseline)
        const { recordsRemaining } = headers
        if (records && recordsRemaining !== null && !knowsOthers) {
          records.limiter.updateRemaining(recordsRemaining, now, records.baseline)
        }
      }
      if (closes === 'endpoint') requests.throttle(now, is429)
      if (closes === 'device') records?.limiter.throttle(now)
    },

    /** Nothing is sent until then: other members have the permits that are free here. */
    block(until: number): void {
      blockedUntil = until
    },

    /**
     * The shared store was lost: what others use is known only from the headers.
     * @param from when the members that still have the store leave a share to this process
     */
    onStoreLost(from: number, now: number): void {
      probe.start(from, now + occupiedMs(requests.rateLimit().windowSeconds))
    },

    /**
     * The store is back, or has lost its data. It knows what its members used; the next response shows the rest.
     * @param lostUsageAt last contact of a member that has not reported its usage: it may have used permits then
     */
    onStoreFound(lostUsageAt: number): void {
      probe.start(Number.NEGATIVE_INFINITY, lostUsageAt + occupiedMs(requests.rateLimit().windowSeconds))
      isKnown = false
    },

    /** Whether a reservation that was made before the store was lost, or found again, can be sent now. */
    canSend({ id, records }: Reservation, now: number): boolean {
      const limiters = records ? [requests, records.limiter] : [requests]
      const isWithinShare = limiters.every((limiter) => limiter.isWithinShare(now, shareOf(limiter)))
      if (!probe.canSend(id, now) || !isWithinShare) return false
      probe.markSent(id)
      return true
    },

    configure(changed: EndpointLimits): void {
      requests.configure(changed.requests)
      if (changed.records) devices?.configure(changed.records)
    },

    /** What is left of the records of each device. */
    recordsLeft: (now: number): { device: string; limit: number; left: number }[] =>
      (devices?.entries() ?? []).map(([device, limiter]) => ({
        ...{ device, limit: limiter.rateLimit().limit },
        left: limiter.available(now, shareOf(limiter)),
      })),
  }
}

/** Limit and window count only together. With a `null` baseline, what remains is not looked at. */
function updateFromHeaders(
  requests: WindowLimiter,
  { limit, remaining, windowSeconds }: QuotaHeaders,
  now: number,
  baseline: number | null,
): void {
  if (limit !== null && limit >= 1 && windowSeconds !== null) {
    requests.updateLimit({ limit, windowSeconds }, now)
  }
  if (remaining !== null && baseline !== null) {
    requests.updateRemaining(remaining, now, baseline, limit ?? undefined)
  }
}

/**
 * After the shared store was lost, others may have unknown usage. Like a half-open circuit breaker, an
 * endpoint then sends one request, until the headers of its response report what is left, or a window is over. It waits
 * until the connected members reserve a share for this process: before that, they may use what those headers report as
 * left. Instants are monotonic ms.
 */
function createProbe() {
  let from = Number.NEGATIVE_INFINITY
  let until = Number.NEGATIVE_INFINITY
  let sentId: string | undefined

  /** Requests that can be sent now. */
  function available(now: number): number {
    if (now >= until) return Number.POSITIVE_INFINITY
    return sentId === undefined && now >= from ? 1 : 0
  }

  return {
    available,
    start(startAt: number, endAt: number): void {
      from = startAt
      until = endAt
      sentId = undefined
    },
    availableAt(now: number, amount: number): number {
      if (amount <= available(now)) return Number.NEGATIVE_INFINITY
      return sentId === undefined && amount === 1 ? Math.min(from, until) : until
    },
    /** True for the probe itself, and for every request where none is needed. */
    canSend: (id: string, now: number) => sentId === id || available(now) > 0,
    markSent(id: string): void {
      sentId ??= id
    },
    markUnsent(id: string): void {
      if (sentId === id) sentId = undefined
    },
    /** Headers came. Those of requests that were sent before the probe report too little. */
    markAnswered(id: string): void {
      if (id === sentId) until = Number.NEGATIVE_INFINITY
    },
  }
}
