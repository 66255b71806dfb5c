import type { EndpointCounts } from '../../shared/admin'
import type { EndpointName } from '../endpoints'
import type { QuotaHeaders } from './headers'
import { type EndpointLimits, heldMs, type RateLimit } from './limits'
import type { Denied, Need, Sharing, Usage, Use } from './shared-quota'
import { type Entry, Window, type WindowLimit } from './window'

/** Records that a request wants of a device, and with how few it is sent rather than wait for more. */
export interface RecordDemand {
  device: string
  wanted: number
  minimum: number
}

/** What one attempt has reserved: one request and, where they are counted, records of its device. */
export interface Reservation {
  id: string
  /** How many records the attempt may ask for; `undefined` if the request names no number. */
  records: number | undefined
  request: Entry
  ofDevice: { window: Window; entry: Entry; name: string; minimum: number } | undefined
}

/** How an attempt ended, as far as the quota needs to know. */
export interface Outcome {
  /** False if not a byte of the request can have reached the service: nothing is used. */
  isSent: boolean
  /** True if the service itself has answered: not a gateway, and no response that broke off. */
  isAnswered: boolean
  /** Of the response; `null` if there was none, or only the page of a gateway. */
  headers: QuotaHeaders | null
  /** Status of an error response. */
  errorStatus?: number | undefined
  /** Records received; `null` if that is not known. */
  records: number | null
}

/** Which limit the service refused a request for: that of the endpoint's requests, or that of a device's records. */
export type LimitScope = 'endpoint' | 'device'

/** When a request can be sent, in monotonic ms, and whether it waits for records of its device. */
export interface StartEstimate {
  at: number
  isForRecords: boolean
}

/** In this time, all that can reach a Redis that is back have found it. */
const RETURNING_MS = 2500

/** Statuses that say nothing about the quota, whatever their headers report. */
const NOT_ABOUT_QUOTA = new Set([401, 403])

/**
 * The quota of one endpoint: its requests, with the account's limit and the one that the last response reported, and the
 * records of each device. Instants are monotonic ms.
 */
export class Endpoint {
  readonly #name: EndpointName
  #limits: EndpointLimits
  readonly #requests: Window
  #reported: WindowLimit | undefined
  readonly #devices = new Map<string, Window>()
  #sharing: Sharing = 'none'
  /** Redis is back, but others may not have reported yet what they have used. */
  #carefulUntil = Number.NEGATIVE_INFINITY
  /** A shared quota has no permit before that: when to ask again, and when one is expected. */
  #denial = NO_DENIAL
  /** The service has answered since the start: until then, requests are sent one at a time. */
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

  /** When the next request can be sent; infinite if only a response, or Redis, can allow it. */
  startsAt(now: number): number {
    if (this.#reported && now >= this.#reported.until) {
      // A stricter limit may still be in force: the next response says it.
      if (isStricter(this.#reported, this.#limits.requests)) this.#isKnown = false
      this.#reported = undefined
      this.#setLimits()
    }
    if (this.#sharing === 'opening') return Number.POSITIVE_INFINITY
    const isAlone = this.#sharing === 'away' || !this.#isKnown || now < this.#carefulUntil
    if (isAlone && this.#requests.inFlight > 0) return Number.POSITIVE_INFINITY
    return Math.max(this.#denial.retryAt, this.#requests.availableAt(1, now, this.#isShared))
  }

  /** When there are enough records of the device; now where they are not counted. */
  recordsAt(demand: RecordDemand | undefined, now: number): number {
    const device = this.#deviceOf(demand, now)
    return demand && device ? device.availableAt(this.#leastOf(demand), now, this.#isShared) : now
  }

  /**
   * When a request can be sent if all that are in flight are answered now.
   * @param position 1 if it is the next one
   */
  estimate(demand: RecordDemand | undefined, position: number, now: number): StartEstimate {
    const at = Math.max(this.#denial.freeAt, this.#requests.availableAt(position, now, this.#isShared))
    const recordsAt = this.recordsAt(demand, now)
    return { at: Math.max(at, recordsAt), isForRecords: recordsAt > at }
  }

  /** Reserves a request, and as many of the wanted records as there are. */
  reserve(id: string, demand: RecordDemand | undefined, now: number): Reservation {
    const request = this.#requests.reserve(id, 1, now, this.#isShared)
    const window = this.#deviceOf(demand, now)
    if (!demand || !window) return { id, request, records: demand?.wanted, ofDevice: undefined }
    const records = Math.min(demand.wanted, window.available(now, this.#isShared))
    const entry = window.reserve(id, records, now, this.#isShared)
    const minimum = Math.min(records, this.#leastOf(demand))
    return { id, request, records, ofDevice: { window, entry, name: this.#nameOf(demand.device), minimum } }
  }

  /** What a shared quota is asked for. */
  needs({ records = 0, ofDevice }: Reservation): Need[] {
    const { requests, records: ofRecords } = this.#limits
    const needs = [{ name: this.#name as string, wanted: 1, minimum: 1, ...limitOf(requests) }]
    if (ofDevice && ofRecords)
      needs.push({ name: ofDevice.name, wanted: records, minimum: ofDevice.minimum, ...limitOf(ofRecords) })
    return needs
  }

  /** A shared quota has granted the reservation: maybe fewer records. */
  grant(reservation: Reservation, [, records]: number[]): void {
    const { request, ofDevice } = reservation
    this.#denial = NO_DENIAL
    request.isAsked = false
    if (records === undefined || !ofDevice) return
    ofDevice.entry.isAsked = false
    ofDevice.entry.amount = records
    reservation.records = records
  }

  /** A shared quota has not granted it: others have the requests, or the records. */
  deny({ request, ofDevice }: Reservation, { need, retryMs, estimateMs }: Denied, now: number): void {
    this.#requests.settle(request, 0, now)
    ofDevice?.window.settle(ofDevice.entry, 0, now)
    if (need === 0) this.#denial = { retryAt: now + retryMs, freeAt: now + estimateMs }
  }

  /**
   * Turns a reservation into usage.
   * @returns which limit the service refused the request for, if it did, and what a shared quota is told
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
      // It holds until the next response, and never longer than the account's own window.
      this.#reported = { ...reported, countsOthers: true, until: now + heldMs(own.windowSeconds) }
      this.#setLimits()
    }
    const refused = findRefusal(outcome, ofDevice !== undefined && ofRecords !== null)
    // Of a device that has records left, fewer are asked for immediately.
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

  /** What a shared quota is told again and again. */
  usage(): Usage[] {
    const { requests, records } = this.#limits
    const usage = [{ name: this.#name as string, ...limitOf(requests), entries: this.#requests.own() }]
    for (const [device, window] of this.#devices)
      if (records) usage.push({ name: this.#nameOf(device), ...limitOf(records), entries: window.own() })
    return usage
  }

  /** What the admin API reports, with the instant of the next permit in monotonic ms. */
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

  /** The devices whose records were requested lately, and what is left of them. */
  recordsLeft(now: number): { device: string; limit: number; left: number }[] {
    const limit = this.#limits.records?.limit ?? 0
    return [...this.#devices].map(([device, window]) => ({
      ...{ device, limit, left: window.available(now, false) },
    }))
  }

  /** Redis counts what it knows of others. */
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

  /** With how few records a request is sent: with all that can be available at once, if that is less. */
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

/** True if it allows less, at once or over time. */
const isStricter = (one: RateLimit, other: RateLimit) =>
  one.limit < other.limit || one.limit / one.windowSeconds < other.limit / other.windowSeconds

/** The limit that headers report; without one, what remains is that of the account's. */
function reportedLimit(headers: QuotaHeaders | null, own: RateLimit): RateLimit | undefined {
  const { limit = null, windowSeconds = null, remaining = null } = headers ?? {}
  if (limit !== null && limit >= 1 && windowSeconds !== null) return { limit, windowSeconds }
  return remaining === null ? undefined : own
}

/** Records received; if the response broke off the header decides, and without one the reservation stays. */
function recordsUsed(reserved: number, limit: number, { isSent, headers, records }: Outcome): number {
  if (!isSent) return 0
  const remaining = headers?.recordsRemaining ?? null
  const byHeader = remaining === null ? reserved : limit - remaining
  return Math.min(reserved, Math.max(0, records ?? byHeader))
}

/** Which limit a response refused the request for, if it did (docs/quota.md). */
function findRefusal({ headers, errorStatus = 0 }: Outcome, hasRecords: boolean): LimitScope | undefined {
  const { remaining = null, recordsRemaining = null } = headers ?? {}
  if (errorStatus === 429)
    return hasRecords && ((remaining ?? 0) > 0 || recordsRemaining === 0) ? 'device' : 'endpoint'
  const isOtherRefusal = errorStatus >= 400 && errorStatus < 500 && !NOT_ABOUT_QUOTA.has(errorStatus)
  return isOtherRefusal && remaining === 0 ? 'endpoint' : undefined
}
