import type { EndpointCounts } from '../../shared/admin'
import type { EndpointName } from '../endpoints'
import type { QuotaHeaders } from './headers'
import { type EndpointLimits, heldMs, type RateLimit } from './limits'
import type { Denied, Need, Sharing, Usage, Use } from './shared-quota'
import { type Entry, Window, type WindowLimit } from './window'

/**
 * The number of records that a request wants from a device, and the minimum for which it is sent without waiting for
 * more.
 */
export interface RecordDemand {
  device: string
  wanted: number
  minimum: number
}

/** Everything reserved for one attempt: a request and, if they are counted, records of its device. */
export interface Reservation {
  id: string
  /** Maximum number of records that the attempt may request; `undefined` if the request does not specify a number. */
  records: number | undefined
  request: Entry
  ofDevice: { window: Window; entry: Entry; name: string; minimum: number } | undefined
}

/** The outcome of an attempt, as far as the quota needs it. */
export interface Outcome {
  /** False if no byte of the request can have reached the service: nothing is used. */
  isSent: boolean
  /** True if the service itself responded: not a gateway, and the response was complete. */
  isAnswered: boolean
  /** Headers of the response; `null` if there was none, or only a gateway's page. */
  headers: QuotaHeaders | null
  /** Status of an error response. */
  errorStatus?: number | undefined
  /** Number of records received; `null` if unknown. */
  records: number | null
}

/** The limit that caused a refusal: the endpoint's requests, or a device's records. */
export type LimitScope = 'endpoint' | 'device'

/** The estimated start of a request, in monotonic ms, and whether it waits for records of its device. */
export interface StartEstimate {
  at: number
  isForRecords: boolean
}

/** Within this time, every process that can reach a recovered Redis has noticed that it is back. */
const RETURNING_MS = 2500

/** Statuses whose headers must not be used for the quota. */
const NOT_ABOUT_QUOTA = new Set([401, 403])

/**
 * The quota of one endpoint: its requests, with the account's limit and the one in the last response, and the records
 * of each device. Instants are monotonic ms.
 */
export class Endpoint {
  readonly #name: EndpointName
  #limits: EndpointLimits
  readonly #requests: Window
  #reported: WindowLimit | undefined
  readonly #devices = new Map<string, Window>()
  #sharing: Sharing = 'none'
  /** Redis is back, but other processes may not have reported their usage yet. */
  #carefulUntil = Number.NEGATIVE_INFINITY
  /** A shared quota has no permit before then: when to ask again, and when one is expected. */
  #denial = NO_DENIAL
  /** The service has responded since the start: before that, requests are sent one at a time. */
  #isKnown = false

  constructor(name: EndpointName, limits: EndpointLimits) {
    this.#name = name
    this.#limits = limits
    this.#requests = new Window(ownLimit(limits.requests, false))
  }

  configure(limits: EndpointLimits): void {
    this.#limits = limits
    this.#denial = NO_DENIAL
    this.#setLimits()
    const { records } = limits
    if (records) for (const device of this.#devices.values()) device.setLimits(ownLimit(records, true))
  }

  setSharing(sharing: Sharing, now: number): void {
    if (this.#sharing === 'away' && sharing === 'connected') this.#carefulUntil = now + RETURNING_MS
    this.#sharing = sharing
    this.#denial = NO_DENIAL
  }

  /** When the next request can be sent; infinite if that depends on a response or on Redis. */
  startsAt(now: number): number {
    if (this.#reported && now >= this.#reported.until) {
      // A stricter limit may still apply: the next response will show it.
      if (isStricter(this.#reported, this.#limits.requests)) this.#isKnown = false
      this.#reported = undefined
      this.#setLimits()
    }
    if (this.#sharing === 'opening') return Number.POSITIVE_INFINITY
    const isAlone = this.#sharing === 'away' || !this.#isKnown || now < this.#carefulUntil
    if (isAlone && this.#requests.inFlight > 0) return Number.POSITIVE_INFINITY
    return Math.max(this.#denial.retryAt, this.#requests.availableAt(1, now, this.#isShared))
  }

  /** When enough records of the device are available; now if they are not counted. */
  recordsAt(demand: RecordDemand | undefined, now: number): number {
    const device = this.#deviceOf(demand, now)
    return demand && device ? device.availableAt(this.#leastOf(demand), now, this.#isShared) : now
  }

  /**
   * When a request can be sent, assuming that all requests in flight are answered now.
   * @param position 1 for the next request
   */
  estimate(demand: RecordDemand | undefined, position: number, now: number): StartEstimate {
    const at = Math.max(this.#denial.freeAt, this.#requests.availableAt(position, now, this.#isShared))
    const recordsAt = this.recordsAt(demand, now)
    return { at: Math.max(at, recordsAt), isForRecords: recordsAt > at }
  }

  /** Reserves a request, and as many of the wanted records as are available. */
  reserve(id: string, demand: RecordDemand | undefined, now: number): Reservation {
    const request = this.#requests.reserve(id, 1, now, this.#isShared)
    const window = this.#deviceOf(demand, now)
    if (!demand || !window) return { id, request, records: demand?.wanted, ofDevice: undefined }
    const records = Math.min(demand.wanted, window.available(now, this.#isShared))
    const entry = window.reserve(id, records, now, this.#isShared)
    const minimum = Math.min(records, this.#leastOf(demand))
    return { id, request, records, ofDevice: { window, entry, name: this.#nameOf(demand.device), minimum } }
  }

  /** What to request from a shared quota. */
  needs({ records = 0, ofDevice }: Reservation): Need[] {
    const { requests, records: ofRecords } = this.#limits
    const needs = [{ name: this.#name as string, wanted: 1, minimum: 1, ...limitOf(requests) }]
    if (ofDevice && ofRecords)
      needs.push({ name: ofDevice.name, wanted: records, minimum: ofDevice.minimum, ...limitOf(ofRecords) })
    return needs
  }

  /** A shared quota has granted the reservation, possibly with fewer records. */
  grant(reservation: Reservation, [, records]: number[]): void {
    const { request, ofDevice } = reservation
    this.#denial = NO_DENIAL
    request.isAsked = false
    if (records === undefined || !ofDevice) return
    ofDevice.entry.isAsked = false
    ofDevice.entry.amount = records
    reservation.records = records
  }

  /** A shared quota has denied the reservation: other processes use the requests or the records. */
  deny({ request, ofDevice }: Reservation, { need, retryMs, estimateMs }: Denied, now: number): void {
    this.#requests.settle(request, 0, now)
    ofDevice?.window.settle(ofDevice.entry, 0, now)
    if (need === 0) this.#denial = { retryAt: now + retryMs, freeAt: now + estimateMs }
  }

  /**
   * Turns a reservation into usage.
   * @returns the limit that caused a refusal, if any, and what to report to a shared quota
   */
  settle(
    { request, records = 0, ofDevice }: Reservation,
    outcome: Outcome,
    now: number,
  ): { refused: LimitScope | undefined; uses: Use[] } {
    const { headers, isSent, isAnswered } = outcome
    const { requests: own, records: ofRecords } = this.#limits
    const { remaining = null, recordsRemaining = null } = headers ?? {}
    if (isAnswered) this.#isKnown = true
    const reported = reportedLimit(headers, own)
    if (reported) {
      // Applies until the next response, but no longer than the account's own window.
      this.#reported = { ...reported, countsOthers: true, until: now + heldMs(own.windowSeconds) }
      this.#setLimits()
    }
    const refused = findRefusal(outcome, ofDevice !== undefined && ofRecords !== null)
    // If the device has records left, fewer can be requested immediately.
    const canAskForFewer = recordsRemaining !== null && recordsRemaining > 0 && recordsRemaining < records
    const settleOne = (
      { window, entry }: { window: Window; entry: Entry },
      used: number,
      limit: RateLimit | undefined,
      left: number | null,
      isClosed: boolean,
    ): Use => {
      window.settle(entry, used, now)
      if (limit && left !== null) window.noticeOthers(limit, left, entry.sentAt, now, this.#isShared)
      if (isClosed) window.close(now)
      return { used, remaining: left ?? -1, isClosed, reported: limit ? limitOf(limit) : null }
    }
    const used = isSent ? 1 : 0
    const ofRequests = { window: this.#requests, entry: request }
    const uses = [settleOne(ofRequests, used, reported, remaining, refused === 'endpoint')]
    if (ofDevice) {
      const limit = ofRecords ?? undefined
      const used = limit ? recordsUsed(records, limit.limit, outcome) : 0
      const isClosed = refused === 'device' && !canAskForFewer
      uses.push(settleOne(ofDevice, used, limit, recordsRemaining, isClosed))
    }
    return { refused, uses }
  }

  /** The usage that is regularly reported to a shared quota. */
  usage(): Usage[] {
    const { requests, records } = this.#limits
    const usage = [{ name: this.#name as string, ...limitOf(requests), entries: this.#requests.own() }]
    for (const [device, window] of this.#devices)
      if (records) usage.push({ name: this.#nameOf(device), ...limitOf(records), entries: window.own() })
    return usage
  }

  /** The figures for the admin API, with the instant of the next permit in monotonic ms. */
  counts(now: number): Omit<EndpointCounts, 'freeAt' | 'waiting'> & { nextAt: number } {
    const limits = this.#requests.limitsAt(now)
    const leftOf = (limit: WindowLimit) => limit.limit - this.#requests.used(limit, now, false)
    const { limit, windowSeconds } = limits.reduce((a, b) => (leftOf(b) < leftOf(a) ? b : a))
    const own = this.#requests.used(ownLimit(this.#limits.requests, false), now, false)
    const all = limits.map((one) => this.#requests.used({ ...one, countsOthers: true }, now, false))
    const nextAt = Math.max(this.#denial.freeAt, this.#requests.availableAt(1, now, false))
    const left = this.#denial.freeAt > now ? 0 : this.#requests.available(now, false)
    return { limit, windowSeconds, own, foreign: Math.max(...all) - own, left, nextAt }
  }

  /** Recently requested devices with their remaining records. */
  recordsLeft(now: number): { device: string; limit: number; left: number }[] {
    const limit = this.#limits.records?.limit ?? 0
    return [...this.#devices].map(([device, window]) => ({
      ...{ device, limit, left: window.available(now, false) },
    }))
  }

  /** Redis counts the usage of other processes that it knows. */
  get #isShared(): boolean {
    return this.#sharing === 'connected'
  }

  #setLimits(): void {
    this.#requests.setLimits(
      ownLimit(this.#limits.requests, false),
      ...(this.#reported ? [this.#reported] : []),
    )
  }

  #deviceOf(demand: RecordDemand | undefined, now: number): Window | undefined {
    const { records } = this.#limits
    if (!demand || !records) return undefined
    const known = this.#devices.get(demand.device)
    if (known) return known
    for (const [device, window] of this.#devices) if (window.isUnused(now)) this.#devices.delete(device)
    const created = new Window(ownLimit(records, true))
    this.#devices.set(demand.device, created)
    return created
  }

  /** The minimum number of records for which a request is sent, limited to what can be available at once. */
  #leastOf({ wanted, minimum }: RecordDemand): number {
    return Math.min(wanted, minimum, this.#limits.records?.limit ?? wanted)
  }

  #nameOf(device: string): string {
    return `${this.#name} ${device}`
  }
}

const NO_DENIAL = { retryAt: Number.NEGATIVE_INFINITY, freeAt: Number.NEGATIVE_INFINITY }

const limitOf = ({ limit, windowSeconds }: RateLimit) => ({ limit, heldMs: heldMs(windowSeconds) })

const ownLimit = (rate: RateLimit, countsOthers: boolean): WindowLimit => {
  return { ...rate, countsOthers, until: Number.POSITIVE_INFINITY }
}

/** True if it allows less, in a burst or over time. */
const isStricter = (one: RateLimit, other: RateLimit) =>
  one.limit < other.limit || one.limit / one.windowSeconds < other.limit / other.windowSeconds

/** The limit reported by headers; if they do not contain one, their `remaining` refers to the account's limit. */
function reportedLimit(headers: QuotaHeaders | null, own: RateLimit): RateLimit | undefined {
  const { limit = null, windowSeconds = null, remaining = null } = headers ?? {}
  if (limit !== null && limit >= 1 && windowSeconds !== null) return { limit, windowSeconds }
  return remaining === null ? undefined : own
}

/**
 * Number of records used. If the response was incomplete, the header decides; without a header the reserved number
 * counts.
 */
function recordsUsed(reserved: number, limit: number, { isSent, headers, records }: Outcome): number {
  if (!isSent) return 0
  const remaining = headers?.recordsRemaining ?? null
  const byHeader = remaining === null ? reserved : limit - remaining
  return Math.min(reserved, Math.max(0, records ?? byHeader))
}

/** The limit that caused a refusal by the service, if any (docs/quota.md). */
function findRefusal({ headers, errorStatus = 0 }: Outcome, hasRecords: boolean): LimitScope | undefined {
  const { remaining = null, recordsRemaining = null } = headers ?? {}
  if (errorStatus === 429)
    return hasRecords && ((remaining ?? 0) > 0 || recordsRemaining === 0) ? 'device' : 'endpoint'
  const isOtherRefusal = errorStatus >= 400 && errorStatus < 500 && !NOT_ABOUT_QUOTA.has(errorStatus)
  return isOtherRefusal && remaining === 0 ? 'endpoint' : undefined
}
