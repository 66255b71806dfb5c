import { heldMs, type RateLimit } from './limits'

/** Usage by one request, or detected usage by other programs. */
export interface Entry {
  amount: number
  sentAt: number
  /** When its response arrived; infinite while it is in flight. */
  at: number
  /** Used by programs other than envlog, as a response has shown. */
  isByOthers: boolean
  /** In another process, which shares the quota through Redis. */
  isRemote: boolean
  /** Redis is being asked for it. */
  isPending: boolean
}

/** A limit, and which usage counts against it. */
interface WindowLimit extends RateLimit {
  countsOthers: boolean
  /** When it ceases to apply. */
  until: number
}

/** What a process writes about its usage for the others. Ages are in ms before the time of writing. */
export interface Part {
  /** `ageMs` is `null` while a request is in flight. */
  entries: { amount: number; ageMs: number | null; isByOthers: boolean }[]
  reported: (RateLimit & { ageMs: number }) | undefined
  closedAgeMs: number | null
}

/** A part as it was read: when it was written, and the longest time in flight of its process. */
export interface RemotePart {
  part: Part
  writtenAt: number
  leaseMs: number
}

/**
 * Usage of an endpoint, or of a device's records, with the account's own limit and the one that the service has
 * reported. Safe for fixed and sliding windows of the service: a permit is occupied while its request is in flight, and
 * for a window plus a margin after the response (docs/quota.md). Instants are monotonic ms.
 */
export class Window {
  #own: RateLimit
  /** Usage by others counts against the own limit, too. */
  readonly #countsOthers: boolean
  /** Reported by a response at this time. It applies for a window of the own limit. */
  #reported: (RateLimit & { at: number; isRemote: boolean }) | undefined
  /** Answered, oldest first. */
  #entries: Entry[] = []
  readonly #inFlight = new Set<Entry>()
  #closedAt = Number.NEGATIVE_INFINITY
  /** When another process was refused. */
  #remoteClosedAt = Number.NEGATIVE_INFINITY
  /** The longest window so far: a shorter one may be temporary. */
  #longestMs = 0
  /** The version of the data in Redis that was read last, and when. */
  version = ''
  readAt = Number.NEGATIVE_INFINITY
  /** Number of other processes that share the limit. */
  remoteProcesses = 0

  constructor(own: RateLimit, countsOthers: boolean) {
    this.#countsOthers = countsOthers
    this.#own = own
    this.setLimit(own)
  }

  /** Changes the account's limit; usage stays. */
  setLimit(own: RateLimit): void {
    this.#own = own
    this.#longestMs = Math.max(this.#longestMs, heldMs(own.windowSeconds))
  }

  /** A response reported this limit; it applies until the next response, but no longer than a window of the own one. */
  report(limit: RateLimit | undefined, now: number): void {
    if (limit) this.#setReported(limit, now, false)
    else if (this.isReportOutdated(now)) this.#reported = undefined
  }

  /** True if a stricter limit was reported and may still apply: the next response will show it. */
  isReportOutdated(now: number): boolean {
    const reported = this.#reported
    return reported !== undefined && now >= this.#until(reported) && isStricter(reported, this.#own)
  }

  /** Number of requests in flight. */
  get inFlight(): number {
    return this.#inFlight.size
  }

  /** When the last response arrived. */
  get answeredAt(): number {
    return this.#entries.at(-1)?.at ?? Number.NEGATIVE_INFINITY
  }

  /** @param isPending whether Redis has to grant it */
  reserve(amount: number, now: number, isPending: boolean): Entry {
    const entry = { amount, sentAt: now, at: Number.POSITIVE_INFINITY, ...OWN, isPending }
    // The service may have counted them in its responses to requests in flight.
    const oldest = Math.min(now, ...[...this.#inFlight].map(({ sentAt }) => sentAt))
    this.#entries = this.#entries.filter(({ at }) => at + this.#longestMs + EXPIRED_KEPT_MS > oldest)
    this.#inFlight.add(entry)
    return entry
  }

  /** Ends a reservation: `used` of it counts from now on. */
  settle(entry: Entry, used: number, now: number): void {
    this.#inFlight.delete(entry)
    entry.amount = used
    entry.at = now
    if (used > 0) this.#entries.push(entry)
  }

  /**
   * The service reported how much of a limit remained when it answered a request sent at `sentAt`. Usage beyond what is
   * known here is attributed to others. The service may also have counted entries that have expired since.
   * @returns whether there is any
   */
  noticeOthers({ limit, windowSeconds }: RateLimit, remaining: number, sentAt: number, now: number): boolean {
    const since = sentAt - heldMs(windowSeconds)
    const amount = limit - remaining - this.#sum(({ at }) => at > since)
    if (amount > 0) this.#entries.push({ amount, sentAt, at: now, ...OWN, isByOthers: true })
    return amount > 0
  }

  /** The service has refused a request: nothing is available for a whole window. */
  close(now: number): void {
    this.#closedAt = now
  }

  /** The limits that apply now. */
  limitsAt(now: number): WindowLimit[] {
    const reported = this.#reported && {
      ...this.#reported,
      countsOthers: true,
      until: this.#until(this.#reported),
    }
    const own = { ...this.#own, countsOthers: this.#countsOthers, until: Number.POSITIVE_INFINITY }
    return reported && now < reported.until ? [own, reported] : [own]
  }

  /** Usage that counts against a limit, including requests in flight. */
  used({ windowSeconds, countsOthers }: Omit<WindowLimit, 'limit' | 'until'>, now: number): number {
    const since = now - heldMs(windowSeconds)
    return this.#sum(({ at, isByOthers }) => at > since && (countsOthers || !isByOthers))
  }

  /** Usage by this process in the own window. */
  usedHere(now: number): number {
    const since = now - heldMs(this.#own.windowSeconds)
    return this.#sum(({ at, isByOthers, isRemote }) => at > since && !isByOthers && !isRemote)
  }

  available(now: number): number {
    if (now < this.#closedUntil) return 0
    return Math.max(0, Math.min(...this.limitsAt(now).map((limit) => limit.limit - this.used(limit, now))))
  }

  /**
   * Since when an amount has been available, or when it will be, assuming that all requests in flight are answered now
   * and nothing else is used. An amount above the limit takes another window for each multiple of it.
   */
  availableAt(amount: number, now: number): number {
    return Math.max(
      this.#closedUntil,
      ...this.limitsAt(now).map((one) => this.#limitFreeAt(one, amount, now)),
    )
  }

  isUnused(now: number): boolean {
    return now >= this.#closedUntil && this.used({ ...this.#own, countsOthers: true }, now) === 0
  }

  /** True if the usage in other processes may change at any time. */
  get hasRemoteInFlight(): boolean {
    return [...this.#inFlight].some(({ isRemote }) => isRemote)
  }

  /** The usage by this process. */
  part(now: number, withPending: boolean): Part {
    const own = [...this.#entries, ...this.#inFlight].filter(({ isRemote }) => !isRemote)
    const age = (at: number) => (Number.isFinite(at) ? Math.floor(now - at) : null)
    return {
      entries: own
        .filter(({ isPending }) => withPending || !isPending)
        .map(({ amount, at, isByOthers }) => ({ amount, ageMs: age(at), isByOthers })),
      reported: this.#reportHere(now),
      closedAgeMs: age(this.#closedAt),
    }
  }

  /** Replaces what is known from other processes. */
  setRemote(parts: readonly RemotePart[], now: number): void {
    this.#entries = this.#entries.filter(({ isRemote }) => !isRemote)
    for (const one of this.#inFlight) if (one.isRemote) this.#inFlight.delete(one)
    this.remoteProcesses = parts.filter(({ writtenAt }) => writtenAt + ALIVE_MS > now).length
    const closures = parts.map(
      ({ part, writtenAt }) => writtenAt - (part.closedAgeMs ?? Number.POSITIVE_INFINITY),
    )
    this.#remoteClosedAt = Math.max(Number.NEGATIVE_INFINITY, ...closures)
    for (const { part, writtenAt, leaseMs } of parts) {
      if (part.reported) this.#setReported(part.reported, writtenAt - part.reported.ageMs, true)
      for (const { amount, ageMs, isByOthers } of part.entries) {
        // A process that has not written since then has died: its request may have been sent at any time until then.
        const at = ageMs === null ? writtenAt + leaseMs : writtenAt - ageMs
        const isInFlight = ageMs === null && at > now
        const entry = { amount, sentAt: at, at, isByOthers, isRemote: true, isPending: false }
        if (isInFlight) this.#inFlight.add({ ...entry, at: Number.POSITIVE_INFINITY })
        else this.#entries.push(entry)
      }
    }
    this.#entries.sort((a, b) => a.at - b.at)
  }

  /** Redis has granted what it was asked for. */
  confirm(): void {
    for (const entry of this.#inFlight) entry.isPending = false
  }

  get #closedUntil(): number {
    return Math.max(this.#closedAt, this.#remoteClosedAt) + heldMs(this.#own.windowSeconds)
  }

  #until({ at }: { at: number }): number {
    return at + heldMs(this.#own.windowSeconds)
  }

  #setReported({ limit, windowSeconds }: RateLimit, at: number, isRemote: boolean): void {
    if (this.#reported && this.#reported.at > at) return
    this.#reported = { limit, windowSeconds, at, isRemote }
    this.#longestMs = Math.max(this.#longestMs, heldMs(windowSeconds))
  }

  /** The reported limit, unless another process has received it. */
  #reportHere(now: number): Part['reported'] {
    if (!this.#reported || this.#reported.isRemote) return undefined
    const { limit, windowSeconds, at } = this.#reported
    return { limit, windowSeconds, ageMs: now - at }
  }

  #limitFreeAt(limit: WindowLimit, amount: number, now: number): number {
    const ms = heldMs(limit.windowSeconds)
    const counts = ({ isByOthers }: Entry) => limit.countsOthers || !isByOthers
    const windows = Math.max(0, Math.ceil(amount / limit.limit) - 1)
    let missing = amount - windows * limit.limit - (limit.limit - this.#sum(counts))
    let at = Number.NEGATIVE_INFINITY
    for (const entry of this.#entries) {
      if (missing <= 0) break
      if (!counts(entry)) continue
      missing -= entry.amount
      at = entry.at + ms
    }
    if (missing > 0) at = now + ms
    if (windows > 0) at = Math.max(at, now) + windows * ms
    return Math.min(at, limit.until)
  }

  #sum(counts: (entry: Entry) => boolean): number {
    let total = 0
    for (const entry of this.#entries) if (counts(entry)) total += entry.amount
    for (const entry of this.#inFlight) if (counts(entry)) total += entry.amount
    return total
  }
}

/** Expired usage is kept for this long, because it shows since when a permit has been free. */
const EXPIRED_KEPT_MS = 10_000

/** A process that has not written for this long has ended. */
const ALIVE_MS = 30_000

const OWN = { isByOthers: false, isRemote: false, isPending: false }

/** True if it allows less, in a burst or over time. */
const isStricter = (one: RateLimit, other: RateLimit) =>
  one.limit < other.limit || one.limit / one.windowSeconds < other.limit / other.windowSeconds
