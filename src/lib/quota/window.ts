/** Maximum margin added to a window, and the margin relative to a short window. */
const MAX_MARGIN_MS = 1000
const MARGIN_SHARE = 1 / 50

/** At most `limit` requests, or records, in any window of this length. */
export interface RateLimit {
  limit: number
  windowSeconds: number
  /**
   * The time for which a permit is occupied after the response. It is the window plus a margin (docs/quota.md, *How
   * requests are counted*), which covers differences between the service's clock and ours.
   */
  heldMs: number
}

export function createLimit(limit: number, windowSeconds: number): RateLimit {
  const windowMs = windowSeconds * 1000
  return { limit, windowSeconds, heldMs: windowMs + Math.min(MAX_MARGIN_MS, windowMs * MARGIN_SHARE) }
}

/** A limit of a window. */
interface WindowLimit extends RateLimit {
  /** Whether usage by others counts against it. */
  countsOthers: boolean
  /** When the limit ceases to apply. */
  until: number
}

/** Usage by one request, or detected usage by others. */
export interface Entry {
  id: string
  amount: number
  sentAt: number
  /** When the response arrived; infinite while the request is in flight. */
  at: number
  /** `othersInRedis`: already counted by a shared quota. */
  by: 'us' | 'others' | 'othersInRedis'
  /** Whether the reply of Redis to its reservation is awaited. */
  isAsked: boolean
}

/** How much of a limit an attempt used, and what its response reported about the limit. */
export interface Use {
  used: number
  /** The limit reported in the response, and what remains of it; -1 if not reported. */
  reported: RateLimit | null
  remaining: number
}

/**
 * Usage of an endpoint, or of a device's records, and the limits that apply to it at the same time. A permit is
 * occupied while its request is in flight, and for a window plus a margin after the response, which is safe for both
 * fixed and sliding windows of the service (docs/quota.md). Instants are monotonic ms.
 */
export class Window {
  #own: WindowLimit
  #reported: WindowLimit | undefined
  /** Completed requests, and usage by others, oldest first. */
  #entries: Entry[] = []
  readonly #inFlight = new Set<Entry>()
  #closedAt = Number.NEGATIVE_INFINITY
  /** The longest window so far, because a shorter one may be temporary. */
  #longestMs: number

  /** @param countsOthers whether usage by others counts against the own limit */
  constructor(own: RateLimit, countsOthers: boolean) {
    this.#own = { ...own, countsOthers, until: Number.POSITIVE_INFINITY }
    this.#longestMs = this.#windowMs()
  }

  /** Changes the own limit and keeps the usage. */
  configure(own: RateLimit): void {
    this.#own = { ...this.#own, ...own }
    this.#longestMs = Math.max(this.#longestMs, this.#windowMs())
  }

  /** Sets the limit of a response, which applies until the next response, but no longer than the own window. */
  report(limit: RateLimit, now: number): void {
    this.#reported = { ...limit, countsOthers: true, until: now + this.#own.heldMs }
    this.#longestMs = Math.max(this.#longestMs, this.#windowMs())
  }

  /** Forgets the limit of a response once it no longer applies. @returns whether it was stricter than the own limit */
  forgetReported(now: number): boolean {
    const reported = this.#reported
    if (!reported || now < reported.until) return false
    this.#reported = undefined
    return isStricter(reported, this.#own)
  }

  get inFlight(): number {
    return this.#inFlight.size
  }

  reserve(id: string, amount: number, now: number, isAsked: boolean): Entry {
    const entry: Entry = { id, amount, sentAt: now, at: Number.POSITIVE_INFINITY, by: 'us', isAsked }
    // Expired entries are kept if the service may have counted them in its responses to requests in flight.
    const oldest = Math.min(now, ...[...this.#inFlight].map(({ sentAt }) => sentAt))
    this.#entries = this.#entries.filter(({ at }) => at + this.#longestMs > oldest)
    this.#inFlight.add(entry)
    return entry
  }

  /**
   * Ends a reservation: what was used counts from now on. Usage that the response reports beyond our own is attributed
   * to others.
   * @returns the amount that others used
   */
  settle(entry: Entry, { used, reported, remaining }: Use, now: number, isShared: boolean): number {
    this.#inFlight.delete(entry)
    entry.amount = used
    entry.at = now
    if (used > 0) this.#entries.push(entry)
    if (!reported || remaining < 0) return 0
    // The service may also have counted entries that have expired since the request was sent.
    const since = entry.sentAt - reported.heldMs
    const amount = reported.limit - remaining - this.#sum(({ at }) => at > since)
    const by = isShared ? 'othersInRedis' : 'others'
    if (amount > 0) this.#entries.push({ ...entry, id: '', amount, by })
    return Math.max(0, amount)
  }

  /** Call this after a refusal: nothing is available for a complete window. */
  close(now: number): void {
    this.#closedAt = now
  }

  available(now: number, isShared: boolean): number {
    if (now < this.#closedUntil()) return 0
    const left = this.#limitsAt(now).map((limit) => limit.limit - this.#used(limit, now, isShared))
    return Math.max(0, Math.min(...left))
  }

  /**
   * When an amount will be available, assuming that all requests in flight are completed now and nothing else is used.
   * An amount above the limit takes another window for each multiple of it.
   */
  availableAt(amount: number, now: number, isShared: boolean): number {
    const instants = this.#limitsAt(now).map((limit) => this.#limitFreeAt(limit, amount, now, isShared))
    return Math.max(now, this.#closedUntil(), ...instants)
  }

  isUnused(now: number): boolean {
    return now >= this.#closedUntil() && this.#used(this.#own, now, false) === 0
  }

  /** Usage by this process in the windows of the limits, including requests in flight. */
  own(now: number): Entry[] {
    const since = now - this.#windowMs()
    return [...this.#entries.filter(({ by, at }) => by === 'us' && at > since), ...this.#inFlight]
  }

  /** The limit with the least left, and its usage by this process and by others. */
  counts(now: number): { limit: number; windowSeconds: number; own: number; foreign: number } {
    const limits = this.#limitsAt(now)
    const leftOf = (limit: WindowLimit) => limit.limit - this.#used(limit, now, false)
    const { limit, windowSeconds } = limits.reduce((a, b) => (leftOf(b) < leftOf(a) ? b : a))
    const own = this.#used({ ...this.#own, countsOthers: false }, now, false)
    const all = limits.map((limit) => this.#used({ ...limit, countsOthers: true }, now, false))
    return { limit, windowSeconds, own, foreign: Math.max(...all) - own }
  }

  /** The end of the time in which nothing is available because of a refusal. */
  #closedUntil(): number {
    return this.#closedAt + this.#own.heldMs
  }

  get #limits(): WindowLimit[] {
    return this.#reported ? [this.#own, this.#reported] : [this.#own]
  }

  /** The limits that apply now. */
  #limitsAt(now: number): WindowLimit[] {
    return this.#limits.filter(({ until }) => now < until)
  }

  /**
   * Usage that counts against a limit, including requests in flight.
   * @param isShared whether a shared quota counts the known usage of others
   */
  #used(limit: WindowLimit, now: number, isShared: boolean): number {
    return this.#sum(countsAgainst(limit, now, isShared))
  }

  /** The longest window of the limits. */
  #windowMs(): number {
    return Math.max(...this.#limits.map(({ heldMs }) => heldMs))
  }

  #limitFreeAt(limit: WindowLimit, amount: number, now: number, isShared: boolean): number {
    const { heldMs } = limit
    const windows = Math.max(0, Math.ceil(amount / limit.limit) - 1)
    const counts = countsAgainst(limit, now, isShared)
    let missing = amount - windows * limit.limit - (limit.limit - this.#sum(counts))
    let at = now
    for (const entry of this.#entries) {
      if (missing <= 0) break
      if (!counts(entry)) continue
      missing -= entry.amount
      at = entry.at + heldMs
    }
    if (missing > 0) at = now + heldMs
    return Math.min(at + windows * heldMs, limit.until)
  }

  #sum(counts: (entry: Entry) => boolean): number {
    let total = 0
    for (const entry of this.#entries) if (counts(entry)) total += entry.amount
    for (const entry of this.#inFlight) if (counts(entry)) total += entry.amount
    return total
  }
}

/** Returns a function that says which entries count against a limit. */
function countsAgainst(limit: WindowLimit, now: number, isShared: boolean): (entry: Entry) => boolean {
  const since = now - limit.heldMs
  return ({ by, at }) =>
    at > since && (by === 'us' || (limit.countsOthers && !(isShared && by === 'othersInRedis')))
}

/** Whether a limit allows less than another, in a burst or over time. */
const isStricter = (a: RateLimit, b: RateLimit) =>
  a.limit < b.limit || a.limit / a.windowSeconds < b.limit / b.windowSeconds
