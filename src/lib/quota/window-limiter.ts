import { occupiedMs, type RateLimit } from './limits'
import { createAvailability, createUsageLog, type IdentifiedEntry, type UsageEntry } from './usage-log'

/** Permits that are reserved for a request in flight. */
export interface InFlight {
  id: string
  amount: number
}

/** What of a limiter outlives its process; instants are monotonic ms of the process that has it. */
export interface LimiterState {
  own: readonly IdentifiedEntry[]
  byOthers: readonly UsageEntry[]
  inFlight: readonly InFlight[]
  /** When the service last refused, while that counts. */
  throttledAt: number | null
  /** The limit that responses reported, if any did. */
  serverLimit: RateLimit | null
}

/** How long usage of a longer window than the present one is remembered. */
const LONGER_WINDOW_KEPT_MS = 3_600_000
/** Entries closer together than this share of the window are merged. */
const MERGE_SHARE = 1 / 500

/**
 * Client-side limiter for one limit, safe for fixed and for sliding windows of the server: a permit is occupied while
 * its request is in flight, and from the response on for a window and a margin (docs/quota.md, *How requests are
 * counted*). Instants are monotonic ms. `share` is the part of the limit that this process may use, 1 for all of it.
 */
export function createWindowLimiter(initial: RateLimit) {
  let configured = initial
  let serverLimit: RateLimit | null = null
  /** The limit of the latest response: one that is more generous applies when the next response repeats it. */
  let latestReported: RateLimit | null = null
  /** The longest window of the last hour, and until when its usage is kept. */
  let longest = { occupiedMs: 0, until: Number.NEGATIVE_INFINITY }
  /** Reservation → amount. */
  const reserved = new Map<string, number>()
  let inFlight = 0
  let revision = 0
  let throttledAt: number | null = null
  /** Throttled by status 429: for the configured window, if that is longer than the reported one. */
  let isExplicit = false
  const own = createUsageLog()
  /** Others' usage as the headers show it. */
  const byOthers = createUsageLog()
  /** Other members' usage as the shared store last reported it. */
  let byMembers = { amount: 0, at: Number.NEGATIVE_INFINITY }

  const rateLimit = () => serverLimit ?? configured
  const occupied = () => occupiedMs(rateLimit().windowSeconds)
  const listInFlight = () => [...reserved].map(([id, amount]) => ({ id, amount }))

  function cooldownUntil(): number {
    if (throttledAt === null) return Number.NEGATIVE_INFINITY
    return (
      throttledAt + (isExplicit ? Math.max(occupied(), occupiedMs(configured.windowSeconds)) : occupied())
    )
  }

  function expire(now: number): void {
    const keptMs = now < longest.until ? longest.occupiedMs : 0
    own.expire(now, occupied(), keptMs)
    byOthers.expire(now, occupied(), keptMs)
    if (throttledAt !== null && now >= cooldownUntil()) throttledAt = null
  }

  /** What other members last reported, while it counts. */
  function membersUsage(now: number): UsageEntry[] {
    return now < byMembers.at + occupied() ? [byMembers] : []
  }

  /** At least one, or nothing would ever be sent. */
  const limitOfShare = (share: number) => Math.max(1, Math.floor(rateLimit().limit * share))

  /** Permits that are free; negative if more than the share is in use. */
  function free(now: number, share: number): number {
    expire(now)
    const ownUse = inFlight + own.total()
    const rest = rateLimit().limit - ownUse - byOthers.total()
    if (share >= 1) return rest
    const membersUse = membersUsage(now).reduce((sum, { amount }) => sum + amount, 0)
    return Math.min(rest - membersUse, limitOfShare(share) - ownUse)
  }

  function available(now: number, share = 1): number {
    const permits = Math.max(0, free(now, share))
    return throttledAt === null ? permits : 0
  }

  /** As `createEstimator`, for amounts above what is available now. */
  function createLaterEstimator(now: number, share: number): (amount: number) => number {
    const ownUse = [...own.entries(), { at: now, amount: inFlight }]
    const othersUse = [...byOthers.entries(), ...(share < 1 ? membersUsage(now) : [])]
    const ofAll = createAvailability([...ownUse, ...othersUse], rateLimit().limit, occupied(), now)
    const ofShare = share < 1 ? createAvailability(ownUse, limitOfShare(share), occupied(), now) : () => now
    return (amount) => Math.max(ofAll(amount), ofShare(amount), cooldownUntil(), now)
  }

  /**
   * When an amount is available if there is no other usage and all requests in flight are answered now. For many
   * amounts.
   */
  function createEstimator(now: number, share = 1): (amount: number) => number {
    const permits = available(now, share)
    let later: ((amount: number) => number) | undefined
    return (amount) => {
      if (amount <= permits) return now
      later ??= createLaterEstimator(now, share)
      return later(amount)
    }
  }

  return {
    rateLimit,
    available,
    createEstimator,
    availableAt: (now: number, amount: number, share = 1) => createEstimator(now, share)(amount),
    inFlight: () => inFlight,
    latestOwn: () => own.latest(),
    cooldownUntil,
    /** Grows whenever permits become unavailable that could be counted on until then. */
    revision: () => revision,
    /** The most that can be available at once. */
    capacity: (share: number) => (share < 1 ? limitOfShare(share) : rateLimit().limit),
    /** False if more is in use than the share allows. */
    isWithinShare: (now: number, share: number) => free(now, share) >= 0,

    /** Permits in use: by this process, with those in flight, and by others as the headers show it. */
    usage(now: number): { own: number; byOthers: number } {
      expire(now)
      return { own: inFlight + own.total(), byOthers: byOthers.total() }
    },

    /** This process's usage, entry by entry. */
    ownUsage(now: number): { entries: IdentifiedEntry[]; inFlight: InFlight[] } {
      expire(now)
      return { entries: own.identifiedEntries(), inFlight: listInFlight() }
    },

    /** Other members' usage as last reported, and until when that counts. */
    usageByMembers(now: number): { amount: number; until: number } {
      const until = byMembers.at + occupied()
      return now < until ? { amount: byMembers.amount, until } : { amount: 0, until: now }
    },

    /** The shared store reported what all members use, this one included. */
    updateSharedUsage(amount: number, now: number): void {
      expire(now)
      byMembers = { amount: Math.max(0, amount - inFlight - own.total()), at: now }
    },

    /** The settings changed. A limit that responses reported stays in force. */
    configure(limit: RateLimit): void {
      configured = limit
    },

    /**
     * Reserves permits.
     * @param id unique among all reservations of all processes
     * @returns the baseline for `updateRemaining`: own usage that the service cannot count any more when the request
     * arrives there, because it has expired or is occupied only for the margin
     */
    reserve(id: string, amount: number, now: number): number {
      expire(now)
      reserved.set(id, amount)
      inFlight += amount
      return own.expiredTotal() + own.totalUntil(now - rateLimit().windowSeconds * 1000)
    },

    /** Changes the amount of a reservation. */
    resize(id: string, amount: number): void {
      inFlight += amount - (reserved.get(id) ?? 0)
      reserved.set(id, amount)
    },

    /** Ends a reservation: `used` of it count from now on, 0 if the request was not sent. */
    commit(id: string, used: number, now: number): void {
      inFlight -= reserved.get(id) ?? 0
      reserved.delete(id)
      own.append(now, used, occupied() * MERGE_SHARE, id)
    },

    /**
     * A response reported the limit. A stricter one applies at once, a more generous one when two responses in a row
     * report it. The first one that is reported replaces the configured limit in any case.
     */
    updateLimit(reported: RateLimit, now: number): void {
      const { limit, windowSeconds } = rateLimit()
      // Stricter only if it allows no more in any window of the present length either.
      const windows = Math.max(1, Math.ceil(windowSeconds / reported.windowSeconds))
      const isStricter = reported.limit * windows <= limit
      const isRepeated =
        reported.limit === latestReported?.limit && reported.windowSeconds === latestReported.windowSeconds
      latestReported = reported
      if (serverLimit && !isStricter && !isRepeated) return
      if (reported.limit !== limit || reported.windowSeconds !== windowSeconds) revision++
      const keptMs = now < longest.until ? longest.occupiedMs : 0
      if (reported.windowSeconds < windowSeconds) {
        longest = { occupiedMs: Math.max(keptMs, occupied()), until: now + LONGER_WINDOW_KEPT_MS }
      }
      serverLimit = reported
    },

    /**
     * A response reported what remains: whatever is used beyond what is known here was used by others. It never makes
     * permits available.
     * @param baseline from `reserve`: own usage that expired since then may still have been counted
     * @param limit the limit in the same response, which may not apply yet
     */
    updateRemaining(remaining: number, now: number, baseline: number, limit = rateLimit().limit): void {
      expire(now)
      const expiredSince = Math.max(0, own.expiredTotal() - baseline)
      const known = inFlight + own.total() + byOthers.total() + expiredSince
      const more = limit - remaining - known
      if (more > 0) revision++
      byOthers.append(now, more, occupied() * MERGE_SHARE)
    },

    /**
     * The service refused a request: nothing is available for a window.
     * @param is429 refused with the status for limits
     */
    throttle(now: number, is429 = false): void {
      throttledAt = now
      isExplicit = is429
      revision++
    },

    /** What is worth saving; `null` if there is nothing. */
    getState(now: number): LimiterState | null {
      expire(now)
      const used = inFlight + own.total() + byOthers.total()
      if (!serverLimit && used === 0 && throttledAt === null) return null
      const entries = { own: own.identifiedEntries(), byOthers: byOthers.entries() }
      return { ...entries, inFlight: listInFlight(), throttledAt, serverLimit }
    },

    /** Adds the state of an earlier process, whose requests in flight count as used now. What is known counts once. */
    restore(state: LimiterState, now: number): void {
      serverLimit ??= state.serverLimit
      const known = new Set([...own.identifiedEntries().map(({ id }) => id), ...reserved.keys()])
      const more = [...state.own, ...state.inFlight.map((one) => ({ ...one, at: now }))]
      own.insert(more.filter(({ id }) => !known.has(id)))
      byOthers.insert(skipOldest(state.byOthers, byOthers.total()))
      if (state.throttledAt !== null) throttledAt = Math.max(throttledAt ?? -Infinity, state.throttledAt)
      expire(now)
    },
  }
}

export type WindowLimiter = ReturnType<typeof createWindowLimiter>

/** The entries without the oldest that make up an amount. */
function skipOldest(entries: readonly UsageEntry[], amount: number): UsageEntry[] {
  let rest = amount
  return entries.flatMap((entry) => {
    const skipped = Math.min(rest, entry.amount)
    rest -= skipped
    return entry.amount > skipped ? [{ at: entry.at, amount: entry.amount - skipped }] : []
  })
}
