import type { EndpointCounts } from '../../shared/admin'
import type { EndpointName } from '../endpoints'
import type { QuotaHeaders } from './headers'
import { type EndpointLimits, heldMs, type RateLimit } from './limits'
import type { Sharing } from './shared-quota'
import { type Entry, Window } from './window'

/**
 * The number of records that a request wants from a device, and the minimum for which it is sent without waiting for
 * more.
 */
export interface RecordDemand {
  device: string
  wanted: number
  minimum: number
}

/** Usage of one limit by one attempt. */
interface Reserved {
  window: Window
  entry: Entry
}

/** Everything reserved for one attempt: a request and, if they are counted, records of its device. */
export interface Reservation {
  /** Maximum number of records that the attempt may request; `undefined` if the request does not specify a number. */
  records: number | undefined
  request: Reserved
  ofDevice: Reserved | undefined
  /** The limits of both, by their names in Redis. */
  limits: Map<string, Window>
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

/** Longest time for which a process leaves a permit to others; in short windows, a quarter of the window. */
const MAX_TURN_MS = 1000

/** Statuses whose headers must not be used for the quota. */
const NOT_ABOUT_QUOTA = new Set([401, 403])

/**
 * The quota of one endpoint: its requests, and the records of each device. Instants are monotonic ms.
 */
export class Endpoint {
  readonly #name: EndpointName
  #limits: EndpointLimits
  readonly #requests: Window
  readonly #devices = new Map<string, Window>()
  #sharing: Sharing = 'none'
  /** Until then, other processes may not have reported their usage to Redis. */
  #carefulUntil = Number.NEGATIVE_INFINITY
  /** The service has responded since the start: before that, requests are sent one at a time. */
  #isKnown = false

  constructor(name: EndpointName, limits: EndpointLimits) {
    this.#name = name
    this.#limits = limits
    this.#requests = new Window(limits.requests, false)
  }

  configure(limits: EndpointLimits): void {
    this.#limits = limits
    this.#requests.setLimit(limits.requests)
    const { records } = limits
    if (records) for (const device of this.#devices.values()) device.setLimit(records)
  }

  /** @param sharedMs how long all usage has been counted in Redis */
  setSharing(sharing: Sharing, sharedMs: number, now: number): void {
    const returningMs = this.#sharing === 'away' ? RETURNING_MS : 0
    if (sharing === 'connected')
      this.#carefulUntil = now + Math.max(returningMs, heldMs(this.#limits.requests.windowSeconds) - sharedMs)
    else for (const [, window] of this.windows()) window.setRemote([], now)
    this.#sharing = sharing
  }

  /** When the next request can be sent; infinite if that depends on a response or on Redis. */
  startsAt(now: number): number {
    if (this.#sharing === 'opening') return Number.POSITIVE_INFINITY
    const isCareful = !this.#isKnown || this.#requests.isReportOutdated(now)
    const isShared = this.#sharing === 'connected'
    const isAlone = this.#sharing === 'away' || isCareful || (isShared && now < this.#carefulUntil)
    if (isAlone && this.#requests.inFlight > 0) return Number.POSITIVE_INFINITY
    const at = this.#requests.availableAt(1, now)
    if (!isShared) return at
    return (isAlone ? Math.max(at, this.#requests.answeredAt) : at) + this.#turnMs(now)
  }

  /** When enough records of the device are available, or since when; now if they are not counted. */
  recordsAt(demand: RecordDemand | undefined, now: number): number {
    const device = this.#deviceOf(demand, now)
    return demand && device ? device.availableAt(this.#leastOf(demand), now) : now
  }

  /**
   * When a request can be sent, or since when, assuming that all requests in flight are answered now.
   * @param position 1 for the next request
   */
  estimate(demand: RecordDemand | undefined, position: number, now: number): StartEstimate {
    const at = Math.max(now, this.#requests.availableAt(position, now))
    const recordsAt = this.recordsAt(demand, now)
    return { at: Math.max(at, recordsAt), isForRecords: recordsAt > at }
  }

  /** Reserves a request, and as many of the wanted records as are available. */
  reserve(demand: RecordDemand | undefined, now: number): Reservation {
    const isPending = this.#sharing === 'connected'
    const entry = this.#requests.reserve(1, now, isPending)
    const request = { window: this.#requests, entry }
    const limits = new Map<string, Window>([[this.#name, this.#requests]])
    const window = this.#deviceOf(demand, now)
    if (!demand || !window) return { request, records: demand?.wanted, ofDevice: undefined, limits }
    const records = Math.min(demand.wanted, window.available(now))
    limits.set(this.#nameOf(demand.device), window)
    return { request, records, ofDevice: { window, entry: window.reserve(records, now, isPending) }, limits }
  }

  /**
   * Turns a reservation into usage.
   * @returns the limit that caused a refusal, if any
   */
  settle(
    { request, records = 0, ofDevice }: Reservation,
    outcome: Outcome,
    now: number,
  ): LimitScope | undefined {
    const { headers, isSent, isAnswered } = outcome
    const { requests: own, records: ofRecords } = this.#limits
    const refused = findRefusal(outcome, ofDevice !== undefined && ofRecords !== null)
    request.window.settle(request.entry, isSent ? 1 : 0, now)
    if (isAnswered) {
      this.#isKnown = true
      request.window.report(reportedLimit(headers, own), now)
    }
    if (refused === 'endpoint') request.window.close(now)
    if (!ofDevice) return refused
    ofDevice.window.settle(
      ofDevice.entry,
      ofRecords ? recordsUsed(records, ofRecords.limit, outcome) : 0,
      now,
    )
    // If the device has records left, fewer can be requested immediately.
    const left = headers?.recordsRemaining ?? 0
    if (refused === 'device' && !(left > 0 && left < records)) ofDevice.window.close(now)
    return refused
  }

  /**
   * Notices the usage of others in the headers of a response, once all usage by envlog is known.
   * @returns whether there is any
   */
  noticeOthers({ request, ofDevice }: Reservation, { headers }: Outcome, now: number): boolean {
    const { requests, records } = this.#limits
    const { remaining = null, recordsRemaining = null } = headers ?? {}
    const reported = reportedLimit(headers, requests)
    const notice = (
      limit: RateLimit | null | undefined,
      left: number | null,
      reserved: Reserved | undefined,
    ) => limit && left !== null && reserved?.window.noticeOthers(limit, left, reserved.entry.sentAt, now)
    const ofRequests = notice(reported, remaining, request)
    return notice(records, recordsRemaining, ofDevice) || ofRequests || false
  }

  /** The limits of all requests and of each device, with their names in Redis. */
  windows(): [string, Window][] {
    const devices = [...this.#devices].map(([device, window]): [string, Window] => [
      this.#nameOf(device),
      window,
    ])
    return [[this.#name, this.#requests], ...devices]
  }

  /** The figures for the admin API, with the instant of the next permit in monotonic ms. */
  counts(now: number): Omit<EndpointCounts, 'freeAt' | 'waiting'> & { nextAt: number } {
    const limits = this.#requests.limitsAt(now)
    const leftOf = (limit: RateLimit & { countsOthers: boolean }) =>
      limit.limit - this.#requests.used(limit, now)
    const { limit, windowSeconds } = limits.reduce((a, b) => (leftOf(b) < leftOf(a) ? b : a))
    const own = this.#requests.usedHere(now)
    const all = limits.map((one) => this.#requests.used({ ...one, countsOthers: true }, now))
    const nextAt = this.#requests.availableAt(1, now)
    return {
      limit,
      windowSeconds,
      own,
      foreign: Math.max(...all) - own,
      left: this.#requests.available(now),
      nextAt,
    }
  }

  /** Recently requested devices with their remaining records. */
  recordsLeft(now: number): { device: string; limit: number; left: number }[] {
    const limit = this.#limits.records?.limit ?? 0
    return [...this.#devices].map(([device, window]) => ({ device, limit, left: window.available(now) }))
  }

  /**
   * Processes that share the quota take turns: the more a process has used beyond its share, the longer it leaves a
   * permit to the others after it has become free.
   */
  #turnMs(now: number): number {
    const { limit, windowSeconds } = this.#limits.requests
    const excess = this.#requests.usedHere(now) / limit - 1 / (1 + this.#requests.remoteProcesses)
    return Math.min(MAX_TURN_MS, windowSeconds * 250) * Math.max(0, excess)
  }

  #deviceOf(demand: RecordDemand | undefined, now: number): Window | undefined {
    const { records } = this.#limits
    if (!demand || !records) return undefined
    const known = this.#devices.get(demand.device)
    if (known) return known
    for (const [device, window] of this.#devices) if (window.isUnused(now)) this.#devices.delete(device)
    const created = new Window(records, true)
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
