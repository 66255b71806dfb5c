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

/** The limits in the settings of the account nodes. All apply at the same time; the most generous over time is the last. */
export type OwnLimits = readonly [RateLimit, ...RateLimit[]]

/** The one that the service's responses refer to if they do not name their limit: the others leave something unused. */
export const mostGenerous = (own: OwnLimits): RateLimit => own.at(-1) ?? own[0]

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
  /** `ledger`: by others, and the ledger counts it. */
  by: 'us' | 'others' | 'ledger'
  /** Whether the reply of the ledger to its reservation is awaited. */
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
  /** Whether a ledger counts what others use, so that only what it does not know is counted here. */
  isShared = false
  readonly #countsOthers: boolean
  #own!: OwnLimits
  #reported: RateLimit | undefined
  #reportedAt = Number.NEGATIVE_INFINITY
  /** The own limits and the reported one, until it is forgotten. */
  #limits: WindowLimit[] = []
  /** Completed requests, and usage by others, oldest first. */
  #entries: Entry[] = []
  readonly #inFlight = new Set<Entry>()
  #closedAt = Number.NEGATIVE_INFINITY
  #closedMs = 0
  /** Number of refusals in a row. */
  #refusals = 0
  /** The window that a response reported last, ms. */
  #lastReportedMs = 0
  /** The longest window so far, because a shorter one may be temporary. */
  #longestMs = 0

  /** @param countsOthers whether usage by others counts against the most generous own limit */
  constructor(own: OwnLimits, countsOthers: boolean) {
    this.#countsOthers = countsOthers
    this.configure(own)
  }

  /** Changes the own limits and keeps the usage. */
  configure(own: OwnLimits): void {
    this.#own = own
    this.#combine()
  }

  /**
   * Sets the limit of a response, which applies until the next response, but no longer than the longest own window or,
   * if that is later, until the end of the time in which nothing is available because of a refusal.
   */
  report(limit: RateLimit, now: number): void {
    this.#reported = limit
    this.#reportedAt = now
    this.#lastReportedMs = limit.heldMs
    this.#combine()
  }

  /** Forgets the limit of a response once it no longer applies. @returns whether it was stricter than each own limit */
  forgetReported(now: number): boolean {
    const reported = this.#reported
    if (!reported || now < this.#reportedUntil()) return false
    this.#reported = undefined
    this.#combine()
    return this.#own.every((own) => isStricter(reported, own))
  }

  #combine(): void {
    const countedFor = this.#countsOthers ? mostGenerous(this.#own) : undefined
    const forever = Number.POSITIVE_INFINITY
    this.#limits = this.#own.map((own) => ({ ...own, countsOthers: own === countedFor, until: forever }))
    const until = this.#reportedUntil()
    if (this.#reported) this.#limits.push({ ...this.#reported, countsOthers: true, until })
    this.#longestMs = Math.max(this.#longestMs, longestOf(this.#limits))
  }

  #reportedUntil(): number {
    return Math.max(this.#reportedAt + longestOf(this.#own), this.#closedUntil())
  }

  get inFlight(): number {
    return this.#inFlight.size
  }

  reserve(id: string, amount: number, now: number): Entry {
    const at = Number.POSITIVE_INFINITY
    const entry: Entry = { id, amount, sentAt: now, at, by: 'us', isAsked: this.isShared }
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
  settle(entry: Entry, { used, reported, remaining }: Use, now: number): number {
    this.#inFlight.delete(entry)
    entry.amount = used
    entry.at = now
    if (used > 0) this.#entries.push(entry)
    if (!reported || remaining < 0) return 0
    // The service may also have counted entries that have expired since the request was sent.
    const since = entry.sentAt - reported.heldMs
    const amount = reported.limit - remaining - this.#sum(({ at }) => at > since)
    const by = this.isShared ? 'ledger' : 'others'
    if (amount > 0) this.#entries.push({ ...entry, id: '', amount, by })
    return Math.max(0, amount)
  }

  /**
   * Call this after a refusal: nothing is available for a complete window, the longest of the own limits. After each
   * further refusal in a row it is twice as long, up to the window that the service reports.
   */
  close({ sentAt }: Entry, now: number): void {
    // Requests that were in flight at the same time are refused for the same reason.
    if (sentAt > this.#closedAt) this.#refusals++
    this.#closedAt = now
    this.#closedMs = longestOf(this.#own)
    this.#combine()
  }

  /** Call this after a response that is no refusal. */
  endRefusals({ sentAt }: Entry): void {
    if (sentAt <= this.#closedAt) return
    this.#refusals = 0
    this.#closedAt = Number.NEGATIVE_INFINITY
  }

  available(now: number, isShared = this.isShared): number {
    if (now < this.#closedUntil()) return 0
    const left = this.#limitsAt(now).map(
      (limit) => limit.limit - this.#sum(countsAgainst(limit, now, isShared)),
    )
    return Math.max(0, Math.min(...left))
  }

  /**
   * When an amount will be available, assuming that all requests in flight are completed now and nothing else is used.
   * An amount above the limit takes another window for each multiple of it.
   */
  availableAt(amount: number, now: number, isShared = this.isShared): number {
    const instants = this.#limitsAt(now).map((limit) => this.#limitFreeAt(limit, amount, now, isShared))
    return Math.max(now, this.#closedUntil(), ...instants)
  }

  isUnused(now: number): boolean {
    return now >= this.#closedUntil() && this.#sum(({ at }) => at > now - this.#longestMs) === 0
  }

  /** Usage by this process in the windows of the limits, including requests in flight. */
  own(now: number): Entry[] {
    const since = now - longestOf(this.#limits)
    return [...this.#entries.filter(({ by, at }) => by === 'us' && at > since), ...this.#inFlight]
  }

  /**
   * The limit with the least left, its usage by this process and by others, and what is left of all limits, or when one
   * will be.
   */
  counts(now: number) {
    const usedOf = (limit: WindowLimit) => this.#sum(countsAgainst(limit, now, false))
    const leftOf = (limit: WindowLimit) => limit.limit - usedOf(limit)
    const applied = this.#limitsAt(now).reduce((a, b) => (leftOf(b) < leftOf(a) ? b : a))
    const { limit, windowSeconds } = applied
    const own = usedOf({ ...applied, countsOthers: false })
    const all = usedOf({ ...applied, countsOthers: true })
    const [left, freeAt] = [this.available(now, false), this.availableAt(1, now, false)]
    return { limit, windowSeconds, own, foreign: all - own, left, freeAt }
  }

  /** The end of the time in which nothing is available because of a refusal. */
  #closedUntil(): number {
    const windowMs = Math.min(this.#closedMs, longestOf(this.#own))
    const doubledMs = windowMs * 2 ** (this.#refusals - 1)
    return this.#closedAt + Math.min(doubledMs, Math.max(windowMs, this.#lastReportedMs))
  }

  /** The limits that apply now. */
  #limitsAt(now: number): WindowLimit[] {
    return this.#limits.filter(({ until }) => now < until)
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

  /** The amount of these entries, including those of requests in flight. */
  #sum(counts: (entry: Entry) => boolean): number {
    let total = 0
    for (const entry of this.#entries) if (counts(entry)) total += entry.amount
    for (const entry of this.#inFlight) if (counts(entry)) total += entry.amount
    return total
  }
}

/**
 * Returns a function that says which entries count against a limit.
 * @param isShared whether a ledger counts the known usage of others
 */
function countsAgainst(limit: WindowLimit, now: number, isShared: boolean): (entry: Entry) => boolean {
  const since = now - limit.heldMs
  return ({ by, at }) => at > since && (by === 'us' || (limit.countsOthers && !(isShared && by === 'ledger')))
}

/** The longest window of limits, ms. */
const longestOf = (limits: readonly RateLimit[]) => Math.max(...limits.map(({ heldMs }) => heldMs))

/** Whether a limit allows less than another, in a burst or over time. */
const isStricter = (a: RateLimit, b: RateLimit) =>
  a.limit < b.limit || a.limit / a.windowSeconds < b.limit / b.windowSeconds
