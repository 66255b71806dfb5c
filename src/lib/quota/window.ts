import { heldMs, type RateLimit } from './limits'

/** An amount that was used at an instant, by this process or by others. */
interface Entry {
  at: number
  amount: number
  byOthers: boolean
  /** When the first of the entries that were merged into it began. */
  firstAt: number
}

/** Entries closer together than this share of the window are merged, so their number is bounded. */
const MERGE_SHARE = 1 / 500
/** Entries that are free again and are kept for requests that are still in flight. */
const KEPT_EXPIRED = 64

/**
 * One limit, safe for fixed and for sliding windows of the service: a permit is held while its request is in flight, and
 * from the response on for a window and a margin (docs/quota.md). Instants are monotonic ms.
 */
export class Window {
  #rate: RateLimit
  #inFlight = 0
  /** Oldest first. Those before `#expired` are free again, `#used` is the sum of the others. */
  #entries: Entry[] = []
  #expired = 0
  #used = 0
  #closedUntil = Number.NEGATIVE_INFINITY

  constructor(rate: RateLimit) {
    this.#rate = rate
  }

  get rate(): RateLimit {
    return this.#rate
  }

  get limit(): number {
    return this.#rate.limit
  }

  /** How long a permit is held after the response, ms. */
  get heldMs(): number {
    return heldMs(this.#rate.windowSeconds)
  }

  /** True if it allows less, at once or over time. */
  isStricterThan({ rate }: Window): boolean {
    const { limit, windowSeconds } = this.#rate
    return limit < rate.limit || limit / windowSeconds < rate.limit / rate.windowSeconds
  }

  /** Changes the limit; what is used stays used. */
  configure(rate: RateLimit): void {
    this.#rate = rate
    this.#expired = 0
    this.#used = this.#entries.reduce((sum, { amount }) => sum + amount, 0)
  }

  reserve(amount: number): void {
    this.#inFlight += amount
  }

  /** Ends a reservation: `used` of it count from now on. */
  settle(reserved: number, used: number, now: number): void {
    this.#inFlight -= reserved
    this.#add(used, now, false)
  }

  /**
   * The service reported what remained when it answered a request that was sent at `sentAt`. What it counted beyond what
   * is known here was used by others. What has expired since then may still have been counted.
   */
  noticeOthers(remaining: number, sentAt: number, now: number): void {
    let known = this.used(now)
    for (let index = this.#expired - 1; index >= 0; index--) {
      const { at, amount } = this.#entries[index] as Entry
      if (at + this.heldMs > sentAt) known += amount
    }
    this.#add(this.limit - remaining - known, now, true)
  }

  /** Nothing is available until then. */
  close(until: number): void {
    this.#closedUntil = Math.max(this.#closedUntil, until)
  }

  /** What is in use, requests in flight included. */
  used(now: number): number {
    this.#expire(now)
    return this.#inFlight + this.#used
  }

  usedByOthers(now: number): number {
    this.#expire(now)
    return this.#entries
      .slice(this.#expired)
      .reduce((sum, { amount, byOthers }) => sum + (byOthers ? amount : 0), 0)
  }

  available(now: number): number {
    return now < this.#closedUntil ? 0 : Math.max(0, this.limit - this.used(now))
  }

  /**
   * When an amount will be available if all requests in flight are answered now and nothing else is used. An amount above
   * the limit takes a further window for each multiple of it.
   */
  availableAt(amount: number, now: number): number {
    const opensAt = Math.max(now, this.#closedUntil)
    const windows = Math.max(0, Math.ceil(amount / this.limit) - 1)
    let missing = amount - windows * this.limit - (this.limit - this.used(now))
    let at = now
    for (let index = this.#expired; missing > 0 && index < this.#entries.length; index++) {
      const entry = this.#entries[index] as Entry
      missing -= entry.amount
      at = entry.at + this.heldMs
    }
    if (missing > 0) at = now + this.heldMs
    return Math.max(opensAt, at) + windows * this.heldMs
  }

  isUnused(now: number): boolean {
    return this.used(now) === 0 && now >= this.#closedUntil
  }

  #add(amount: number, now: number, byOthers: boolean): void {
    if (amount <= 0) return
    this.#expire(now)
    this.#used += amount
    const last = this.#entries[this.#entries.length - 1]
    const isMerged =
      this.#expired < this.#entries.length &&
      last?.byOthers === byOthers &&
      now - last.firstAt <= this.heldMs * MERGE_SHARE
    if (isMerged) {
      last.at = now
      last.amount += amount
    } else this.#entries.push({ at: now, amount, byOthers, firstAt: now })
  }

  #expire(now: number): void {
    for (;;) {
      const first = this.#entries[this.#expired]
      if (!first || first.at + this.heldMs > now) break
      this.#used -= first.amount
      this.#expired++
    }
    if (this.#expired <= 2 * KEPT_EXPIRED) return
    this.#entries = this.#entries.slice(this.#expired - KEPT_EXPIRED)
    this.#expired = KEPT_EXPIRED
  }
}
