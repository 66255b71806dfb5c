import type { EndpointCounts } from '../../shared/admin'
import type { QuotaHeaders } from './headers'
import type { EndpointLimits } from './limits'
import type { Lease, Need, Use } from './shared-quota'
import { Window } from './window'

/** Records that a request wants of a device, and with how few it is sent rather than wait for more. */
export interface RecordDemand {
  device: string
  wanted: number
  minimum: number
}

/** What one attempt has reserved: one request and, where they are counted, records of its device. */
export interface Reservation {
  sentAt: number
  device: Window | undefined
  /** How many records the attempt may ask for; `undefined` if the request names no number. */
  records: number | undefined
}

/** How an attempt ended, as far as the quota needs to know. */
export interface Outcome {
  /** False if not a byte of the request can have reached the service: nothing is used. */
  isSent: boolean
  /** Of an answer of the service itself; `null` if there was none, or only the page of a gateway. */
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

/** Statuses that say nothing about the quota, whatever their headers report. */
const NOT_ABOUT_QUOTA = new Set([401, 403])

/**
 * The limits of one endpoint: those of the account and what the last response reported, which hold at the same time, and
 * the records of each device. Instants are monotonic ms.
 */
export class Endpoint {
  #limits: EndpointLimits
  readonly #own: Window
  readonly #reported: Window
  #reportedUntil = Number.NEGATIVE_INFINITY
  readonly #devices = new Map<string, Window>()
  #inFlight = 0
  /** What all members of a shared quota used when a request was last reserved there. */
  #sharedUse = { held: 0, at: Number.NEGATIVE_INFINITY }
  /** The service has answered since the start: until then, requests are sent one at a time. */
  #isKnown = false

  constructor(limits: EndpointLimits) {
    this.#limits = limits
    this.#own = new Window(limits.requests)
    this.#reported = new Window(limits.requests)
  }

  configure(limits: EndpointLimits): void {
    this.#limits = limits
    this.#own.configure(limits.requests)
    for (const device of this.#devices.values()) if (limits.records) device.configure(limits.records)
  }

  /** The next request has to be answered before another one is sent, because what others used is not known. */
  forget(): void {
    this.#isKnown = false
  }

  /** The limits of requests that hold now. */
  windows(now: number): Window[] {
    return now < this.#reportedUntil ? [this.#own, this.#reported] : [this.#own]
  }

  /**
   * When the next request can be sent; infinite if only a response can allow it.
   * @param isAlone requests are sent one at a time
   */
  startsAt(now: number, isAlone: boolean): number {
    if (this.#reported.isStricterThan(this.#own) && now >= this.#reportedUntil) {
      // It may still be in force: the next response says it.
      this.#isKnown = false
      this.#reported.configure(this.#own.rate)
    }
    if (this.#inFlight > 0 && (isAlone || !this.#isKnown)) return Number.POSITIVE_INFINITY
    return this.#requestsAt(1, now)
  }

  /** When there are enough records of the device; now where they are not counted. */
  recordsAt(demand: RecordDemand | undefined, now: number): number {
    const device = this.#deviceOf(demand, now)
    return demand && device ? device.availableAt(leastOf(demand, device), now) : now
  }

  /**
   * When a request can be sent if all that are in flight are answered now.
   * @param position 1 if it is the next one
   */
  estimate(demand: RecordDemand | undefined, position: number, now: number): StartEstimate {
    const at = this.#requestsAt(position, now)
    const recordsAt = this.recordsAt(demand, now)
    return { at: Math.max(at, recordsAt), isForRecords: recordsAt > at }
  }

  #requestsAt(position: number, now: number): number {
    return Math.max(...this.windows(now).map((window) => window.availableAt(position, now)))
  }

  /** Reserves a request, and as many of the wanted records as there are. */
  reserve(demand: RecordDemand | undefined, now: number): Reservation {
    const device = this.#deviceOf(demand, now)
    const records = device && demand ? Math.min(demand.wanted, device.available(now)) : demand?.wanted
    this.#inFlight++
    this.#own.reserve(1)
    this.#reported.reserve(1)
    device?.reserve(records ?? 0)
    return { sentAt: now, device, records }
  }

  /**
   * Turns a reservation into usage.
   * @param knowsOthers a shared quota knows what others use, better than the headers
   * @returns which limit the service refused the request for, if it did, and what a shared quota is told
   */
  settle(
    { sentAt, device, records = 0 }: Reservation,
    outcome: Outcome,
    now: number,
    knowsOthers: boolean,
  ): { refused: LimitScope | undefined; uses: Use[] } {
    const { isSent, headers } = outcome
    const requestsUsed = isSent ? 1 : 0
    this.#inFlight--
    this.#own.settle(1, requestsUsed, now)
    this.#reported.settle(1, requestsUsed, now)
    const usedRecords = device ? recordsUsed(records, device, outcome) : 0
    device?.settle(records, usedRecords, now)
    if (headers) {
      this.#isKnown = true
      this.#applyHeaders(headers, sentAt, now, knowsOthers)
      if (headers.recordsRemaining !== null && !knowsOthers)
        device?.noticeOthers(headers.recordsRemaining, sentAt, now)
    }
    const refused = findRefusal(outcome, device !== undefined)
    // Of a device that has records left, fewer are asked for immediately.
    const recordsLeft = headers?.recordsRemaining ?? 0
    const canAskForFewer = recordsLeft > 0 && recordsLeft < records
    const closed = refused === 'device' ? (canAskForFewer ? undefined : device) : refused && this.#own
    closed?.close(now + closed.heldMs)
    const useOf = (
      window: Window,
      used: number,
      remaining: number | null | undefined,
      isClosed: boolean,
    ) => ({
      ...{ used, remaining: remaining ?? null, limit: window.limit, heldMs: window.heldMs },
      ...{ flightMs: Math.round(now - sentAt), closedMs: isClosed ? (closed?.heldMs ?? 0) : 0 },
    })
    const reported = this.windows(now).at(-1) as Window
    const uses = [useOf(reported, requestsUsed, headers?.remaining, closed === this.#own)]
    if (device) uses.push(useOf(device, usedRecords, headers?.recordsRemaining, closed === device))
    return { refused, uses }
  }

  /** A shared quota has granted the reservation: maybe fewer records. */
  applyLease(reservation: Reservation, { granted: [, records], held }: Lease, now: number): void {
    this.#sharedUse = { held, at: now }
    if (records === undefined || !reservation.device) return
    reservation.device.settle((reservation.records ?? 0) - records, 0, now)
    reservation.records = records
  }

  /** A shared quota has not granted it: others have the requests (need 0) or the records (1) until then. */
  postpone({ device, records = 0 }: Reservation, need: number, now: number, until: number): void {
    this.#inFlight--
    for (const window of [this.#own, this.#reported]) window.settle(1, 0, now)
    device?.settle(records, 0, now)
    const denied = need === 0 ? this.#own : device
    denied?.close(until)
  }

  /** What the admin API reports, with the instant of the next permit in monotonic ms. */
  counts(now: number): Omit<EndpointCounts, 'freeAt' | 'waiting'> & { nextAt: number } {
    const windows = this.windows(now).sort((a, b) => a.available(now) - b.available(now))
    const { rate } = windows[0] as Window
    const own = this.#own.used(now)
    const { held, at } = this.#sharedUse
    const byMembers = now < at + this.#own.heldMs ? held - own : 0
    const foreign = Math.max(0, byMembers, now < this.#reportedUntil ? this.#reported.usedByOthers(now) : 0)
    const left = Math.max(
      0,
      Math.min(windows[0]?.available(now) ?? 0, this.#own.rate.limit - own - byMembers),
    )
    return { ...rate, own, foreign, left, nextAt: this.estimate(undefined, 1, now).at }
  }

  /** What a shared quota is asked for. */
  needs(name: string, demand: RecordDemand | undefined, reservation: Reservation, now: number): Need[] {
    const limitOf = (window: Window, reported: boolean) => ({
      limit: window.limit,
      heldMs: window.heldMs,
      reported,
    })
    const limits = this.windows(now).map((window) => limitOf(window, window === this.#reported))
    const requests = { name, wanted: 1, minimum: 1, limits }
    const { device, records = 0 } = reservation
    if (!demand || !device) return [requests]
    const minimum = Math.min(records, leastOf(demand, device))
    const ofDevice = { name: `${name} ${demand.device}`, wanted: records, minimum }
    return [requests, { ...ofDevice, limits: [limitOf(device, true)] }]
  }

  /** The devices whose records were requested lately, and what is left of them. */
  recordsLeft(now: number): { device: string; limit: number; left: number }[] {
    return [...this.#devices].map(([device, window]) => ({
      ...{ device, limit: window.limit, left: window.available(now) },
    }))
  }

  /** A reported limit holds until the next response, and never longer than the account's own window. */
  #applyHeaders(
    { limit, windowSeconds, remaining }: QuotaHeaders,
    sentAt: number,
    now: number,
    knowsOthers: boolean,
  ): void {
    const isWhole = limit !== null && limit >= 1 && windowSeconds !== null
    if (!isWhole && remaining === null) return
    this.#reported.configure(isWhole ? { limit, windowSeconds } : this.#limits.requests)
    this.#reportedUntil = now + this.#own.heldMs
    if (remaining !== null && !knowsOthers) this.#reported.noticeOthers(remaining, sentAt, now)
  }

  #deviceOf(demand: RecordDemand | undefined, now: number): Window | undefined {
    const { records } = this.#limits
    if (!demand || !records) return undefined
    const known = this.#devices.get(demand.device)
    if (known) return known
    for (const [device, window] of this.#devices) if (window.isUnused(now)) this.#devices.delete(device)
    const created = new Window(records)
    this.#devices.set(demand.device, created)
    return created
  }
}

/** With how few records a request is sent: with all that can be available at once, if that is less. */
const leastOf = ({ wanted, minimum }: RecordDemand, device: Window) => Math.min(wanted, minimum, device.limit)

/** Records received; if the response broke off the header decides, and without one the reservation stays. */
function recordsUsed(reserved: number, device: Window, { isSent, headers, records }: Outcome): number {
  if (!isSent) return 0
  const remaining = headers?.recordsRemaining ?? null
  const byHeader = remaining === null ? reserved : device.limit - remaining
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
